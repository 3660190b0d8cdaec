"""Towers are built in the world itself, with true entities: only perception is missing."""

import numpy as np
import pytest

from ncs.control import ControlConfig, GraphPolicy
from ncs.envs import make_env
from ncs.graph import Arena, Experience, GraphConfig, build
from ncs.graph.rules import read_rules, say_rules
from ncs.records import Entities, Graph

WORLD = "block-stacking"
CLIPS = 250


def see(position_N3: np.ndarray, colour_N3: np.ndarray) -> dict[str, np.ndarray]:
    """What eyes without fault would say."""
    n = len(position_N3)
    return {
        "kind": colour_N3.astype(np.float32),
        "state": position_N3.astype(np.float32),
        "mask": np.zeros((n, 1), np.float32),
        "presence": np.ones(n, bool),
    }


@pytest.fixture(scope="module")
def graph() -> Graph:
    """The graph of free play with four cubes."""
    env, rng = make_env(WORLD, goal="none"), np.random.default_rng(0)
    clips, actions = [], []
    for _ in range(CLIPS):
        env.reset(options={"task": env.draw_task(rng)})
        frames, moves = [env.truth()], []
        for index in rng.permutation(4).tolist():
            moves.append(env.random_move(index, rng))
            env.step(moves[-1])
            frames.append(env.truth())
        clips.append([see(frame.position, frame.colour) for frame in frames])
        actions.append(moves)
    names = ("kind", "state", "mask", "presence")
    arrays = {n: np.array([[frame[n] for frame in clip] for clip in clips]) for n in names}
    experience = Experience(**arrays, action=np.array(actions, np.float32))
    return build(experience, GraphConfig.best(WORLD), rng)


def play(graph: Graph, config: ControlConfig, n_objects: int, goal: str, seed: int) -> float:
    """Moves made, times the fewest; infinite where the goal was not reached."""
    env = make_env(WORLD, n_objects=n_objects, goal=goal)  # type: ignore[arg-type]
    shown = []

    def encode(image, lanes):
        return [Entities(**shown.pop(0)) for _ in lanes]

    policy = GraphPolicy(encode, graph, config, Arena(env.arena_low, env.arena_high))
    policy.begin([[seed]])
    observation, _ = env.reset(seed=seed)
    cells = env.task.scene["goal"]
    centre = env._layout.centres()  # type: ignore[attr-defined]
    target = see(centre[cells[cells >= 0]], env.truth().colour[cells >= 0])
    for step in range(env.max_steps):
        shown += [target] * (step == 0) + [see(env.truth().position, env.truth().colour)]
        action = policy.act(observation["image"][None], observation["goal"][None], [0])[0]
        if env.step(action)[2]:
            return (step + 1) / env.task.minimum_moves
    return np.inf


def test_nodes_are_the_places_and_rules_are_found(graph: Graph) -> None:
    assert 15 <= len(graph.node) <= 30
    assert graph.calibration is not None
    assert graph.calibration.rules is not None
    rules = read_rules(graph.calibration.rules)
    assert rules.agreement >= 0.99, say_rules(rules)
    assert len(rules.hold) == len(rules.block) == 1


@pytest.mark.parametrize("goal", ["complete", "partial"])
@pytest.mark.parametrize("n_objects", [4, 7])
def test_more_cubes_than_were_seen_are_piled_in_the_fewest_moves(
    graph: Graph, n_objects: int, goal: str
) -> None:
    ratios = [play(graph, ControlConfig.best(), n_objects, goal, seed) for seed in range(5)]
    assert max(ratios) < np.inf
    assert np.mean(ratios) <= 1.1


def test_without_a_plan_towers_are_not_built(graph: Graph) -> None:
    greedy = ControlConfig.best().changed(without=["plan"])
    ratios = [play(graph, greedy, 6, "complete", seed) for seed in range(5)]
    assert max(ratios) == np.inf
