"""block-rearrange keeps Gymnasium's contract and its own spec."""

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv

from ncs.envs import make_env
from ncs.envs.blocks.tasks import cell_centres, make_task
from ncs.envs.blocks.world import BlockRearrange
from ncs.records import ConfigError

ID = "ncs/BlockRearrange-v0"
COLOURS = np.random.default_rng(0).random((12, 3)).astype(np.float32)


def play(cells: list[int], goals: list[int], **settings: int) -> BlockRearrange:
    env = BlockRearrange(n_objects=len(cells), **settings)  # type: ignore[arg-type]
    task = make_task("complete", COLOURS[: len(cells)], np.array(cells), np.array(goals))
    env.reset(options={"task": task})
    return env


def action(pick: int, place: int, offset: tuple[float, float] = (0, 0)) -> np.ndarray:
    here, there = cell_centres()[[pick, place]]
    return np.array([*(here + offset), 0, *(there - here), 0], np.float32)


@pytest.mark.parametrize("n_objects", [1, 4, 7, 12])
@pytest.mark.parametrize("goal", ["complete", "partial"])
def test_check_env_has_nothing_to_say(n_objects: int, goal: str) -> None:
    settings = {"n_objects": n_objects, "goal": goal, "n_constrained": min(2, n_objects)}
    check_env(gymnasium.make(ID, render_mode="rgb_array", **settings).unwrapped)


def test_a_pick_moves_the_cube_in_its_cell_and_snaps_it() -> None:
    env = play([0, 5], [10, 15])
    env.step(action(0, 10, offset=(0.09, -0.09)))
    np.testing.assert_allclose(env.truth().position[0, :2], cell_centres()[10], atol=1e-6)


@pytest.mark.parametrize(
    ("move", "why"),
    [
        (action(3, 9), "empty pick"),
        (action(0, 5), "occupied target"),
        (np.array([-0.3, -0.3, 0, 0.8, 0, 0], np.float32), "outside the arena"),
        (action(0, 0), "a cube put back where it is"),
    ],
)
def test_an_illegal_move_changes_nothing_and_costs_a_step(move: np.ndarray, why: str) -> None:
    env = play([0, 5], [10, 15], cap_factor=1)
    before = env.truth().position
    _, reward, terminated, truncated, _ = env.step(move)
    assert (env.truth().position == before).all(), why
    assert (reward, terminated, truncated) == (0, False, False)
    assert env.step(move)[3], "the second step should reach the cap"


def test_the_height_of_an_action_has_no_effect() -> None:
    env = play([0, 5], [10, 15])
    move = action(0, 10)
    move[[2, 5]] = 0.1, -0.1
    _, reward, _, _, info = env.step(move)
    assert reward == info["satisfied"] == 1


def test_an_episode_ends_when_all_constraints_hold() -> None:
    env = play([0, 5], [10, 15])
    assert env.step(action(0, 10))[2] is False
    observation, reward, terminated, truncated, info = env.step(action(5, 15))
    assert (reward, terminated, truncated) == (2, True, False)
    assert (info["satisfied"], info["constraints"], info["unsatisfied_at_start"]) == (2, 2, 2)
    assert (observation["image"] == observation["goal"]).all()


def test_the_cap_is_four_times_the_fewest_moves() -> None:
    env = play([0, 5, 9], [5, 0, 10])  # a cycle of two costs three moves, the third cube one
    assert env.task.minimum_moves == 4
    assert env.max_steps == 16


def test_a_partial_goal_hides_the_cubes_without_a_constraint() -> None:
    env = BlockRearrange(n_objects=6, goal="partial", n_constrained=2)
    observation, info = env.reset(seed=0)
    cubes = {tuple(c) for c in observation["goal"].reshape(-1, 3).tolist()} - {(191, 191, 191)}
    assert len(cubes) == info["constraints"] == 2
    assert len(np.unique(observation["image"].reshape(-1, 3), axis=0)) == 7


def test_observations_hold_two_pictures_and_nothing_else() -> None:
    observation, info = BlockRearrange().reset(seed=0)
    assert observation.keys() == {"image", "goal"}
    assert not any("position" in key or "cell" in key for key in info)


def test_free_play_never_ends_by_itself_before_its_cap() -> None:
    env = BlockRearrange(n_objects=3, goal="none")
    _, info = env.reset(seed=0)
    assert info["constraints"] == 0
    rng = np.random.default_rng(0)
    ends = [env.step(env.random_move(i, rng))[2:4] for i in range(3)]
    assert ends == [(False, False)] * 3


