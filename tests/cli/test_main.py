"""The command line is quick, helpful, and answers bad input with one line and exit code 2."""

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from tests.conftest import REPOSITORY, ncs, ncs_process

from ncs import __version__
from ncs.cli.commands import find_commands
from ncs.cli.main import main
from ncs.evaluation.results import read_results

BLOCKS = "block-rearrange"
COMMANDS = find_commands()
RESULTS = str(REPOSITORY / "results" / "blocks-fast-0-many.jsonl.gz")
NO_COMMANDS = {"__init__", "command", "commands", "console", "main", "options", "stopping"}


def test_help_lists_every_command_without_importing_anything_heavy() -> None:
    code = "import sys; from ncs.cli.main import main; main(['--help']); print(*sys.modules)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    text, modules = out.stdout.rsplit("\n", 2)[:2]
    assert all(name in text for name in COMMANDS)
    assert not {"numpy", "torch", "gymnasium", "pydantic", "tyro"} & set(modules.split())


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_worth_reading(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stop:
        main([name, "--help"])
    assert stop.value.code == 0
    text = capsys.readouterr().out
    assert "usage: ncs" in text
    assert "--json" in text
    assert "--config FILE" in text
    assert "None" not in text
    assert text.count("(default: )") == 0
    assert len(text) > 400


BAD = [
    (["fly"], "there is no command 'fly'"),
    (["collect", BLOCKS], "--out"),
    (["collect", "mars", "--out", "x"], "there is no 'mars', choose one of"),
    (["collect", BLOCKS, "--out", "x", "--episodes", "0"], "episodes: input should be greater"),
    (["collect", BLOCKS, "--out", "x", "--episodes", "many"], "--episodes"),
    (["collect", BLOCKS, "--out", "x", "--colour", "red"], "--colour"),
    (["collect", BLOCKS, "--out", "/proc/x"], "/proc/x"),
    (["collect", BLOCKS, "--config", "missing.toml"], "missing.toml: there is no such file"),
    (["inspect", "missing"], "missing: there is no such file or folder"),
    (["evaluate", "--method", "random", "--out", "r", "--shard", "2/2"], "shard: value error"),
    (["evaluate", "--method", "random", "--out", "r", "--objects", "40"], "objects"),
    (
        ["evaluate", "--method", "magic", "--out", "r"],
        "no 'magic', choose one of random, ",
    ),
    (["evaluate", "--method", "random", "--out", "r.jsonl.gz"], "a packed file cannot be added to"),
    (["table", "missing.jsonl"], "missing.jsonl: there is no such file"),
    (["table"], "files"),
]


@pytest.mark.parametrize(("words", "complaint"), BAD, ids=lambda value: " ".join(value))
def test_bad_input_is_one_line_and_exit_code_2(
    words: list[str],
    complaint: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(words) == 2
    out, err = capsys.readouterr()
    assert complaint in err
    assert err.count("\n") == 1
    assert out == ""
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "words",
    [
        ["table", "missing.jsonl", "--json"],
        ["collect", BLOCKS, "--json"],
        ["evaluate", "--method", "magic", "--out", "r", "--json"],
        ["graph", "--model", "none", "--buffer", "none", "--json"],
    ],
    ids=" ".join,
)
def test_an_error_is_one_object_too(
    words: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(words) == 2
    out, err = capsys.readouterr()
    facts = json.loads(out)
    assert (facts["command"], facts["exit_code"]) == (words[0], 2)
    assert facts["error"] in err


def test_an_unknown_command_is_an_error_for_machines_too(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["fly", "--json"]) == 2
    out, err = capsys.readouterr()
    facts = json.loads(out)
    assert (facts["command"], facts["exit_code"]) == ("", 2)
    assert err == f"ncs: {facts['error']}\n"
    assert facts["error"].startswith("there is no command 'fly', choose from collect, ")


@pytest.mark.parametrize("name", ["solve", "evaluate"])
def test_extensions_are_listed_by_name(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    from ncs.control.extensions import EXTENSIONS, EYES

    with pytest.raises(SystemExit):
        main([name, "--help"])
    text = capsys.readouterr().out
    assert all(text.count(extension) >= 2 for extension in (*EXTENSIONS, *EYES))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("colour = 3", "there is no setting 'colour'"),
        ("episodes = -1", "episodes: input should be greater"),
        ("episodes = [", "is not TOML"),
    ],
)
def test_a_bad_config_file_is_named(
    text: str, complaint: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "c.toml"
    path.write_text(text)
    assert main(["collect", BLOCKS, "--out", str(tmp_path / "x"), "--config", str(path)]) == 2
    assert complaint in capsys.readouterr().err


def test_flags_win_over_the_config_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "c.toml"
    path.write_text(f'world = "{BLOCKS}"\nepisodes = 7\nobjects = 3\nworkers = 1')
    words = ["collect", "--config", str(path), "--out", str(tmp_path / "b"), "--episodes", "4"]
    assert main([*words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["frames"] == 4 * 4
    path.write_text('world = "robogym-rearrange"\nepisodes = 4\nworkers = 1')
    words = ["collect", BLOCKS, "--config", str(path), "--out", str(tmp_path / "c"), "--json"]
    assert main(words) == 0  # the world too
    capsys.readouterr()
    assert main(["inspect", str(tmp_path / "c"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["world"] == BLOCKS


@pytest.mark.parametrize("name", ["goal-image", "goal_image"])
def test_options_in_a_file_are_named_as_flags_are(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "c.toml"
    path.write_text(f'{name} = "g.png"\njson = true')
    assert main(["solve", "--config", str(path)]) == 2
    answer = json.loads(capsys.readouterr().out)  # an object, as the file asks
    assert answer["error"] == "image, goal_image: give both or neither"


def test_settings_by_flag_are_laid_over_those_of_the_file(tmp_path: Path) -> None:
    from ncs.cli.command import parse
    from ncs.cli.train import Train

    path = tmp_path / "c.toml"
    path.write_text('settings = ["average=0.9", "network.slot_width=48"]\npreset = "cpu"')
    words = ["--buffer", "b", f"--config={path}", "--settings", "average=0.5"]
    asked = parse(Train, "train", words)
    assert asked.settings == ("average=0.9", "network.slot_width=48", "average=0.5")
    config = asked.resolve()
    assert (config.average, config.network.slot_width) == (0.5, 48)


def test_another_spelling_of_a_flag_wins_over_the_file_too(tmp_path: Path) -> None:
    from ncs.cli.command import parse
    from ncs.cli.evaluate import Evaluate

    path = tmp_path / "c.toml"
    path.write_text('cap_factor = 2\nmethod = "random"\nout = "r"')
    words = ["--config", str(path), "--horizon", "7"]
    assert parse(Evaluate, "evaluate", words).cap_factor == 7


def test_a_packed_flood_is_refused_at_its_first_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("ncs.evaluation.results.MOST_BYTES", 10_000_000)
    flood = tmp_path / "flood.jsonl.gz"
    flood.write_bytes(gzip.compress(b'{"a": 1}\n' * 2_000_000))
    assert main(["table", str(flood)]) == 2
    assert "line 1: is not a result" in capsys.readouterr().err


def test_collect_inspect_evaluate_table_in_a_row(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    buffer, rows = str(tmp_path / "b"), str(tmp_path / "r.jsonl")
    assert main(["collect", BLOCKS, "--out", buffer, "--episodes", "5", "--workers", "1"]) == 0
    assert main(["inspect", buffer, "--json"]) == 0
    facts = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (facts["episodes"], facts["frames"], facts["objects"]) == (5, 5, 4)
    assert Path(facts["picture"]).exists()
    words = ["--out", rows, "--objects", "4", "--seeds", "1", "--episodes", "4", "--workers", "1"]
    assert main(["evaluate", "--method", "oracle", *words, "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert [cell["mean"] for cell in facts["cells"]] == [1.0, 1.0]
    assert main(["inspect", rows]) == 0
    assert "8 episodes in 2 cells" in capsys.readouterr().out
    assert main(["table", rows, "--format", "markdown"]) == 0
    assert "| oracle | 1.000 |" in capsys.readouterr().out
    assert main(["table", rows, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["cells"][0]["method"] == "oracle"


def test_a_rival_that_ships_is_inspected(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = REPOSITORY / "checkpoints" / "rivals" / "blocks-bc-0"
    assert main(["inspect", str(folder), "--picture", str(tmp_path / "p.png"), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["kind"], facts["method"]) == ("policy", "bc")
    assert sum(facts["parameters"].values()) > 1000


def test_the_folder_holds_commands_and_what_all_of_them_share() -> None:
    modules = {path.stem for path in (REPOSITORY / "src" / "ncs" / "cli").glob("*.py")}
    assert modules - {entry.module.rpartition(".")[2] for entry in COMMANDS.values()} == NO_COMMANDS


def test_the_version_is_told_to_machines_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"version": __version__}


@pytest.mark.parametrize("unbuffered", [None, "1"])
@pytest.mark.parametrize(
    "words",
    [[], ["--help"], ["--version"], ["table", "--help"], ["table", RESULTS], ["inspect", RESULTS]],
    ids=" ".join,
)
def test_a_reader_that_goes_away_is_no_error(words: list[str], unbuffered: str | None) -> None:
    read_end, write_end = os.pipe()
    os.close(read_end)  # before a word is written
    variables = {k: v for k, v in os.environ.items() if k != "PYTHONUNBUFFERED"}
    if unbuffered:
        variables["PYTHONUNBUFFERED"] = unbuffered
    out = subprocess.run(
        [sys.executable, "-m", "ncs", *words],
        stdout=write_end,
        stderr=subprocess.PIPE,
        text=True,
        env=variables,
    )
    os.close(write_end)
    assert (out.returncode, out.stderr) == (0, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no disk that is always full")
@pytest.mark.parametrize("words", [["--help"], ["table", RESULTS], ["table", RESULTS, "--json"]])
def test_output_that_finds_no_room_is_one_line(words: list[str]) -> None:
    with open("/dev/full", "w") as full:
        out = subprocess.run(
            [sys.executable, "-m", "ncs", *words], stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert (out.returncode, out.stderr) == (2, "ncs: the output: No space left on device\n")


def test_a_pipe_that_is_not_ours_is_an_error() -> None:
    def break_off(_: object) -> int:
        raise BrokenPipeError("a worker's")

    with open(os.devnull, "w") as output, pytest.MonkeyPatch.context() as patch:
        for name in ("stdout", "stderr"):
            patch.setattr(sys, name, output)
        patch.setattr("ncs.cli.commands.dispatch", break_off)
        with pytest.raises(BrokenPipeError, match="a worker's"):
            main([])


def kill_again_and_again(words: list[object], kills: int, longest: float) -> None:
    """Starts a command and kills its whole process group, at random moments."""
    rng = np.random.default_rng(0)
    for _ in range(kills):
        process = ncs_process(*words)
        time.sleep(float(rng.uniform(0.3, longest)))
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def test_collect_killed_again_and_again_ends_like_one_that_was_not(tmp_path: Path) -> None:
    words = ["collect", BLOCKS, "--episodes", 300, "--objects", 2, "--workers", 2, "--out"]
    assert ncs(*words, tmp_path / "calm").returncode == 0
    kill_again_and_again([*words, tmp_path / "killed"], 3, 1.8)
    assert ncs(*words, tmp_path / "killed").returncode == 0
    for path in (tmp_path / "calm").iterdir():
        assert (tmp_path / "killed" / path.name).read_bytes() == path.read_bytes()
    assert len(list((tmp_path / "killed").iterdir())) == len(list((tmp_path / "calm").iterdir()))


def test_evaluate_killed_again_and_again_loses_and_doubles_nothing(tmp_path: Path) -> None:
    words = ["evaluate", "--method", "random", "--objects", 4, "--seeds", 3, "--batch", 5,
             "--workers", 2, "--goal", "complete", "--out"]  # fmt: skip
    kill_again_and_again([*words, tmp_path / "killed"], 3, 2.0)
    some = len(read_results(tmp_path / "killed")) if (tmp_path / "killed").exists() else 0
    out = ncs(*words, tmp_path / "killed", "--json")
    assert json.loads(out.stdout)["run_now"] == 300 - some
    assert ncs(*words, tmp_path / "calm").returncode == 0
    killed, calm = read_results(tmp_path / "killed"), read_results(tmp_path / "calm")
    strip = [(r.objects, r.seed, r.episode, r.task, r.final, r.best, r.steps) for r in killed]
    assert strip == [(r.objects, r.seed, r.episode, r.task, r.final, r.best, r.steps) for r in calm]


def test_collect_on_a_full_disk_is_a_clear_line(tmp_path: Path) -> None:
    mount = ["mount", "-t", "tmpfs", "-o", "size=9m", "tmpfs", str(tmp_path)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True).returncode != 0:
        pytest.skip("needs the right to mount a small file system")
    try:
        out = ncs("collect", BLOCKS, "--episodes", 200, "--out", tmp_path / "b", "--workers", 1)
        assert out.returncode == 2
        assert "No space left on device" in out.stderr
        assert out.stderr.count("\n") == 1
        names = sorted(p.name for p in (tmp_path / "b").iterdir())
        assert names == ["clips-00000.safetensors", "collecting.json", "truth-00000.safetensors"]
    finally:
        subprocess.run(["umount", str(tmp_path)], check=True)
