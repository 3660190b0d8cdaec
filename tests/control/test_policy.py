"""The agent behind the judge's protocol."""

from dataclasses import replace
from zlib import crc32

import numpy as np
import pytest

from ncs.control import ControlConfig, GraphPolicy
from ncs.envs import make_env
from ncs.graph import Arena, GraphConfig, build
from ncs.records import Policy

WORLD = "block-rearrange"
GRAPH = GraphConfig(n_nodes=64, nodes_from_data=True, edges="median")


@pytest.fixture(scope="module")
def table(sim):
    eyes = sim.Eyes(place_noise=0.01)
    rng = np.random.default_rng(0)
    return eyes, build(sim.collect(150, eyes, rng), GRAPH, rng)


class Double:
    """An encoder that knows the truth: it is told what each lane's pictures show."""

    def __init__(self, eyes):
        self.eyes, self.shows, self.calls = eyes, {}, []

    def __call__(self, image, lanes):
        self.calls.append((len(image), list(lanes)))
        return [self.look(picture.tobytes()) for picture in image]

    def look(self, shown):
        return self.eyes.see(*self.shows[shown], np.random.default_rng(crc32(shown)))


def draw_cells(grid, cells):
    """A 'picture' in which every object colours its cell."""
    picture = np.zeros((4, 4, 3), np.uint8)
    for cell, colour in zip(cells, grid.colours, strict=True):
        if cell >= 0:
            picture[cell // 4, cell % 4] = (colour * 255).astype(np.uint8) + 1
    return picture


def picture(double, grid, cells):
    shown = draw_cells(grid, cells)
    double.shows[shown.tobytes()] = (cells.copy(), grid.colours)
    return shown


def test_lanes_are_played_side_by_side_in_full_batches(sim, table):
    eyes, graph = table
    double = Double(eyes)
    policy: Policy = GraphPolicy(double, graph, ControlConfig.best(), sim.arena)
    rng = np.random.default_rng(1)
    grids = [sim.Grid.draw(4, "complete", rng) for _ in range(3)]
    policy.begin([[7, lane] for lane in range(3)])
    steps = 0
    while steps < 16 and (lanes := [lane for lane in range(3) if grids[lane].unmet()]):
        steps += 1
        now = np.stack([picture(double, grids[i], grids[i].cells) for i in lanes])
        goal = np.stack([picture(double, grids[i], grids[i].goals) for i in lanes])
        for lane, action in zip(lanes, policy.act(now, goal, lanes), strict=True):
            grids[lane].step(action)
    assert [grid.unmet() for grid in grids] == [0, 0, 0]
    assert double.calls[0] == double.calls[1] == (3, [0, 1, 2])  # goals, then scenes
    # From then on scenes alone, all lanes that are left in one batch.
    sizes = [size for size, _ in double.calls[1:]]
    assert len(sizes) == steps
    assert sizes == sorted(sizes, reverse=True)


@pytest.mark.parametrize("preset", ["paper", "best"])
def test_a_lane_plays_the_same_alone_as_in_company(sim, preset):
    """Random actions included: the graph knows too few moves for it to do without."""
    rng = np.random.default_rng(2)
    exact = sim.Eyes()
    graph = build(sim.collect(4, exact, rng), GraphConfig(n_nodes=16), rng)
    tasks = [sim.Grid.draw(5, "complete", rng) for _ in range(3)]

    def actions_of_lane_2(lanes):
        double, grids = Double(exact), {lane: replace(tasks[lane]) for lane in lanes}
        config = getattr(ControlConfig, preset)().changed(without=["composed"])
        policy = GraphPolicy(double, graph, config, sim.arena)
        policy.begin([[3, lane] for lane in range(3)])
        actions, kinds = [], set()
        for _ in range(8):
            now = np.stack([picture(double, grids[i], grids[i].cells) for i in lanes])
            goal = np.stack([picture(double, grids[i], grids[i].goals) for i in lanes])
            for lane, action in zip(lanes, policy.act(now, goal, lanes), strict=True):
                grids[lane].step(action)
            actions.append(action)  # of the last lane, 2
            kinds.add(policy.decisions[2].kind)
        assert "random" in kinds
        return np.array(actions)

    alone = actions_of_lane_2([2])
    np.testing.assert_array_equal(alone, actions_of_lane_2([0, 1, 2]))
    assert len(np.unique(alone, axis=0)) > 2


def test_no_lanes_no_actions(sim, table):
    eyes, graph = table
    policy = GraphPolicy(Double(eyes), graph, ControlConfig(), sim.arena)
    policy.begin([])
    nothing = np.zeros((0, 4, 4, 3), np.uint8)
    assert policy.act(nothing, nothing, []).shape == (0, 6)


def test_a_goal_is_looked_at_once_and_a_scene_at_every_step(sim, table):
    eyes, graph = table
    double = Double(eyes)
    policy = GraphPolicy(double, graph, ControlConfig.best(), sim.arena)
    grid = sim.Grid.draw(3, "complete", np.random.default_rng(4))
    goal = picture(double, grid, grid.goals)[None]
    policy.begin([[0]])
    for _ in range(3):
        policy.act(goal, goal, [0])
    assert policy.decisions[0].holds
    assert len(double.calls) == 1 + 3


def test_the_papers_way_infers_the_goal_anew_at_every_step_as_algorithm_2_is_printed(sim, table):
    eyes, graph = table
    double = Double(eyes)
    policy = GraphPolicy(double, graph, ControlConfig.paper(), sim.arena)
    grid = sim.Grid.draw(3, "complete", np.random.default_rng(4))
    goal = picture(double, grid, grid.goals)[None]
    policy.begin([[0]])
    for _ in range(3):
        policy.act(goal, goal, [0])
    assert len(double.calls) == 3 + 3


def test_a_new_goal_begins_with_a_fresh_memory(sim, table):
    _, graph = table
    double = Double(sim.Eyes())
    policy = GraphPolicy(double, graph, ControlConfig.best(), sim.arena)
    grid = sim.Grid.draw(1, "complete", np.random.default_rng(5))
    other = sim.Grid(grid.cells, np.array([(grid.goals[0] + 1) % 16]), grid.colours)
    now = picture(double, grid, grid.cells)[None]
    policy.begin([[0]])

    def failures(grid):
        policy.act(now, picture(double, grid, grid.goals)[None], [0])
        return policy.decisions[0].choice.failures

    assert [failures(grid), failures(grid)] == [0, 1]  # nothing moved
    assert failures(other) == 0


def test_the_world_itself_is_solved_with_true_entities(sim, table):
    """The environment in place of the simulator: only perception is missing."""
    _, graph = table
    scores = []
    for n, goal in ((4, "complete"), (7, "complete"), (5, "partial"), (10, "complete")):
        env = make_env(WORLD, n_objects=n, goal=goal)
        arena = Arena(env.arena_low, env.arena_high)
        shows = {}

        def encode(image, lanes, shows=shows):
            eyes = sim.Eyes()
            seed = np.random.default_rng(0)
            return [eyes.see(*shows[picture.tobytes()], seed) for picture in image]

        policy = GraphPolicy(encode, graph, ControlConfig.best(), arena)
        for episode in range(5):
            seen, info = env.reset(seed=episode)
            colour = env.task.scene["colour"]
            shows[seen["goal"].tobytes()] = (env.task.scene["goal"].astype(int), colour)
            policy.begin([[episode]])
            over = False
            while not over:
                cell = np.abs(env.truth().position[:, None, :2] - sim.centre).sum(-1).argmin(1)
                shows[seen["image"].tobytes()] = (cell, colour)
                action = policy.act(seen["image"][None], seen["goal"][None], [0])[0]
                seen, _, done, truncated, info = env.step(action)
                over = done or truncated
            scores.append(info["satisfied"] / info["constraints"])
        env.close()
    assert np.mean(scores) >= 0.99
