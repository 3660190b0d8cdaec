"""Algorithm 2 as a whole."""

import json

import numpy as np
import pytest

from ncs.control import ControlConfig, Memory, decide, explain
from ncs.control.config import EXTENSIONS
from ncs.graph import GraphConfig, build

WORLD = "block-rearrange"
CORNER = np.array([[-1.0, -1], [1, -1], [1, 1], [-1, 1]])
MODES = {"paper": ControlConfig.paper(), "best": ControlConfig.best()}


@pytest.fixture(scope="module")
def graphs(sim):
    """A paper graph over masks and a best one over blurred places."""
    rng = np.random.default_rng(0)
    exact = sim.Eyes(background=True)
    blurred = sim.Eyes(n_empty=3, place_noise=0.02, type_noise=0.01, type_drift=0.02)
    return {
        "paper": (exact, build(sim.collect(700, exact, rng), GraphConfig.paper(WORLD), rng)),
        "best": (blurred, build(sim.collect(200, blurred, rng), GraphConfig.best(WORLD), rng)),
    }


def success(sim, graphs, mode, n, goal, episodes=40):
    eyes, graph = graphs[mode]
    rng = np.random.default_rng(n)
    tasks = (sim.Grid.draw(n, goal, rng) for _ in range(episodes))
    return np.mean([sim.play(task, eyes, graph, MODES[mode], rng)[0] for task in tasks])


def choose(graph, now, goal, mode, sim, memory=None):
    rng = np.random.default_rng(0)
    return decide(now, goal, graph, MODES[mode], memory or Memory(), rng, sim.arena)


@pytest.mark.parametrize("mode", ["paper", "best"])
@pytest.mark.parametrize("goal", ["complete", "partial"])
@pytest.mark.parametrize("n", [4, 5, 6, 7])
def test_with_perfect_eyes_rearrangement_is_solved(sim, graphs, mode, goal, n):
    assert success(sim, graphs, mode, n, goal) >= 0.99


@pytest.mark.parametrize("n", [9, 10, 12])
def test_occupied_goals_are_solved_by_ordering(sim, graphs, n):
    assert success(sim, graphs, "best", n, "complete", episodes=25) >= 0.99


def test_an_overlooked_object_is_found_by_a_second_look(sim, graphs):
    _, graph = graphs["best"]
    eyes = sim.Eyes(n_empty=2, place_noise=0.02, type_noise=0.01, miss=0.05)
    rng = np.random.default_rng(3)
    scores = [
        sim.play(sim.Grid.draw(6, "complete", rng), eyes, graph, MODES["best"], rng)[0]
        for _ in range(25)
    ]
    assert np.mean(scores) >= 0.98


def test_a_confusion_of_look_alikes_is_undone(sim, graphs, rng):
    eyes, graph = graphs["best"]
    grid = sim.Grid.draw(4, "complete", rng)
    grid.colours[1] = grid.colours[0] + 0.02
    goal = eyes.see(grid.goals, grid.colours[[1, 0, 2, 3]], rng)  # two colours mistaken
    memory = Memory()
    for _ in range(16):
        now = eyes.see(grid.cells, grid.colours, rng)
        decision = decide(now, goal, graph, MODES["best"], memory, rng, sim.arena)
        memory = decision.memory
        grid.step(decision.action)
        if grid.unmet() == 0:
            break
    assert grid.unmet() == 0


def test_every_extension_is_off_in_the_paper_preset_and_on_in_the_best():
    for name in EXTENSIONS:
        assert getattr(MODES["paper"], name) is False
        assert getattr(MODES["best"], name) is True
    switches = set(ControlConfig.model_fields) - {"choice"}
    assert switches == set(EXTENSIONS)


@pytest.mark.parametrize("name", EXTENSIONS)
def test_every_extension_works_alone_and_can_be_left_out(sim, graphs, name):
    eyes, graph = graphs["best"]
    rng = np.random.default_rng(1)
    alone = ControlConfig(**{name: True})
    without = ControlConfig.best().model_copy(update={name: False})
    for config in (alone, without):
        _, decisions = sim.play(sim.Grid.draw(5, "complete", rng), eyes, graph, config, rng)
        assert all(np.isfinite(decision.action).all() for decision in decisions)


def test_an_edge_is_taken_from_the_bound_nodes(sim, square, scene):
    found = choose(square(), scene(CORNER[[0]]), scene(CORNER[[1]]), "paper", sim)
    assert (found.kind, found.node_from, found.node_to, found.support) == ("edge", 0, 1, 3)
    np.testing.assert_allclose(found.action, square().action[0, 1])
    assert "seen 3 times" in found.reason


