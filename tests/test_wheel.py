"""The wheel works alone: outside the clone, with nothing but itself and what it depends on."""

import json
import os
import re
import shutil
import subprocess
import sys
import urllib.request
import zipfile
from pathlib import Path

import pytest

from ncs.registry import worlds
from tests.conftest import PATIENCE, REPOSITORY

NEEDED = ("pyproject.toml", "setup.py", "README.md", "LICENSE", "src", "checkpoints")
LEFT = shutil.ignore_patterns("__pycache__", "*.egg-info", "rivals", "pictures", "sets-*")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from a copy of what it is made of."""
    home = tmp_path_factory.mktemp("source")
    for name in NEEDED:
        whole = (REPOSITORY / name).is_dir()
        copy = shutil.copytree if whole else shutil.copy2
        copy(REPOSITORY / name, home / name, **({"ignore": LEFT} if whole else {}))
    how = ["--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", "dist"]
    pip(sys.executable, "wheel", *how, ".", cwd=home)
    (built,) = (home / "dist").iterdir()
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a fresh environment's commands; what ncs depends on is lent by this one."""
    home = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", home], check=True)
    (site,) = home.glob("lib/python*/site-packages")
    lent = [path for path in sys.path if path.endswith("site-packages")]
    (site / "lent.pth").write_text("\n".join(lent))
    pip(home / "bin" / "python", "install", "--quiet", "--no-deps", "--no-index", wheel, cwd=home)
    return home / "bin"


def pip(python: Path | str, *words: Path | str, cwd: Path) -> None:
    command = [python, "-m", "pip", "--disable-pip-version-check", *words]
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        command, cwd=cwd, env=variables, capture_output=True, text=True, timeout=PATIENCE
    )
    assert done.returncode == 0, done.stderr


def begun(installed: Path, folder: Path, *words: str) -> "subprocess.Popen[str]":
    """A command under way with the variables of a new user, in a folder of nothing."""
    variables = {"HOME": str(folder), "PATH": f"{installed}:{os.defpath}", "LANG": "C.UTF-8"}
    return subprocess.Popen(
        [installed / "ncs", *words],
        cwd=folder,
        env=variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def alone(installed: Path, folder: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    """A command of a new user, run to its end."""
    process = begun(installed, folder, *words)
    out, err = process.communicate(timeout=PATIENCE)
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def test_every_model_that_a_world_names_is_inside(wheel: Path) -> None:
    inside = zipfile.ZipFile(wheel).namelist()
    for name in (world.model for world in worlds() if isinstance(world.model, str) and world.model):
        folder = f"ncs/checkpoints/{name}/"
        assert {f"{folder}model.json", f"{folder}graph-best.safetensors"} <= set(inside)
    assert not [name for name in inside if "tests/" in name or "checkpoints/rivals" in name]


def test_the_demo_ends_with_solved_tasks(installed: Path, tmp_path: Path) -> None:
    done = alone(installed, tmp_path, "demo", "--json")
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    assert all(facts["solved"].values())
    assert len(facts["solved"]) >= 2
    for name in facts["pictures"]:
        assert (tmp_path / name).stat().st_size > 1000


def test_pictures_are_acted_on_without_naming_a_model(installed: Path, tmp_path: Path) -> None:
    from PIL import Image

    from ncs.envs import make_env

    observation, _ = make_env("block-rearrange", n_objects=4).reset(seed=3)
    for name in ("image", "goal"):
        Image.fromarray(observation[name]).save(tmp_path / f"{name}.png")
    done = alone(installed, tmp_path, "act", "--now", "image.png", "--goal", "goal.png", "--json")
    assert done.returncode == 0, done.stderr
    assert len(json.loads(done.stdout)["pick"]) == 3


@pytest.mark.parametrize(
    ("command", "asked"),
    [(("serve", "--port", "0"), "/healthz"), (("view", "--port", "0", "--no-browser"), "/")],
    ids=["serve", "view"],
)
def test_servers_answer(
    installed: Path, tmp_path: Path, command: tuple[str, ...], asked: str
) -> None:
    server = begun(installed, tmp_path, *command)
    try:
        assert server.stdout is not None
        address = re.search(r"http://\S+?:\d+", server.stdout.readline())
        assert address is not None
        with urllib.request.urlopen(address[0] + asked, timeout=PATIENCE) as answer:
            assert answer.status == 200
    finally:
        server.terminate()
        _, err = server.communicate(timeout=PATIENCE)
    assert server.returncode == 143, err


def test_a_method_is_judged_by_the_worlds_own_model(installed: Path, tmp_path: Path) -> None:
    words = [
        "--objects",
        "4",
        "--seeds",
        "1",
        "--episodes",
        "2",
        "--split",
        "dev",
        "--workers",
        "1",
        "--out",
        "rows.jsonl",
    ]
    done = alone(installed, tmp_path, "evaluate", "--method", "ncs", *words, "--json")
    assert done.returncode == 0, done.stderr
    assert [cell["mean"] for cell in json.loads(done.stdout)["cells"]] == [1.0, 1.0]
