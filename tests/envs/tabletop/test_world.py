"""robogym-rearrange keeps Gymnasium's contract and its own spec."""

import dataclasses
import hashlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv

from ncs.envs import make_env
from ncs.envs.tabletop.facts import HALF_AREA
from ncs.envs.tabletop.facts import NAME as WORLD
from ncs.envs.tabletop.mesh_set import own_meshes
from ncs.envs.tabletop.world import RobogymRearrange
from ncs.records import ConfigError, DataError, Task

ID = "ncs/RobogymRearrange-v0"
CAN = own_meshes().names.index("cylinder")  # 0.15 wide whatever its yaw


def task_of(starts: list[list[float]], goals: list[list[float]]) -> Task:
    n = len(starts)
    scene: dict[str, np.ndarray] = {
        "kind": np.full(n, CAN, np.int16),
        "colour": np.arange(n, dtype=np.int8),
        "yaw": np.zeros(n),
        "start": np.array(starts, float),
        "goal": np.array(goals, float),
        "constrained": np.ones(n, bool),
        "meshes": np.full(n, own_meshes().stamp, np.int64),
    }
    return Task(WORLD, "complete", scene, n)


def play(starts: list[list[float]], goals: list[list[float]], **settings: Any) -> RobogymRearrange:
    env = RobogymRearrange(n_objects=len(starts), **settings)
    env.reset(options={"task": task_of(starts, goals)})
    return env


def action(x: float, y: float, dx: float, dy: float) -> np.ndarray:
    return np.array([x, y, 0, dx, dy, 0], np.float32)


@pytest.mark.parametrize("n_objects", [1, 4, 8])
@pytest.mark.parametrize("goal", ["complete", "partial"])
def test_check_env_has_nothing_to_say(n_objects: int, goal: str) -> None:
    settings = {"n_objects": n_objects, "goal": goal, "n_constrained": min(2, n_objects)}
    check_env(gymnasium.make(ID, render_mode="rgb_array", **settings).unwrapped)


def test_an_object_moves_by_the_displacement_from_where_it_is() -> None:
    env = play([[-0.2, 0.0], [0.2, 0.0]], [[0.0, 0.2], [0.2, -0.2]])
    env.step(action(-0.17, 0.03, 0.1, 0.2))
    np.testing.assert_allclose(env.truth().position[0, :2], [-0.1, 0.2], atol=1e-6)


@pytest.mark.parametrize(
    ("move", "why"),
    [
        (action(0, 0, 0.1, 0.1), "nothing within reach"),
        (action(-0.2, 0.05, 0, 0.1), "a pick exactly 0.05 away"),
        (action(-0.2, 0, 0.3, 0), "onto another's box"),
        (action(-0.2, 0, -0.1, 0), "out of the area"),
        (action(-0.2, 0, 0, 0), "put back where it is"),
    ],
)
def test_an_illegal_move_changes_nothing_and_costs_a_step(move: np.ndarray, why: str) -> None:
    env = play([[-0.2, 0.0], [0.2, 0.0]], [[0.0, 0.2], [0.2, -0.2]], cap_factor=1)
    before = env.truth().position
    _, reward, terminated, truncated, _ = env.step(move)
    assert (env.truth().position == before).all(), why
    assert (reward, terminated, truncated) == (0, False, False)
    assert env.step(move)[3], "the second step should reach the cap"


@pytest.mark.parametrize(("off", "holds"), [(0.0, 1), (0.049, 1), (0.051, 0)])
def test_a_constraint_holds_within_five_centimetres(off: float, holds: int) -> None:
    env = play([[-0.2, 0.0], [0.2, 0.0]], [[-0.1, 0.2], [0.2, -0.2]])
    assert env.step(action(-0.2, 0, 0.1 + off, 0.2))[1] == holds


def test_the_height_of_an_action_has_no_effect() -> None:
    env = play([[-0.2, 0.0], [0.2, 0.0]], [[-0.1, 0.2], [0.2, -0.2]])
    move = action(-0.2, 0, 0.1, 0.2)
    move[[2, 5]] = 0.1, -0.1
    assert env.step(move)[1] == 1


def test_an_episode_ends_when_all_constraints_hold() -> None:
    env = play([[-0.2, 0.0], [0.2, 0.0]], [[-0.1, 0.2], [0.2, -0.2]])
    assert env.step(action(-0.2, 0, 0.1, 0.2))[2] is False
    observation, reward, terminated, truncated, info = env.step(action(0.2, 0, 0, -0.2))
    assert (reward, terminated, truncated) == (2, True, False)
    assert (info["satisfied"], info["constraints"], info["unsatisfied_at_start"]) == (2, 2, 2)
    difference = np.abs(observation["image"].astype(int) - observation["goal"])
    assert difference.max() <= 64, "float32 moves shift an edge by a hair at most"


