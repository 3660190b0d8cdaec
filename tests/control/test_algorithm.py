"""Algorithm 2 as a whole, and its steps one by one."""

import inspect
import sys
from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ncs.control import ControlConfig, GraphPolicy, Problem, Steps, algorithm, decide, describe
from ncs.control.algorithm import align, edge, furthest, select
from ncs.graph import GraphConfig, build
from ncs.records import Entities, Graph

CORNER = np.array([[-1.0, -1], [1, -1], [1, 1], [-1, 1]])
PAPER_GRAPH = GraphConfig(
    representation="alpha",
    n_nodes=30,
    isolate_metric="cosine",
    cluster_metric="iou",
    bind_metric="cosine",
    initialisation="forgy",
    restarts=1,
    max_states=10**9,
)
BEST_GRAPH = GraphConfig(n_nodes=64, nodes_from_data=True, edges="median")
MODES = {"paper": ControlConfig.paper(), "best": ControlConfig.best()}


@pytest.fixture(scope="module")
def graphs(sim):
    """A paper graph over masks and a best one over blurred places."""
    rng = np.random.default_rng(0)
    exact = sim.Eyes(background=True)
    blurred = sim.Eyes(n_empty=3, place_noise=0.02, type_noise=0.01, type_drift=0.02)
    return {
        "paper": (exact, build(sim.collect(700, exact, rng), PAPER_GRAPH, rng)),
        "best": (blurred, build(sim.collect(200, blurred, rng), BEST_GRAPH, rng)),
    }


def success(sim, graphs, mode, n, goal, episodes=40):
    eyes, graph = graphs[mode]
    rng = np.random.default_rng(n)
    tasks = [sim.Grid.draw(n, goal, rng) for _ in range(episodes)]
    return np.mean([sim.play(task, eyes, graph, MODES[mode], rng)[0] for task in tasks])


@pytest.mark.parametrize("mode", ["paper", "best"])
@pytest.mark.parametrize("goal", ["complete", "partial"])
@pytest.mark.parametrize("n", [4, 5, 6, 7])
def test_with_perfect_eyes_rearrangement_is_solved(sim, graphs, mode, goal, n):
    assert success(sim, graphs, mode, n, goal) >= 0.98  # colours may be alike by chance


@pytest.mark.parametrize("n", [9, 10, 12])
def test_occupied_goals_are_solved_by_ordering(sim, graphs, n):
    assert success(sim, graphs, "best", n, "complete", episodes=25) >= 0.99


# The listing itself.


def test_decide_reads_as_the_papers_listing():
    body = inspect.getsource(decide)
    found = [body.index(word) for word in ("align(", "select(", "bind(", "act(")]
    assert found == sorted(found)
    assert len(inspect.getsource(algorithm).splitlines()) <= 100  # one screen


def test_a_decision_of_the_paper_passes_few_functions(sim, graphs, rng):
    eyes, graph = graphs["paper"]
    graph = replace(graph, count=graph.count * (rng.random(graph.count.shape) < 0.5))
    grid = sim.Grid.draw(5, "complete", rng)
    shown = {
        0: eyes.see(grid.cells, grid.colours, rng),
        255: eyes.see(grid.goals, grid.colours, rng),
    }
    policy = GraphPolicy(
        lambda image, lanes: [shown[int(one[0, 0, 0])] for one in image],
        graph,
        ControlConfig.paper(),
        sim.arena,
    )
    policy.begin([[0]])
    image, passed = np.zeros((1, 2, 2, 3), np.uint8), set()

    def note(frame, event, _):
        code = frame.f_code
        rooms = ("/ncs/control/", "/ncs/graph/")
        if event == "call" and any(room in code.co_filename for room in rooms):
            passed.add((code.co_filename, code.co_qualname.removesuffix(".<locals>.<listcomp>")))

    policy.act(image, image + 255, [0])  # the goal is looked at once
    sys.setprofile(note)
    try:
        for _ in range(20):
            policy.act(image, image + 255, [0])
    finally:
        sys.setprofile(None)
    names = {name for _, name in passed}
    assert {"decide", "align", "select", "bind", "edge", "random_action"} <= names
    assert len(passed) <= 15, sorted(names)
    assert not any("extensions/" in file for file, _ in passed)


