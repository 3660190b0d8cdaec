"""A decision in words names what it rests on."""

import numpy as np
import pytest

from ncs.control import ControlConfig, Memory, decide
from ncs.control.config import EXTENSIONS
from ncs.control.words import say_why
from ncs.graph import Arena
from ncs.records import Entities, Graph

ARENA = Arena(low=np.full(2, -1.0), high=np.full(2, 1.0), height=0.0)
PLACES = np.array([[-0.5, 0.0], [0.5, 0.0], [0.0, 0.5]], np.float32)


def scene(*places: int, colours: tuple[float, ...] = (0.0, 1.0)) -> Entities:
    n = len(places)
    kind = np.array([[colour] * 2 for colour in colours[:n]], np.float32)
    mask = np.eye(3, dtype=np.float32)[list(places)]
    confidence = np.full(n, 0.75, np.float32)
    return Entities(kind, PLACES[list(places)], mask, np.ones(n, bool), confidence)


def graph(edges: dict[tuple[int, int], int]) -> Graph:
    action = np.full((3, 3, 6), np.nan, np.float32)
    count = np.zeros((3, 3), np.int64)
    for (i, j), seen in edges.items():
        action[i, j] = [*PLACES[i], 0, *(PLACES[j] - PLACES[i]), 0]
        count[i, j] = seen
    pick = np.column_stack([PLACES, np.zeros(3)]).astype(np.float32)
    whiten = np.eye(2, dtype=np.float32)
    mask = np.eye(3, dtype=np.float32)
    return Graph(
        PLACES, action, count, mask, pick=pick, place=pick, still=0.1, whiten=whiten
    )  # fmt: skip


def words(now: Entities, goal: Entities, known: Graph, **switches: object) -> list[str]:
    config = ControlConfig(**switches)  # type: ignore[arg-type]
    decision = decide(now, goal, known, config, Memory(), np.random.default_rng(0), ARENA)
    return say_why(decision, now, goal, known, config)


def test_pair_certainty_edge_and_support_are_named() -> None:
    match, purpose, edge = words(scene(0), scene(1), graph({(0, 1): 7}))
    assert match.startswith("Goal slot 0 is matched with scene slot 0")
    assert "75% sure" in match
    assert purpose.startswith("It is 1 from its goal, the only constraint")
    assert edge == "Its action is the edge's: the edge from node 0 to node 1 was seen 7 times."


def test_the_rival_is_the_next_likeliest_slot() -> None:
    now = scene(0, 2, colours=(0.0, 3.0))
    match, *_ = words(now, scene(1, 2, colours=(0.0, 3.0)), graph({(0, 1): 7}), settled=True)
    assert "their types differ by 0, the next likeliest slot's by " in match
    assert not match.endswith("nothing")


@pytest.mark.parametrize(
    ("start", "end", "edges", "said"),
    [
        (0, 1, {(1, 0): 2}, "No move from node 0 to node 1 was ever seen"),
        (0, 0, {(1, 0): 2}, "Both places fall into node 0"),
    ],
)
def test_a_random_action_says_why(
    start: int, end: int, edges: dict[tuple[int, int], int], said: str
) -> None:
    *_, edge = words(scene(start), scene(end), graph(edges))
    assert edge.startswith(said)
    assert edge.endswith("the action is random.")


def test_a_composed_action_admits_that_nothing_was_seen() -> None:
    *_, edge = words(scene(0), scene(1), graph({(1, 0): 2}), composed=True)
    assert edge.startswith("As no move from node 0 to node 1 was ever seen")


def test_a_path_names_its_end() -> None:
    *_, edge = words(scene(0), scene(1), graph({(0, 2): 3, (2, 1): 4}), shortest_path=True)
    assert edge == (
        "No edge leads to node 1; on the shortest way there the edge from node 0 to node 2 was "
        "seen 3 times."
    )


def test_an_empty_goal_is_one_sentence() -> None:
    nothing = scene(0)
    nothing = Entities(nothing.kind, nothing.state, nothing.mask, np.zeros(1, bool))
    assert words(scene(1), nothing, graph({(0, 1): 1}), presence=True) == [
        "The goal shows no entity, so there is nothing to do."
    ]


def test_every_switch_together_still_speaks() -> None:
    known = graph({(0, 1): 7, (1, 0): 7})
    switches = {name: True for name in EXTENSIONS if name != "residual"}
    assert len(words(scene(0, 1), scene(1, 0), known, **switches)) == 3
    assert "least certain" in " ".join(words(scene(0), scene(0), known, **switches))
