"""Tutorials do what they say: their own blocks are run, smaller, in their own order, in a shell."""

import json
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
import venv
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.conftest import PATIENCE, REPOSITORY
from tests.warm import Warm

TUTORIALS = REPOSITORY / "docs" / "tutorials"
# What a user of an installed ncs types, in an environment of one's own; nothing is downloaded.
COMMANDS = {
    "ncs": 'exec {bin}/python -P -m ncs "$@"',
    "python": 'exec {bin}/python "$@"',
    "pip": '{here} -m pip --quiet wheel --no-deps --no-build-isolation --no-index -w {bin} "$2"\n'
    "{here} -m pip --quiet --python {bin}/python install --no-deps --no-index {bin}/*.whl",
}

# That plug-ins reach worker processes is shown by tests/test_plugins.py.
ONE_PROCESS = {
    f"ncs {name} ": f"ncs {name} --workers 1 " for name in ("evaluate", "reproduce", "verify")
}


def lines_of(page: str) -> list[str]:
    """The command lines of a tutorial, one after another."""
    found = re.findall(r"```sh\n(.*?)```", (TUTORIALS / page).read_text(), re.DOTALL)
    return [line for block in found for line in block.strip().splitlines()]


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of commands that belong to a fresh environment, which sees ncs and its needs."""
    folder = tmp_path_factory.mktemp("commands")
    home = folder / "environment"
    venv.create(home, with_pip=False)
    (site,) = home.glob("lib/python*/site-packages")
    paths = [path for path in sys.path if path and Path(path).is_dir() and path != os.getcwd()]
    (site / "ncs.pth").write_text("\n".join([str(REPOSITORY / "src"), *paths]) + "\n")
    for name, line in COMMANDS.items():
        body = line.format(bin=home / "bin", here=sys.executable)
        (folder / name).write_text(f"#!/bin/sh\nset -e\n{body}\n")
        (folder / name).chmod(0o755)
    return folder


@pytest.fixture(scope="module")
def warm(commands: Path) -> Iterator[Warm]:
    """A process of that environment that has imported what its commands need."""
    process = Warm(commands / "environment" / "bin" / "python", environment(commands), commands)
    yield process
    process.close()


def environment(commands: Path) -> dict[str, str]:
    """The variables of a shell that finds the commands of a folder."""
    path = f"{commands}{os.pathsep}{os.environ['PATH']}"
    variables = {**os.environ, "PATH": path, "OMP_NUM_THREADS": "1"}
    variables.pop("PYTHONPATH", None)
    return variables


def run(
    page: str, cwd: Path, commands: Path, warm: Warm, smaller: Mapping[str, str]
) -> dict[str, str]:
    """What each line of a tutorial prints; a service stays up until the last one is done."""
    variables = environment(commands)
    port, said = free_port(), {}
    server = None
    try:
        for line in lines_of(page):
            text = line
            for large, small in {**smaller, **ONE_PROCESS, "8766": str(port)}.items():
                text = text.replace(large, small)
            if text.startswith("export "):
                text = shell(f"{text}; env -0", cwd, variables)
                variables = dict(pair.split("=", 1) for pair in text.split("\0") if pair)
            elif text.startswith("ncs serve"):
                server = subprocess.Popen(f"exec {text}", shell=True, cwd=cwd, env=variables)
                wait_for(f"http://127.0.0.1:{port}", server)
            elif text.startswith("ncs "):
                done = warm.run(shlex.split(text)[1:], cwd, variables)
                assert done.returncode in (0, 3), f"{text}: {done.stderr}"
                said[line] = done.stdout
            else:
                said[line] = shell(text, cwd, variables)
    finally:
        if server is not None:
            server.terminate()
            server.wait(PATIENCE)
    if server is not None:
        with pytest.raises(OSError, match="refused"):  # nothing outlives its test
            urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=5)
    return said


def shell(text: str, cwd: Path, variables: Mapping[str, str]) -> str:
    """What a line prints that is no command of ncs."""
    done = subprocess.run(
        text,
        shell=True,
        cwd=cwd,
        env=dict(variables),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, f"{text}: {done.stderr}"
    return done.stdout


def wait_for(address: str, server: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            urllib.request.urlopen(f"{address}/healthz", timeout=5)
            return
        except OSError:
            assert server.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.2)


def ends_with(said: Mapping[str, str], start: str) -> str:
    """What the line prints that starts in a way."""
    (text,) = (text for line, text in said.items() if line.startswith(start))
    return text


def test_every_tutorial_is_run() -> None:
    here = Path(__file__)
    mine, others = here.read_text(), here.with_name("test_site.py").read_text()
    for path in TUTORIALS.glob("*.md"):
        assert f'run("{path.name}"' in mine or f'"tutorials/{path.name}"' in others


def test_own_pictures_go_from_a_log_to_a_robots_loop(
    tmp_path: Path, commands: Path, warm: Warm
) -> None:
    shutil.copytree(REPOSITORY / "examples", tmp_path / "examples")
    here = tmp_path / "examples" / "own_table"
    smaller = {"clips 300": "clips 24", "--steps 400": "--steps 4 --batch 4", " 50": " 2"}
    said = run("own_pictures.md", here, commands, warm, smaller)
    assert "24 clips of 5 pictures, 128 x 96 pixels" in ends_with(said, "ncs import")
    assert "cm" in ends_with(said, "ncs act")
    assert (here / "act.png").exists()
    assert "of things in place" in ends_with(said, "python loop.py")


def test_a_world_of_ones_own_goes_from_a_wheel_to_rows(
    tmp_path: Path, commands: Path, warm: Warm
) -> None:
    here = tmp_path / "world"
    shutil.copytree(REPOSITORY / "examples" / "world_template", here)
    smaller = {"400": "30", "--seeds 2 --episodes 20": "--seeds 1 --episodes 2", "4 6": "3"}
    smaller |= {"--steps 30": "--steps 4 --batch 4", "--objects 5": "--objects 3"}
    smaller |= {"--scale smoke": "--scale smoke --seeds 1"}
    said = run("own_world.md", here, commands, warm, smaller)
    assert (commands / "environment" / "bin" / "tray_world-1.0-py3-none-any.whl").exists()
    assert ends_with(said, "ncs doctor").endswith("tray: all is well\n")
    assert "30 clips" in ends_with(said, "ncs collect")
    assert (here / "solved" / "trace.json").exists()
    table = ends_with(said, "ncs table")
    assert "tray, partial goals" in table
    assert "random, fresh:0 tasks" in table
    assert ": same; 8 rows checked" in ends_with(said, "ncs verify")
    assert "tray, complete goals" in (here / "report" / "report.md").read_text()
    viewer_solves("tray", here, commands)


def viewer_solves(world: str, cwd: Path, commands: Path) -> None:
    """The viewer of a fresh environment plays an episode in a world of its own to the end."""
    words = [commands / "ncs", "view", "--model", "model", "--no-browser", "--port", "0", "--json"]
    with subprocess.Popen(words, cwd=cwd, stdout=subprocess.PIPE, text=True) as viewer:
        try:
            assert viewer.stdout is not None
            address = json.loads(viewer.stdout.readline())["url"].rstrip("/")
            models = json.loads(asked(f"{address}/api/models"))["models"]
            (own,) = (model for model in models if model.get("world") == world)
            task = {"model": own["name"], "objects": 2}
            name = json.loads(asked(f"{address}/api/episodes", task))["id"]
            told = asked(f"{address}/api/episodes/{name}/events")
            assert told.count("event: moment") >= 2
            assert "error" not in json.loads(told.rpartition("data: ")[2])
        finally:
            viewer.terminate()
            assert viewer.wait(PATIENCE) == 143


def asked(address: str, body: Mapping[str, object] | None = None) -> str:
    """What a server answers."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(address, data, {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
        return str(answer.read().decode())