def test_a_step_that_is_passed_in_is_the_one_that_is_taken(sim, square, scene):
    def first(problem, pairs):
        return algorithm.serve(problem, pairs, 0)

    now, goal = scene(CORNER[[0, 1]]), scene(CORNER[[1, 3]])
    assert sim.answer(square(), now, goal, Steps(select=furthest)).choice.goal == 1
    assert sim.answer(square(), now, goal, Steps(select=first)).choice.goal == 0


# Align.


def matched(goal_KD, now_JD):
    """The partner of each goal entity, -1 for none, and what the matching costs."""

    def entities(kind):
        kind = np.asarray(kind, np.float32)
        n = len(kind)
        return Entities(kind, np.zeros((n, 2), np.float32), np.zeros((n, 1)), np.ones(n, bool))

    none = np.zeros((0, 2), np.float32)
    graph = Graph(none, np.zeros((0, 0, 6), np.float32), np.zeros((0, 0), np.int64), none)
    problem = Problem(entities(now_JD), entities(goal_KD), graph, None, None)
    pairs = align(problem)
    partner = np.full(len(goal_KD), -1)
    partner[pairs.goal] = pairs.now
    return partner, pairs.cost


@given(seed=st.integers(0, 999), slots=st.integers(1, 8))
def test_a_shuffle_is_undone(seed, slots):
    rng = np.random.default_rng(seed)
    goal = rng.normal(size=(slots, 4))
    order = rng.permutation(slots)
    partner, cost = matched(goal, goal[order])
    np.testing.assert_array_equal(order[partner], np.arange(slots))
    np.testing.assert_allclose(cost, 0, atol=1e-6)


@given(seed=st.integers(0, 9999), slots=st.integers(1, 6))
@settings(max_examples=30, deadline=None)
def test_no_other_matching_is_cheaper(seed, slots):
    rng = np.random.default_rng(seed)
    goal, now = rng.normal(size=(2, slots, 3)).astype(np.float32)
    between = np.linalg.norm(goal[:, None] - now[None], axis=-1)
    row = np.arange(slots)
    cheapest = min(between[row, list(order)].sum() for order in permutations(range(slots)))
    assert matched(goal, now)[1].sum() == pytest.approx(cheapest, rel=1e-5)


def test_more_goals_than_entities_leave_the_dearest_goals_alone():
    partner, cost = matched([[1.0], [0.5], [2]], [[0.0]])
    np.testing.assert_array_equal(partner, [-1, 0, -1])
    np.testing.assert_allclose(cost, [0.5])


@pytest.mark.parametrize(("goals", "slots"), [(0, 3), (3, 0), (0, 0)])
def test_nothing_matches_nothing(goals, slots):
    partner, cost = matched(np.zeros((goals, 2)), np.zeros((slots, 2)))
    assert (partner == -1).all()
    assert len(cost) == 0


# Select.


def drawn(sim, square, scene, now, goal, step, times):
    problem = sim.pose(square(), scene(now), scene(goal))
    pairs = align(problem)
    return (
        np.bincount([step(problem, pairs).goal for _ in range(times)], minlength=len(now)) / times
    )


def test_a_constraint_is_drawn_in_proportion_to_its_distance(sim, square, scene):
    now = np.array([[0.0, 0], [0, 0], [0, 0]])
    goal = np.array([[1.0, 0], [0, 0], [0, 3]])
    share = drawn(sim, square, scene, now, goal, select, 4000)
    np.testing.assert_allclose(share, [0.25, 0, 0.75], atol=0.03)


def test_when_all_hold_every_one_is_as_good(sim, square, scene):
    share = drawn(sim, square, scene, CORNER, CORNER, select, 4000)
    np.testing.assert_allclose(share, 0.25, atol=0.03)


def test_the_furthest_is_chosen_without_drawing(sim, square, scene):
    goal = np.array([[1.0, 0], [0, 0], [0, 3]])
    share = drawn(sim, square, scene, np.zeros((3, 2)), goal, furthest, 5)
    assert share.tolist() == [0, 0, 1]
    assert drawn(sim, square, scene, CORNER, CORNER, furthest, 1)[0] == 1  # the lowest of equals


# Bind and edge.


def test_an_edge_is_taken_from_the_bound_nodes(sim, square, scene):
    found = sim.answer(square(), scene(CORNER[[0]]), scene(CORNER[[1]]), MODES["paper"])
    assert (found.kind, found.node_from, found.node_to) == ("edge", 0, 1)
    np.testing.assert_allclose(found.action, square().action[0, 1])