def test_random_moves_pick_exactly_and_land_on_free_cells() -> None:
    env = BlockRearrange(n_objects=12, goal="none")
    env.reset(seed=1)
    rng = np.random.default_rng(1)
    for index in range(12):
        before = env.truth().position
        env.step(env.random_move(index, rng))
        moved = (env.truth().position != before).any(axis=1)
        assert np.flatnonzero(moved).tolist() == [index]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"n_objects": 13}, "n_objects: must be a whole number from 1 to 12, got 13"),
        ({"n_objects": 0}, "n_objects"),
        ({"goal": "some"}, "goal: must be one of"),
        ({"goal": "partial", "n_constrained": 5}, "n_constrained"),
        ({"cap_factor": 0}, "cap_factor"),
        ({"render_mode": "human"}, "render_mode"),
        ({"render_size": 9000}, "render_size"),
    ],
)
def test_bad_settings_are_refused_by_name(settings: dict[str, object], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        BlockRearrange(**settings)  # type: ignore[arg-type]


@pytest.mark.parametrize("bad", [np.zeros(4), np.full(6, np.nan), np.full(6, np.inf)])
def test_bad_actions_are_refused(bad: np.ndarray) -> None:
    env = play([0], [5])
    with pytest.raises(ConfigError, match="action: must be 6 finite numbers"):
        env.step(bad)


def test_a_task_of_another_size_is_refused() -> None:
    task = BlockRearrange(n_objects=5).draw_task(np.random.default_rng(0))
    with pytest.raises(ConfigError, match="with 5 objects, this is block-rearrange with 4"):
        BlockRearrange(n_objects=4).reset(options={"task": task})


def test_an_unknown_world_is_refused() -> None:
    with pytest.raises(ConfigError, match="there is no 'blocks'"):
        make_env("blocks")


def test_pictures_of_any_size() -> None:
    env = BlockRearrange(render_mode="rgb_array", render_size=300)
    env.reset(seed=0)
    picture = env.render()
    assert picture is not None
    assert picture.shape == env.render_goal().shape == (300, 300, 3)


def trajectory(env: gymnasium.Env, seed: int, steps: int) -> str:
    """A hash of all that an episode shows, with actions drawn from the seed."""
    rng = np.random.default_rng(seed)
    seen = hashlib.sha256()
    observation, _ = env.reset(seed=seed)
    for _ in range(steps):
        seen.update(observation["image"].tobytes() + observation["goal"].tobytes())
        low, high = env.action_space.low, env.action_space.high  # type: ignore[attr-defined]
        observation, reward, terminated, truncated, _ = env.step(
            rng.uniform(low, high).astype(np.float32)
        )
        seen.update(str((reward, terminated, truncated)).encode())
        if terminated or truncated:
            observation, _ = env.reset()
    return seen.hexdigest()


def test_the_same_seed_shows_the_same_bytes_in_another_process() -> None:
    code = (
        "import sys, json; sys.path.insert(0, sys.argv[1]); import test_world as t;"
        "print(json.dumps([t.trajectory(t.BlockRearrange(), s, 60) for s in range(5)]))"
    )
    folder = str(Path(__file__).parent)
    out = subprocess.run([sys.executable, "-c", code, folder], capture_output=True, check=True)
    assert json.loads(out.stdout) == [trajectory(BlockRearrange(), s, 60) for s in range(5)]


@pytest.mark.parametrize("kind", [SyncVectorEnv, AsyncVectorEnv])
@pytest.mark.parametrize("size", [1, 2, 4])
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_vector_size_and_kind_change_nothing(kind: type, size: int) -> None:
    seeds = list(range(8))
    rng = np.random.default_rng(0)
    actions = rng.uniform(-0.4, 0.4, (len(seeds), 10, 6)).astype(np.float32)
    alone = []
    env = BlockRearrange()
    for seed in seeds:
        first, _ = env.reset(seed=seed)
        frames = [first["image"]] + [env.step(a)[0]["image"] for a in actions[seed]]
        alone.append(np.stack(frames))
    for start in range(0, len(seeds), size):
        lanes = seeds[start : start + size]
        vector = kind([lambda: gymnasium.make(ID).unwrapped] * size)
        try:
            first, _ = vector.reset(seed=lanes)
            frames = [first["image"].copy()]
            for step in range(10):
                frames.append(vector.step(actions[lanes, step])[0]["image"].copy())
        finally:
            vector.close()
        for lane, seed in enumerate(lanes):
            np.testing.assert_array_equal(np.stack(frames)[:, lane], alone[seed])
