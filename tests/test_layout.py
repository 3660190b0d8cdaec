"""Rooms import only what the map allows, and the prose about the layout is true."""

import ast
import importlib
import re
from pathlib import Path

import pytest

from ncs.registry import built_in, find_world

REPOSITORY = Path(__file__).parents[1]
SRC = REPOSITORY / "src" / "ncs"
BASE = {"records", "bounded", "storage", "settings", "registry", "puzzle"}
ROOMS = [
    "envs",
    "data",
    "model",
    "training",
    "graph",
    "control",
    "agent",
    "baselines",
    "evaluation",
    "health",
    "analysis",
    "reproduction",
]
MAY_IMPORT = {
    "records": set(),
    "bounded": {"records"},
    "storage": {"records", "bounded"},
    "settings": {"records", "bounded", "storage"},
    "puzzle": set(),
    "registry": {"records", "bounded", "storage", "settings"},
    "envs": BASE,
    "data": BASE,
    "model": BASE | {"data"},
    "training": BASE | {"data", "model"},
    "graph": BASE,
    "control": BASE | {"graph"},
    "agent": BASE
    | {"envs", "data", "model", "training", "graph", "control", "baselines", "evaluation"}
    | {"analysis"},
    "baselines": BASE | {"data", "model", "training", "graph"},
    "evaluation": BASE | {"data", "__version__"},
    "health": BASE | {"envs", "data", "model", "training", "graph", "control", "agent"},
    "analysis": BASE | {"evaluation"},
    "reproduction": BASE
    | {"__version__", "envs", "data", "model", "training", "graph", "agent", "baselines"}
    | {"evaluation", "analysis"},
}
NO_TORCH = {*BASE, "envs", "data", "graph", "control", "evaluation", "analysis"}
FILES = sorted(SRC.rglob("*.py"))


def room_of(path: Path) -> str:
    return path.relative_to(SRC).parts[0].removesuffix(".py")


def imports(path: Path) -> set[str]:
    """Dotted names a file imports."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(SRC)))
def test_room_imports_only_what_the_map_allows(path: Path) -> None:
    room = room_of(path)
    if room not in MAY_IMPORT:  # __init__, cli and web may join rooms
        return
    names = imports(path)
    rooms = {n.split(".")[1] for n in names if n.startswith("ncs.")} - {room}
    assert rooms <= MAY_IMPORT[room], f"{room} may not import {rooms - MAY_IMPORT[room]}"
    if room in NO_TORCH:
        assert not any(n.split(".")[0] == "torch" for n in names), f"{room} must not import torch"


def test_only_the_nonfactorised_rival_borrows_the_graph() -> None:
    borrowers = {
        path.name
        for path in FILES
        if room_of(path) == "baselines" and any(n.startswith("ncs.graph") for n in imports(path))
    }
    assert borrowers <= {"nonfactorised.py"}


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(SRC)))
def test_only_the_command_line_prints(path: Path) -> None:
    if room_of(path) in {"cli", "web"}:
        return
    calls = [n for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.Call)]
    assert not any(isinstance(c.func, ast.Name) and c.func.id == "print" for c in calls)


def names_of_worlds() -> list[str]:
    """How a world can be named: by its name, Gymnasium's id, its folder or its class."""
    found = []
    for name in built_in("world"):
        world = find_world(name)
        module, _, made = str(world.make).partition(":")
        found += [name, world.gymnasium_id, module.rpartition(".")[0], made]
    return found


OUTSIDE = sorted(
    path
    for path in SRC.rglob("*")
    if path.is_file()
    and path.suffix not in (".pyc", ".safetensors")
    and path.relative_to(SRC).parts[0] != "envs"
    and "suites" not in path.parts  # frozen tasks, in files named after their world
)


@pytest.mark.parametrize("path", OUTSIDE, ids=lambda p: str(p.relative_to(SRC)))
def test_no_world_is_named_outside_its_own_folder(path: Path) -> None:
    text = path.read_text().lower()
    assert [name for name in names_of_worlds() if name.lower() in text] == []


WORLD_FOLDERS = [
    str(find_world(name).make).split(":")[0].split(".")[2] for name in built_in("world")
]


@pytest.mark.parametrize("folder", WORLD_FOLDERS)
def test_a_world_knows_no_other(folder: str) -> None:
    for path in sorted((SRC / "envs" / folder).glob("*.py")):
        others = {n.split(".")[2] for n in imports(path) if n.startswith("ncs.envs.")} - {folder}
        assert not others & set(WORLD_FOLDERS), path


@pytest.mark.parametrize(("number", "room"), list(enumerate(ROOMS, 1)))
def test_each_room_says_its_place_in_the_order(number: int, room: str) -> None:
    first_line = (importlib.import_module(f"ncs.{room}").__doc__ or "").splitlines()[0]
    assert first_line.startswith(f"Room {number} of {len(ROOMS)}.")


def test_the_package_docstring_lists_the_rooms_in_order() -> None:
    import ncs

    listed = re.findall(r"^\d+\. ``(\w+)``", ncs.__doc__ or "", re.MULTILINE)
    assert listed == ROOMS


def test_the_map_in_the_readme_names_every_room_in_order() -> None:
    text = (REPOSITORY / "README.md").read_text()
    block = re.search(r"```\nsrc/ncs/\n(.*?)```", text, re.DOTALL)
    assert block, "README.md has no map of src/ncs"
    listed = [line.split()[0] for line in block[1].splitlines() if line.strip()]
    files = {p.name for p in SRC.glob("*.py")} - {"__init__.py", "__main__.py"}
    folders = {p.name for p in SRC.iterdir() if p.is_dir() and p.name != "__pycache__"}
    assert {n for n in listed if n.endswith(".py")} == files
    rooms = [n.removesuffix("/") for n in listed if n.endswith("/")]
    assert set(rooms) == folders
    assert [room for room in rooms if room in ROOMS] == ROOMS