@pytest.mark.parametrize(("i", "j"), [(0, 2), (1, 0), (2, 2)])
def test_without_an_edge_the_paper_acts_at_random(sim, square, scene, i, j):
    problem = sim.pose(square(), scene(CORNER[[i]]), scene(CORNER[[j]]))
    assert edge(problem, select(problem, align(problem)), i, j) is None
    found = decide(problem, Steps())
    assert found.kind == "random"
    assert found.action[2] == np.float32(sim.arena.height)


def test_the_same_seed_gives_the_same_decision(sim, graphs):
    for mode, (eyes, graph) in graphs.items():
        grid = sim.Grid.draw(5, "complete", np.random.default_rng(0))
        now, goal = (
            eyes.see(cells, grid.colours, np.random.default_rng(1))
            for cells in (grid.cells, grid.goals)
        )
        a, b = (sim.answer(graph, now, goal, MODES[mode]) for _ in range(2))
        np.testing.assert_array_equal(a.action, b.action)
        assert describe(a) == describe(b)


# What must have an answer whatever happens.


@pytest.mark.parametrize("mode", MODES)
def test_fewer_objects_than_slots(sim, graphs, mode, rng):
    _, graph = graphs[mode]
    eyes = sim.Eyes(n_empty=6)
    grid = sim.Grid.draw(2, "complete", rng)
    score, _ = sim.play(grid, eyes, graph, MODES[mode], rng)
    assert score == 1 or mode == "paper"  # the paper's control cannot know which slots are empty


@pytest.mark.parametrize("mode", MODES)
def test_more_objects_than_slots(sim, square, scene, mode):
    found = sim.answer(square(), scene(CORNER[[0]]), scene(CORNER[[1, 2, 3]]), MODES[mode])
    assert len(found.pairs) == 1
    found = sim.answer(square(), scene(CORNER[[1, 2, 3]]), scene(CORNER[[0]]), MODES[mode])
    assert len(found.pairs) == 1


@pytest.mark.parametrize("mode", MODES)
def test_a_picture_without_any_slot(sim, square, scene, mode):
    none = scene(np.zeros((0, 2)))
    found = sim.answer(square(), none, scene(CORNER), MODES[mode])
    assert (found.kind, found.purpose, found.choice) == ("random", "nothing", None)
    found = sim.answer(square(), scene(CORNER), none, MODES[mode])
    assert (found.kind, found.purpose) == ("idle", "nothing")
    assert (found.action[3:] == 0).all()


@pytest.mark.parametrize("mode", MODES)
def test_two_objects_of_the_same_colour_get_one_goal_each(sim, square, scene, mode):
    now, goal = scene(CORNER[:2], kind=[5, 5]), scene(CORNER[[2, 3]], kind=[5, 5])
    assert sorted(sim.answer(square(), now, goal, MODES[mode]).pairs.now) == [0, 1]


@pytest.mark.parametrize("mode", MODES)
def test_an_empty_graph_means_random_actions(sim, empty, scene, mode):
    found = sim.answer(empty, scene(CORNER), scene(CORNER[[1, 0, 3, 2]]), MODES[mode])
    assert (found.kind, found.node_from, found.node_to) == ("random", -1, -1)


@pytest.mark.parametrize("mode", MODES)
def test_a_graph_without_calibration_is_enough(sim, square, scene, mode):
    plain = square(calibration=None)
    assert sim.answer(plain, scene(CORNER[[0]]), scene(CORNER[[1]]), MODES[mode]).kind == "edge"
    assert sim.answer(plain, scene(CORNER[[2]]), scene(CORNER[[0]]), MODES[mode]).kind == "random"


def test_what_holds_stays_in_order(sim, graphs, rng):
    """All that is asked for holds: the largest difference is put right, which breaks nothing."""
    eyes, graph = graphs["best"]
    grid = sim.Grid.draw(5, "complete", rng)
    grid.cells = grid.goals.copy()
    grid.colours = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [0, 1, 1.0]])
    goal, steps = eyes.see(grid.goals, grid.colours, rng), MODES["best"].steps()
    for _ in range(10):
        now = eyes.see(grid.cells, grid.colours, rng)
        found = decide(Problem(now, goal, graph, sim.arena, rng), steps)
        assert found.holds
        assert found.choice.goal == found.pairs.goal[found.pairs.distance.argmax()]
        grid.step(found.action)
        assert grid.unmet() == 0


def test_what_holds_means_a_random_action_in_the_paper(sim, square, scene):
    found = sim.answer(square(), scene(CORNER), scene(CORNER), MODES["paper"])
    assert found.holds
    assert found.kind == "random"
