"""A decision in words names what it rests on, from the first step to the last."""

import json

import numpy as np
import pytest

from ncs.control import ControlConfig, Decision, Problem, decide, describe
from ncs.control.explain import length, say_apart, say_likeness, say_why
from ncs.graph import Arena, GraphConfig, build
from ncs.records import Calibration, Entities, Graph

ARENA = Arena(low=np.array([-1.0, -1.0, 0.0]), high=np.array([1.0, 1.0, 0.0]))
PLACES = np.array([[-0.5, 0.0], [0.5, 0.0], [0.0, 0.5]], np.float32)
CORNER = np.array([[-1.0, -1], [1, -1], [1, 1], [-1, 1]])


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
    known = Calibration(
        still=0.1,
        gap=0.0,
        error=0.0,
        outliers=0.0,
        pick=pick,
        place=pick,
        world=np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0.0]]),
        offset=np.zeros((3, 3), np.float32),
    )
    return Graph(PLACES, action, count, np.eye(3, dtype=np.float32), calibration=known)


def decided(now: Entities, goal: Entities, known: Graph, *extensions: str) -> Decision:
    problem = Problem(now, goal, known, ARENA, np.random.default_rng(0))
    return decide(problem, ControlConfig(choice="argmax", extensions=extensions).steps())


def words(*arguments) -> list[str]:
    return say_why(decided(*arguments))


def test_pair_certainty_edge_and_support_are_named() -> None:
    match, purpose, edge = words(scene(0), scene(1), graph({(0, 1): 7}))
    assert match == (
        "Goal slot 0 is matched with scene slot 0: there is no other to confuse it with; the model "
        "is 75% sure of what it sees in both."
    )
    assert purpose == "What goal slot 0 asks for is 1.0 m away, all that does not hold."
    assert edge == "The action is the edge's: the edge from node 0 to node 1 was seen 7 times."


@pytest.mark.parametrize(
    ("own", "rival", "said"),
    [
        (0.0, None, "no other to confuse it with"),
        (0.0, 3.0, "no other comes near"),
        (1.0, 10.0, "no other comes near"),
        (1.0, 2.1, "it is twice as alike as the next"),
        (1.0, 4.9, "it is 5 times as alike as the next"),
        (1.0, 1.2, "hardly more alike than the next"),
        (1.0, 0.9, "another is more alike"),
    ],
)
def test_a_match_is_told_by_how_it_stands_out(own: float, rival: float | None, said: str) -> None:
    assert said in say_likeness(own, rival)


def test_the_rival_is_the_next_likeliest_slot() -> None:
    now = scene(0, 2, colours=(1.0, 3.0))
    goal = scene(1, 2, colours=(0.0, 3.0))
    match, *_ = words(now, goal, graph({(0, 1): 7}))
    assert "by type it is three times as alike as the next;" in match


def test_distances_are_those_of_the_table() -> None:
    found = decided(scene(0, 1), scene(1, 2), graph({(0, 1): 7}))
    assert say_apart(found) == ["1.0 m", "71 cm"]
    assert [length(metres) for metres in (0.123, 0.004)] == ["12 cm", "4 mm"]


def test_of_several_open_constraints_the_number_is_told() -> None:
    _, purpose, _ = words(scene(0, 1), scene(1, 2), graph({(0, 1): 7}))
    assert purpose == "What goal slot 0 asks for is 1.0 m away, one of 2 that do not hold."


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


def test_a_move_that_failed_is_the_reason_for_a_random_one() -> None:
    now, goal, known = scene(0), scene(1), graph({(0, 1): 7})
    steps = ControlConfig(choice="argmax", extensions=("distrust",)).steps()
    problem = Problem(now, goal, known, ARENA, np.random.default_rng(0))
    assert decide(problem, steps).kind == "edge"
    assert say_why(decide(problem, steps))[-1] == (
        "The move from node 0 to node 1 failed before, so the action is random."
    )


def test_a_graph_without_nodes_is_the_reason(sim, empty) -> None:
    states = np.zeros((1, 2), np.float32)
    one = Entities(states, states, np.zeros((1, 4), np.float32), np.ones(1, bool))
    found = sim.answer(empty, one, one, ControlConfig.paper())
    assert say_why(found)[-1] == "The graph has no nodes, so the action is random."