def test_without_an_edge_the_paper_acts_at_random(sim, square, scene):
    found = choose(square(), scene(CORNER[[2]]), scene(CORNER[[0]]), "paper", sim)
    assert found.kind == "random"
    assert found.action[2] == np.float32(sim.arena.height)
    assert found.node_from is None


def test_a_decision_is_plain_json(sim, square, scene):
    found = choose(square(), scene(CORNER[:2]), scene(CORNER[[1, 0]]), "best", sim)
    told = json.loads(json.dumps(explain(found), allow_nan=False))
    assert told["purpose"] == "park"
    assert told["pairs"][0] == {
        "goal": 0,
        "now": 0,
        "cost": 0.0,
        "distance": 2.0,
        "settled": False,
        "blockers": [1],
    }


def test_the_same_seed_gives_the_same_decision(sim, graphs):
    for mode, (eyes, graph) in graphs.items():
        grid = sim.Grid.draw(5, "complete", np.random.default_rng(0))
        now, goal = (
            eyes.see(cells, grid.colours, np.random.default_rng(1))
            for cells in (grid.cells, grid.goals)
        )
        a, b = (choose(graph, now, goal, mode, sim) for _ in range(2))
        np.testing.assert_array_equal(a.action, b.action)
        assert explain(a) == explain(b)


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
    found = choose(square(), scene(CORNER[[0]]), scene(CORNER[[1, 2, 3]]), mode, sim)
    assert len(found.pairs) == 1
    found = choose(square(), scene(CORNER[[1, 2, 3]]), scene(CORNER[[0]]), mode, sim)
    assert len(found.pairs) == 1


def test_a_scene_of_nothing_but_background_is_stirred(sim, square, scene):
    empty = scene(CORNER[:2], presence=[False, False])
    found = choose(square(), empty, scene(CORNER[:2]), "best", sim)
    assert (found.kind, found.purpose, found.pairs) == ("random", "nothing", ())
    assert json.dumps(explain(found))


def test_a_goal_of_nothing_but_background_asks_for_nothing(sim, square, scene):
    empty = scene(CORNER[:2], presence=[False, False])
    found = choose(square(), scene(CORNER[:2]), empty, "best", sim)
    assert found.kind == "done"
    assert (found.action[3:] == 0).all()


@pytest.mark.parametrize("mode", MODES)
def test_a_picture_without_any_slot(sim, square, scene, mode):
    none = scene(np.zeros((0, 2)))
    assert choose(square(), none, scene(CORNER), mode, sim).kind == "random"
    assert choose(square(), scene(CORNER), none, mode, sim).kind == "done"


@pytest.mark.parametrize("mode", MODES)
def test_two_objects_of_the_same_colour_get_one_goal_each(sim, square, scene, mode):
    now, goal = scene(CORNER[:2], kind=[5, 5]), scene(CORNER[[2, 3]], kind=[5, 5])
    found = choose(square(), now, goal, mode, sim)
    assert sorted(pair.now for pair in found.pairs) == [0, 1]


def test_a_satisfied_goal_is_left_in_order(sim, graphs, rng):
    eyes, graph = graphs["best"]
    grid = sim.Grid.draw(5, "complete", rng)
    grid.cells = grid.goals.copy()
    grid.colours = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [0, 1, 1.0]])
    goal = eyes.see(grid.goals, grid.colours, rng)
    memory = Memory()
    for _ in range(10):
        now = eyes.see(grid.cells, grid.colours, rng)
        found = decide(now, goal, graph, MODES["best"], memory, rng, sim.arena)
        memory = found.memory
        assert found.purpose == "recheck"
        grid.step(found.action)
    assert grid.unmet() == 0


def test_a_satisfied_goal_means_a_random_action_in_the_paper(sim, square, scene):
    assert choose(square(), scene(CORNER), scene(CORNER), "paper", sim).kind == "random"


@pytest.mark.parametrize("mode", MODES)
def test_an_empty_graph_means_random_actions(sim, square, scene, mode):
    none3, none2 = np.zeros((0, 3), np.float32), np.zeros((0, 2), np.float32)
    empty = square(
        node=none2,
        action=np.zeros((0, 0, 6), np.float32),
        count=np.zeros((0, 0), np.int64),
        mask=np.zeros((0, 4), np.float32),
        pick=none3,
        place=none3,
        world=np.zeros((0, 3)),
        offset=none3,
        still=0.0,
        gap=0.0,
    )
    found = choose(empty, scene(CORNER), scene(CORNER[[1, 0, 3, 2]]), mode, sim)
    assert found.kind == "random"
    assert "random" in found.reason