@pytest.mark.parametrize("n_objects", range(1, 9))
@pytest.mark.parametrize("goal", ["complete", "partial"])
def test_the_oracle_solves_in_the_fewest_moves(n_objects: int, goal: str) -> None:
    env = RobogymRearrange(n_objects, goal, n_constrained=min(2, n_objects))
    for seed in range(2):
        _, info = env.reset(seed=seed)
        expected = {"complete": n_objects if n_objects < 6 else 4, "partial": min(2, n_objects)}
        assert info["minimum_moves"] == info["unsatisfied_at_start"] == expected[goal]
        for step in range(info["minimum_moves"]):
            _, _, terminated, truncated, _ = env.step(env.oracle_action())
            assert (terminated, truncated) == (step == info["minimum_moves"] - 1, False)
        before = env.truth().position
        env.step(env.oracle_action())
        assert (env.truth().position == before).all()


def test_the_oracle_solves_the_papers_meshes_too(robogym_meshes: Path) -> None:
    env = RobogymRearrange(n_objects=7, meshes=robogym_meshes)
    for seed in range(3):
        _, info = env.reset(seed=seed)
        ends = [env.step(env.oracle_action())[2] for _ in range(info["minimum_moves"])]
        assert ends == [False, False, False, True]


def test_the_number_that_moves_can_be_set() -> None:
    _, info = RobogymRearrange(n_objects=6, n_moving=2).reset(seed=0)
    assert (info["minimum_moves"], info["constraints"], info["satisfied"]) == (2, 6, 4)


def test_a_partial_goal_hides_the_objects_without_a_constraint() -> None:
    env = RobogymRearrange(n_objects=6, goal="partial", n_constrained=2)
    env.reset(seed=0)
    goal = env.render_goal()
    only = task_of(env.task.scene["goal"][:2].tolist(), [[0, 0], [0, 0]])
    only.scene.update(  # type: ignore[attr-defined]
        {name: env.task.scene[name][:2] for name in ("kind", "colour", "yaw")}
    )
    alone = RobogymRearrange(n_objects=2, render_mode="rgb_array")
    alone.reset(options={"task": only})
    np.testing.assert_array_equal(goal, alone.render())


def test_observations_hold_two_pictures_and_nothing_else() -> None:
    observation, info = RobogymRearrange().reset(seed=0)
    assert observation.keys() == {"image", "goal"}
    assert not any("position" in key for key in info)


@pytest.mark.parametrize("n_objects", [1, 4, 5, 8])
def test_random_moves_pick_exactly_and_land_on_free_cells(n_objects: int) -> None:
    env = RobogymRearrange(n_objects=n_objects, goal="none")
    rng = np.random.default_rng(1)
    for seed in range(4):
        env.reset(seed=seed)
        for index in rng.permutation(n_objects):
            before = env.truth().position
            env.step(env.random_move(int(index), rng))
            moved = (env.truth().position != before).any(axis=1)
            assert np.flatnonzero(moved).tolist() == [index]


def test_collecting_moves_every_object_to_a_cell_that_was_no_start() -> None:
    env = RobogymRearrange(n_objects=4, goal="none")
    rng = np.random.default_rng(1)
    for seed in range(8):
        env.reset(seed=seed)
        low = env._boxes.low
        starts = env.task.scene["start"] + low
        for index in range(4):
            env.step(env.random_move(index, rng))
        ends = env._position_N2 + low
        gaps = np.abs(ends[:, None] - starts[None]).max(axis=-1)
        assert gaps.min() > 0.05