def test_a_model_and_a_policy_of_ones_own_are_judged(
    tmp_path: Path, commands: Path, warm: Warm
) -> None:
    shutil.copytree(REPOSITORY / "examples", tmp_path / "examples")
    here = tmp_path / "examples" / "own_model"
    smaller = {"400": "60", "--steps 60": "--steps 5"}
    smaller |= {"--seeds 2 --episodes 10": "--seeds 1 --episodes 2", "4 6": "3"}
    smaller |= {"ncs slots --model model": "ncs slots --model model --clips 5"}
    said = run("own_model.md", here, commands, warm, smaller)
    assert "found by exactly one slot" in ends_with(said, "ncs slots")
    table = ends_with(said, "ncs table")
    assert "prototypes, fresh:0 tasks" in table
    assert "difference:make, fresh:0 tasks" in table
    assert ": same; 12 rows checked" in ends_with(said, "ncs verify")


def test_a_robots_loop_solves_its_tasks(tmp_path: Path, commands: Path, warm: Warm) -> None:
    for name in ("checkpoints", "examples"):
        (tmp_path / name).symlink_to(REPOSITORY / name)
    said = run("robot_loop.md", tmp_path, commands, warm, {})
    assert ends_with(said, "python examples").count("the goal holds") == 3
    assert '"status":"ok"' in list(said.values())[-1]
