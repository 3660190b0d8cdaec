"""Shells can complete what the command line takes."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from ncs.cli.commands import find_commands
from ncs.cli.main import main

BASH = """
source {script}
COMP_WORDS=({words}) COMP_CWORD={last}
{function}
echo "${{COMPREPLY[@]}}"
"""


@pytest.fixture(scope="module", params=["bash", "zsh", "fish"])
def script(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("shell") / str(request.param)
    with path.open("w") as file, pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.stdout", file)
        assert main(["completion", str(request.param)]) == 0
    return path


def test_every_command_and_its_options_are_there(script: Path) -> None:
    text = script.read_text()
    assert all(name in text for name in find_commands())
    assert all(option in text for option in ("horizon", "nodes-from-data", "goal-image", "config"))


def test_the_shell_accepts_it(script: Path) -> None:
    shell = shutil.which(script.name)
    if shell is None:
        pytest.skip(f"there is no {script.name} on this machine")
    done = subprocess.run([shell, "-n", script], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("ncs sol", "solve"),
        ("ncs solve --go", "--goal"),
        ("ncs solve --preset pa", "paper"),
        ("ncs solve --world block-s", "block-stacking"),
        ("ncs evaluate --method m", "mpc"),
        ("ncs evaluate --without lee", "leeway"),
    ],
)
def test_bash_completes(
    words: str, expected: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["completion", "bash", "--json"]) == 0
    text = json.loads(capsys.readouterr().out)["script"]
    path = tmp_path / "ncs.bash"
    path.write_text(text)
    function = text.rsplit("-F ", 1)[1].split()[0]
    lines = BASH.format(script=path, words=words, last=len(words.split()) - 1, function=function)
    done = subprocess.run(["bash", "-c", lines], capture_output=True, text=True)
    assert expected in done.stdout.split(), done.stderr