def test_truth_is_in_the_frame_of_actions() -> None:
    env = RobogymRearrange()
    env.reset(seed=0)
    truth = env.truth()
    np.testing.assert_allclose(truth.position[:, :2], env.task.scene["start"], atol=1e-6)
    assert (np.abs(truth.position[:, :2]) < HALF_AREA).all()
    assert ((truth.position[:, 2] > 0) & (truth.position[:, 2] < 0.15)).all()
    assert truth.kind.tolist() == env.task.scene["kind"].tolist()
    assert np.unique(env.segment()).tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"n_objects": 9}, "n_objects: must be a whole number from 1 to 8, got 9"),
        ({"goal": "some"}, "goal: must be one of"),
        ({"goal": "partial", "n_constrained": 5}, "n_constrained"),
        ({"n_moving": 5}, "n_moving: must be a whole number from 1 to 4, got 5"),
        ({"n_moving": 0}, "n_moving"),
        ({"meshes": 7}, "meshes: must be the path of a folder, got 7"),
        ({"render_size": 9000}, "render_size"),
    ],
)
def test_bad_settings_are_refused_by_name(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        RobogymRearrange(**settings)


def test_a_folder_that_is_not_there_is_refused() -> None:
    with pytest.raises(DataError, match="/nowhere: is not a folder of meshes"):
        make_env(WORLD, meshes="/nowhere")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"meshes": np.zeros(1, np.int64)}, "was drawn for another mesh set"),
        ({"kind": np.array([94], np.int16)}, "there is no mesh"),
        ({"kind": np.array([-1], np.int16)}, "there is no mesh"),
        ({"kind": np.array([1.0])}, "no proper array 'kind'"),
        ({"colour": np.array([13], np.int8)}, "colours must lie in 0 to 12"),
        ({"start": np.array([[np.nan, 0]])}, "outside the placement area"),
        ({"goal": np.array([[0.4, 0]])}, "outside the placement area"),
        ({"yaw": np.array([np.inf])}, "a yaw is not a number"),
        ({"start": np.zeros((1, 3))}, "no proper array 'start'"),
    ],
)
def test_bad_tasks_are_refused(changes: dict[str, np.ndarray], words: str) -> None:
    task = task_of([[0.0, 0.0]], [[0.2, 0.0]])
    bad = dataclasses.replace(task, scene={**task.scene, **changes})
    with pytest.raises(ConfigError, match=words):
        RobogymRearrange(n_objects=1).reset(options={"task": bad})


def test_a_task_of_another_mesh_set_is_refused(robogym_meshes: Path) -> None:
    task = RobogymRearrange(meshes=robogym_meshes).draw_task(np.random.default_rng(0))
    with pytest.raises(ConfigError, match="was drawn for another mesh set"):
        RobogymRearrange().reset(options={"task": task})


def test_pictures_of_any_size() -> None:
    env = RobogymRearrange(render_mode="rgb_array", render_size=300)
    env.reset(seed=0)
    picture = env.render()
    assert picture is not None
    assert picture.shape == env.render_goal().shape == (300, 300, 3)


def trajectory(env: gymnasium.Env, seed: int, steps: int) -> str:
    """A hash of all that an episode shows, with actions drawn from the seed."""
    rng = np.random.default_rng(seed)
    seen = hashlib.sha256()
    observation, _ = env.reset(seed=seed)
    for step in range(steps):
        seen.update(observation["image"].tobytes() + observation["goal"].tobytes())
        move = env.random_move(step % 4, rng)  # type: ignore[attr-defined]
        observation, reward, terminated, truncated, _ = env.step(move)
        seen.update(str((reward, terminated, truncated)).encode())
        if terminated or truncated:
            observation, _ = env.reset()
    return seen.hexdigest()


def test_the_same_seed_shows_the_same_bytes_in_another_process() -> None:
    code = (
        "import sys, json; sys.path.insert(0, sys.argv[1]); import test_world as t;"
        "print(json.dumps([t.trajectory(t.RobogymRearrange(), s, 10) for s in range(3)]))"
    )
    folder = str(Path(__file__).parent)
    out = subprocess.run([sys.executable, "-c", code, folder], capture_output=True, check=True)
    assert json.loads(out.stdout) == [trajectory(RobogymRearrange(), s, 10) for s in range(3)]


@pytest.mark.parametrize("kind", [SyncVectorEnv, AsyncVectorEnv])
@pytest.mark.parametrize("size", [1, 3])
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_vector_size_and_kind_change_nothing(kind: type, size: int) -> None:
    seeds = [4, 5, 6]
    rng = np.random.default_rng(0)
    moves = rng.uniform(-0.3, 0.3, (len(seeds), 4, 6)).astype(np.float32)
    alone = []
    env = RobogymRearrange()
    for lane, seed in enumerate(seeds):
        first, _ = env.reset(seed=seed)
        moves[lane, 0, :2] = env.truth().position[0, :2]
        alone.append([first["image"]] + [env.step(a)[0]["image"] for a in moves[lane]])
    for start in range(0, len(seeds), size):
        lanes = list(range(start, start + size))
        vector = kind([lambda: gymnasium.make(ID).unwrapped] * size)
        try:
            frames = [vector.reset(seed=[seeds[i] for i in lanes])[0]["image"].copy()]
            for step in range(4):
                frames.append(vector.step(moves[lanes, step])[0]["image"].copy())
        finally:
            vector.close()
        for lane, index in enumerate(lanes):
            np.testing.assert_array_equal(np.stack(frames)[:, lane], np.stack(alone[index]))
