"""block-stacking keeps Gymnasium's contract and its own spec."""

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from ncs.envs import make_env
from ncs.envs.stacking.facts import Style
from ncs.envs.stacking.layouts import LAYOUTS
from ncs.envs.stacking.tasks import make_task
from ncs.envs.stacking.world import BlockStack
from ncs.records import ConfigError

ID = "ncs/BlockStack-v0"
COLOURS = np.random.default_rng(0).random((8, 3)).astype(np.float32)
CENTRES = LAYOUTS[0].centres()


def play(cells: list[int], goals: list[int], style: Style = "plain") -> BlockStack:
    env = BlockStack(n_objects=len(cells))
    env.reset(options={"task": make_task("complete", style, COLOURS[: len(cells)], cells, goals)})
    return env


def action(pick: int, place: int, offset: tuple[float, float, float] = (0, 0, 0)) -> np.ndarray:
    here, there = CENTRES[[pick, place]]
    return np.array([*(here + offset), *(there - here)], np.float32)


@pytest.mark.parametrize("style", ["plain", "xyz"])
@pytest.mark.parametrize("goal", ["complete", "partial"])
def test_check_env_has_nothing_to_say(style: str, goal: str) -> None:
    check_env(gymnasium.make(ID, render_mode="rgb_array", style=style, goal=goal).unwrapped)


def test_a_cube_is_put_on_another_by_its_height() -> None:
    env = play([0, 1], [6, 1])
    _, _, terminated, _, info = env.step(action(0, 6, offset=(0.09, 0.4, -0.08)))
    np.testing.assert_allclose(env.truth().position[0], CENTRES[6], atol=1e-6)
    assert terminated
    assert info["satisfied"] == 2


@pytest.mark.parametrize(
    ("move", "why"),
    [
        (action(0, 2), "buried"),
        (action(5, 6), "in the air"),
        (action(5, 1), "occupied"),
        (action(5, 5), "put back"),
        (action(3, 2), "nothing there"),
        (np.array([-0.4, 0, 0.25, 1.0, 0, -0.17], np.float32), "outside"),
    ],
)
def test_a_move_that_fails_changes_nothing_and_costs_a_step(move: np.ndarray, why: str) -> None:
    env = play([0, 5, 1, 6], [0, 5, 1, 2])
    before = env.truth().position
    env.step(move)
    assert (env.truth().position == before).all(), why
    for _ in range(2):
        assert not env.step(move)[3]
    assert env.step(move)[3], "four steps are allowed where one would do"


@pytest.mark.parametrize("style", ["plain", "xyz"])
@pytest.mark.parametrize("goal", ["complete", "partial"])
def test_the_oracle_needs_the_fewest_moves(style: str, goal: str) -> None:
    env = make_env("block-stacking", n_objects=6, goal=goal, style=style, cap_factor=1)  # type: ignore[arg-type]
    for seed in range(4):
        env.reset(seed=seed)
        for _ in range(env.task.minimum_moves):
            _, _, terminated, _, _ = env.step(env.oracle_action())
        assert terminated


def test_free_play_has_moves_that_work_and_moves_that_fail() -> None:
    env = make_env("block-stacking", goal="none")
    rng = np.random.default_rng(0)
    worked = []
    for seed in range(60):
        env.reset(seed=seed)
        for index in rng.permutation(4).tolist():
            before = env.truth().position
            env.step(env.random_move(index, rng))
            worked.append((env.truth().position != before).any())
    assert 0.4 < np.mean(worked) < 0.8


def test_a_picture_shows_every_cube_in_its_own_colour() -> None:
    env = play([0, 5, 10, 1], [0, 5, 10, 2])
    image, segment = env.reset(options={"task": env.task})[0]["image"], env.segment()
    for index in range(4):
        pixels = image[segment == index + 1]
        assert len(pixels) == 100
        assert np.abs(pixels - np.round(COLOURS[index] * 255)).max() <= 2


def test_the_goal_shows_only_what_is_constrained() -> None:
    env = play([0, 5, 1], [2, -1, -1])
    goal = env.reset(options={"task": env.task})[0]["goal"]
    wall = goal[0, 0]
    cube = (np.abs(goal[:54].astype(int) - wall) > 3).any(axis=-1)
    assert cube.sum() == 100


def test_a_tilted_camera_sees_cubes_behind_towers() -> None:
    env = play([0, 12, 24, 4], [0, 12, 24, 5], style="xyz")
    shown = np.bincount(env.segment().ravel(), minlength=5)
    assert shown[4] > 20, "the cube behind a tower of three"


@pytest.mark.parametrize(
    ("cells", "what"), [([0, 10], "each needs one below"), ([0, 77], "must lie in 0 to 19")]
)
def test_a_start_that_cannot_be_is_refused(cells: list[int], what: str) -> None:
    task = make_task("none", "plain", COLOURS[:2], cells, [-1, -1])
    with pytest.raises(ConfigError, match=what):
        BlockStack(n_objects=2, goal="none").reset(options={"task": task})


def test_an_unknown_style_is_refused() -> None:
    with pytest.raises(ConfigError, match="style"):
        BlockStack(style="round")  # type: ignore[arg-type]
