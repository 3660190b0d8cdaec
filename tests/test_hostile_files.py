"""Files that mean harm are refused in one line; benchmarks/hostile_files.py holds them all."""

import re
import sys
from pathlib import Path

import pytest
from benchmarks.hostile.spoil import manifest as spoiled
from benchmarks.hostile_files import HARMLESS, Case, attempt, build, cases

from ncs import bounded
from ncs.bounded import inside
from ncs.cli.main import main
from ncs.evaluation import results
from ncs.records import DataError, plain
from ncs.registry import ALLOWED

# The longest to make or to read wait for the benchmark.
LONG = ("300 000", "3 million lists", "bomb", "30 000", "64 layers", "20 000", "2 MB", "20 MB")
ALL = [(kind, case) for kind, case in cases() if not any(word in case.name for word in LONG)]
CODE = [pair for pair in ALL if pair[0] == "model" and " code" in pair[1].name]
SAMPLE = [
    *(pair for pair in ALL if pair[0] != "model"),
    *[p for p in ALL if p[0] == "model"][::3],
    *CODE,
]


@pytest.mark.parametrize(("kind", "case"), SAMPLE, ids=lambda part: getattr(part, "name", part))
def test_a_hostile_file_is_refused_in_one_line_and_a_harmless_one_is_read(
    kind: str, case: Case, tmp_path: Path
) -> None:
    verdict, words = attempt(kind, build(kind, case, tmp_path))
    expected = "accepted" if f"{kind}: {case.name}" in HARMLESS else "refused"
    assert verdict == expected, words


@pytest.mark.parametrize("part", ["model", "world"])
def test_code_that_a_model_names_runs_only_where_a_user_allows_it(
    part: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    manifest = {
        "model": {"config": {"model": "trap:MODEL", "network": {}}},
        "world": {"buffer": {"world": "trap:WORLD", "hash": "0" * 12, "clips": 3}},
    }[part]
    home = build("model", Case("code", spoiled("model", **manifest)), tmp_path)
    (tmp_path / "trap.py").write_text("open('it-ran', 'w').close()\nMODEL = WORLD = None\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv(ALLOWED, "")
    code = f"trap:{part.upper()}"
    config = tmp_path / "c.toml"
    config.write_text(f'allow = ["{code}"]\n')
    for more in ([], ["--config", str(config)]):
        assert main(["inspect", str(home), *more]) == 2
        said = capsys.readouterr().err
        assert ("--allow" in said, said.count("\n")) == (True, 1)
        assert not (tmp_path / "it-ran").exists()
    main(["inspect", str(home), "--allow", code])
    sys.modules.pop("trap", None)
    assert "--allow" not in capsys.readouterr().err
    assert (tmp_path / "it-ran").exists() == (part == "model")


def test_control_characters_never_reach_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["table", str(tmp_path / "\x1b[31mred\nline")]) == 2
    error = capsys.readouterr().err
    assert "\x1b" not in error
    assert error.count("\n") == 1
    assert plain("a\x1b[2J\u202eb\n", keep="\n") == "a\\x1b[2J\\u202eb\n"


def test_a_link_out_of_a_folder_is_refused_and_one_within_is_not(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (tmp_path / "secret").touch()
    (home / "own").touch()
    (home / "out").symlink_to(tmp_path / "secret")
    (home / "in").symlink_to("own")
    assert inside(home, "in") == home / "in"
    for name in ("out", "../secret", "", ".", str(tmp_path / "secret")):
        with pytest.raises(DataError, match="outside its folder"):
            inside(home, name)


def test_the_table_of_limits_says_what_the_code_does() -> None:
    text = (Path(__file__).parents[1] / "docs" / "limits.md").read_text()
    listed = dict(re.findall(r"^\| .*\| ([\d ]+)(?: bytes)? \| `(\w+)` \|$", text, re.MULTILINE))
    limits = {name: int(number.replace(" ", "")) for number, name in listed.items()}
    assert len(limits) >= 10
    for name, number in limits.items():
        assert number == (getattr(bounded, name, None) or getattr(results, name)), name
