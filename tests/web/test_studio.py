"""One thread does the work, and no more waits for it than it can soon do."""

import asyncio
import threading
from pathlib import Path

import numpy as np
import pytest
from tests.web.conftest import FOLDER

from ncs.web.asks import ModelAsk, TaskAsk
from ncs.web.shelf import Places, Shelf
from ncs.web.studio import MOST_WAITING, BusyError, Studio, describe_graph


@pytest.fixture
def studio(tmp_path: Path) -> Studio:
    return Studio(Shelf(Places((FOLDER,), None, (), tmp_path)))


def test_what_is_too_much_is_refused_at_once(studio: Studio) -> None:
    gate = threading.Event()

    async def crowd() -> list[object]:
        jobs = [asyncio.create_task(studio.do(gate.wait)) for _ in range(MOST_WAITING + 4)]
        done, _ = await asyncio.wait(jobs, return_when=asyncio.FIRST_COMPLETED)
        assert len(done) == 4  # refused while the others wait
        gate.set()
        return await asyncio.gather(*jobs, return_exceptions=True)

    answers = asyncio.run(crowd())
    assert answers.count(True) == MOST_WAITING
    assert sum(isinstance(answer, BusyError) for answer in answers) == 4
    assert asyncio.run(studio.do(threading.get_ident)) != threading.get_ident()
    studio.close()


def test_commands_name_every_choice(studio: Studio) -> None:
    ask = TaskAsk(
        model=FOLDER.name, nodes=7, slots=9, choice="argmax", without=("order", "doubt"),
        objects=6, goal="partial", seed=12, place=("0:0.1,0.1",),
    )  # fmt: skip
    collect, graph, solve = studio.commands(ask, studio.shelf.mind(FOLDER.name, "best"))
    assert collect.startswith("ncs collect block-rearrange")
    assert "--nodes 7 --nodes-from-data False" in graph
    for words in (
        "--slots 9", "--choice argmax", "--without order doubt", "--objects 6", "--goal partial",
        "--seed 12", "--place 0:0.1,0.1", f"--graph {studio.shelf.places.work}",
    ):  # fmt: skip
        assert words in solve
    studio.close()


def test_a_graph_of_three_nodes_has_no_tsne_and_says_so(studio: Studio) -> None:
    graph = studio.shelf.mind(FOLDER.name, "best").graph
    few = type(graph)(
        node=graph.node[:3], action=graph.action[:3, :3], count=graph.count[:3, :3],
        mask=graph.mask[:3], spread=np.zeros((0, 0), np.float32),
    )  # fmt: skip
    told = describe_graph(few)
    assert told["no_tsne"] == "t-SNE needs four nodes at least"
    assert all(node["tsne"] is None for node in told["nodes"])
    assert all(edge["spread"] is None for edge in told["edges"])
    assert len(studio.graph(ModelAsk(model=FOLDER.name))["nodes"]) == len(graph.node)
    studio.close()
