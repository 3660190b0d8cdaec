"""Episodes are those of the command lines that are told."""

from pathlib import Path

from tests.web.conftest import FOLDER

from ncs.web.catalogue import Catalogue, Folders
from ncs.web.episodes import solve_commands
from ncs.web.schemas import TaskRequest


def test_commands_name_every_choice(tmp_path: Path) -> None:
    catalogue = Catalogue(Folders((FOLDER,), None, (), tmp_path))
    request = TaskRequest(
        model=FOLDER.name, nodes=7, slots=9, choice="argmax", without=("plan", "presence"),
        objects=6, goal="partial", seed=12, place=("0:0.1,0.1",),
    )  # fmt: skip
    collect, graph, solve = solve_commands(catalogue, request)
    assert collect.startswith("ncs collect block-rearrange")
    assert "--nodes 7 --nodes-from-data False" in graph
    for words in (
        "--slots 9", "--choice argmax", "--without plan presence", "--objects 6",
        "--goal partial", "--seed 12", "--place 0:0.1,0.1", f"--graph {tmp_path}",
    ):  # fmt: skip
        assert words in solve