def test_a_composed_action_admits_that_nothing_was_seen() -> None:
    *_, edge = words(scene(0), scene(1), graph({(1, 0): 2}), "composed")
    assert edge.startswith("As no move from node 0 to node 1 was ever seen, it picks")


def test_an_aimed_action_says_so() -> None:
    *_, edge = words(scene(0), scene(1), graph({(0, 1): 2}), "residual")
    assert edge == (
        "The action aims at the exact places of both; the edge from node 0 to node 1 was seen 2 "
        "times."
    )


def test_parking_names_who_makes_way_for_whom() -> None:
    found = decided(scene(0, 1), scene(1, 0), graph({}), "composed", "plan")
    assert say_why(found)[1] == (
        "No open goal can be served yet, so scene slot 1 is put aside to make way for goal slot 0."
    )


def test_an_empty_goal_is_one_sentence() -> None:
    nothing = scene(0)
    nothing = Entities(nothing.kind, nothing.state, nothing.mask, np.zeros(1, bool))
    found = decided(scene(1), nothing, graph({(0, 1): 1}), "presence")
    assert say_why(found) == ["The goal shows no entity, so there is nothing to do."]
    assert found.reason == say_why(found)[0]


def test_an_empty_scene_is_one_sentence() -> None:
    nothing = scene(0)
    nothing = Entities(nothing.kind, nothing.state, nothing.mask, np.zeros(1, bool))
    found = decided(nothing, scene(1), graph({(0, 1): 1}), "presence")
    assert say_why(found) == ["No entity is seen in the scene, so the action is random."]


def test_when_all_holds_it_is_said() -> None:
    _, purpose, _ = words(scene(0), scene(0), graph({}), "composed")
    assert purpose == "Every constraint seems to hold; goal slot 0, 0 mm off, is put right."


def test_one_that_holds_among_others_that_do_not_is_told_from_them(sim, square) -> None:
    now, goal = scene(0, 1), scene(0, 2)

    def first(steps):
        return lambda problem, pairs: steps(problem, pairs.only(pairs.goal == 0))

    from dataclasses import replace

    steps = ControlConfig().steps()
    steps = replace(steps, select=first(steps.select))
    problem = Problem(now, goal, graph({}), ARENA, np.random.default_rng(0))
    _, purpose, _ = say_why(decide(problem, steps))
    assert purpose.startswith("What goal slot 0 asks for seems to hold, and nothing forbids")


def test_every_reason_of_an_episode_fits_what_is_seen_then(sim) -> None:
    """The count of open constraints in the words is that of the pairs, at the last step too."""
    rng = np.random.default_rng(0)
    eyes = sim.Eyes(n_empty=2)
    known = build(sim.collect(150, eyes, rng), GraphConfig(n_nodes=16), rng)
    grid = sim.Grid.draw(5, "complete", rng)
    score, decisions = sim.play(grid, eyes, known, ControlConfig.best(), rng)
    assert score == 1
    told = [describe(decision) for decision in decisions]
    for step in told:
        unmet = sum(not pair["settled"] for pair in step["pairs"])
        ending = "all that does not hold." if unmet == 1 else f"one of {unmet} that do not hold."
        assert step["why"][1].endswith(ending)
        assert not step["holds"]
    assert told[-1]["why"][1].endswith("all that does not hold.")


def test_a_description_is_plain_json(sim, square) -> None:
    kind = np.arange(2, dtype=np.float32)[:, None] * [10, 10, 10]
    now = Entities(kind, CORNER[:2], np.zeros((2, 4)), np.ones(2, bool))
    goal = Entities(kind, CORNER[[1, 0]], np.zeros((2, 4)), np.ones(2, bool))
    found = sim.answer(square(), now, goal, ControlConfig.best())
    told = json.loads(json.dumps(describe(found), allow_nan=False))
    assert told["purpose"] == "park"
    pair = {"goal": 0, "now": 0, "cost": 0, "distance": 2, "apart": "20 cm", "settled": False}
    assert told["pairs"][0] == pair
    assert (told["chosen"], told["moved"], told["node_from"]) == (0, 1, 1)
    assert told["reason"] == " ".join(told["why"][1:]) == found.reason
