"""The agent that ships with the repository sees, plans and explains itself."""

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from ncs.agent import Agent, Trained, graph_path, shipped_model
from ncs.agent.methods import MethodOptions, make_method
from ncs.agent.players import as_picture
from ncs.agent.presets import PRESETS
from ncs.envs import make_env
from ncs.records import ConfigError, DataError
from ncs.training.checkpoint import trained_worlds

FOLDER = shipped_model("blocks-fast-0")


def solve(agent: Agent, n_objects: int, goal: str, seed: int) -> tuple[bool, int, int]:
    env = make_env("block-rearrange", n_objects=n_objects, goal=goal)  # type: ignore[arg-type]
    observation, info = env.reset(seed=seed)
    agent.begin(seed)
    steps, over = 0, False
    while not over:
        decision = agent.act(observation["image"], observation["goal"])
        assert decision.reason
        observation, _, terminated, truncated, info = env.step(decision.action)
        over = terminated or truncated
        steps += 1
    return terminated, steps, info["minimum_moves"]


@pytest.mark.parametrize(
    ("n_objects", "goal"), [(4, "complete"), (7, "complete"), (7, "partial"), (12, "complete")]
)
def test_it_solves_scenes_it_was_never_trained_on_in_the_fewest_moves(
    n_objects: int, goal: str
) -> None:
    agent = Agent.load(FOLDER)
    for seed in range(3):
        solved, steps, fewest = solve(agent, n_objects, goal, seed)
        assert solved
        assert steps <= fewest + 1


def test_a_goal_already_reached_is_left_as_it_is() -> None:
    env = make_env("block-rearrange")
    observation, _ = env.reset(seed=0)
    decision = Agent.load(FOLDER).act(observation["goal"], observation["goal"])
    assert decision.holds
    assert decision.reason.startswith("Every constraint seems to hold;")
    assert np.abs(decision.action[3:5]).max() < env.unwrapped.tolerance


def test_an_empty_picture_has_a_defined_answer() -> None:
    floor = np.full((64, 64, 3), 191, np.uint8)
    decision = Agent.load(FOLDER).act(floor, floor)
    assert len(decision.pairs) == 0
    assert np.isfinite(decision.action).all()


def test_two_objects_of_one_colour_are_both_brought_home() -> None:
    from ncs.envs.blocks.tasks import make_task

    colour = np.array([[0.8, 0.1, 0.1]] * 2 + [[0.1, 0.1, 0.8]], np.float32)
    task = make_task("complete", colour, np.array([0, 5, 10]), np.array([3, 12, 15]))
    env = make_env("block-rearrange", n_objects=3)
    observation, _ = env.reset(options={"task": task})
    agent = Agent.load(FOLDER)
    for _ in range(env.max_steps):
        decision = agent.act(observation["image"], observation["goal"])
        observation, _, terminated, _, _ = env.step(decision.action)
        if terminated:
            break
    # Which of the twins belongs where no picture tells; the scene must look like the goal.
    assert (observation["image"] == observation["goal"]).all()


def test_a_graph_of_another_checkpoint_is_refused(tmp_path: Path) -> None:
    other = shipped_model("blocks-fast-1")
    with pytest.raises(DataError, match="was built with checkpoint"):
        Trained.load(FOLDER, graph=graph_path(other, "best"))


@pytest.mark.parametrize("name", ["blocks-fast-0", "robogym-fast-0"])
def test_graphs_of_two_presets_that_changed_places_are_refused(name: str, tmp_path: Path) -> None:
    shipped = shipped_model(name)
    for preset in PRESETS:
        Trained.load(shipped, preset)
    folder = tmp_path / "model"
    shutil.copytree(shipped, folder)
    shutil.copy(graph_path(shipped, "best"), graph_path(folder, "paper"))
    shutil.copy(graph_path(shipped, "paper"), graph_path(folder, "best"))
    for preset in PRESETS:
        with pytest.raises(DataError, match=f"another preset than '{preset}'"):
            Trained.load(folder, preset)
        asked = MethodOptions(world=trained_worlds(folder)[0], model=folder, preset=preset)
        with pytest.raises(DataError, match=f"another preset than '{preset}'"):
            make_method("ncs", asked)


def test_a_folder_without_a_graph_says_what_to_do() -> None:
    with pytest.raises(DataError, match="there is no graph yet; make it with 'ncs graph'"):
        Trained.load(FOLDER, graph=FOLDER / "nowhere.safetensors")


def test_a_missing_model_says_where_to_look() -> None:
    with pytest.raises(DataError, match="checkpoints/none-such: is not here"):
        shipped_model("none-such")


def test_the_papers_way_is_told_how_many_objects_there_are() -> None:
    with pytest.raises(ConfigError, match="n_objects: the paper's way has to be told"):
        Agent.load(FOLDER, preset="paper")
    env = make_env("block-rearrange", n_objects=5)
    observation, _ = env.reset(seed=0)
    agent = Agent.load(FOLDER, preset="paper", n_objects=5)
    decision = agent.act(observation["image"], observation["goal"])
    assert 5 <= len(decision.pairs) <= 6


def test_pictures_of_numbers_are_as_good_as_pictures_of_bytes() -> None:
    env = make_env("block-rearrange")
    observation, _ = env.reset(seed=0)
    pair = observation["image"], observation["goal"]
    expected = Agent.load(FOLDER).act(*pair)
    for kind in (np.float32, np.float64):
        found = Agent.load(FOLDER).act(*((picture / 255).astype(kind) for picture in pair))
        assert (found.action == expected.action).all()


@pytest.mark.parametrize(
    ("picture", "complaint"),
    [
        (np.zeros((64, 64), np.uint8), r"goal: must be \(height, width, 3\)"),
        (np.zeros((64, 64, 3), np.int64), "goal: must be bytes or numbers"),
        (np.full((64, 64, 3), 200.0), r"goal: its numbers must lie in \[0, 1\]"),
        (np.full((64, 64, 3), np.nan), "goal: its numbers must lie"),
        (np.zeros((48, 64, 3), np.uint8), r"goal: must be \(64, 64\) pixels high and wide, is"),
    ],
)
def test_what_is_no_picture_is_refused_by_name(picture: np.ndarray, complaint: str) -> None:
    floor = np.full((64, 64, 3), 191, np.uint8)
    with pytest.raises(ConfigError, match=complaint):
        Agent.load(FOLDER).act(floor, picture)


def test_a_model_of_one_size_refuses_pictures_of_another() -> None:
    with pytest.raises(ConfigError, match=r"goal: must be \(64, 64\) pixels"):
        as_picture(np.zeros((32, 32, 3), np.uint8), "goal", (64, 64))


def test_importing_the_agent_imports_nothing_that_trains() -> None:
    code = "import sys; from ncs.agent import Agent; print(*sys.modules)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    modules = set(out.stdout.split())
    assert "ncs.agent.trained" in modules
    trains = {"ncs.training.loop", "ncs.training.learner", "ncs.training.team"}
    assert not {"matplotlib", "pybullet", "mujoco", *trains} & modules


def test_judging_chance_imports_no_network() -> None:
    code = (
        "import sys; from ncs.agent.methods import make_method; from ncs.agent.options import "
        "MethodOptions; make_method('random', MethodOptions(world='block-rearrange')); "
        "print(*sys.modules)"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "ncs.agent.methods" in out.stdout.split()
    assert not {"torch", "scipy.spatial"} & set(out.stdout.split())


def test_a_room_says_what_it_does_not_have() -> None:
    with pytest.raises(ImportError):
        from ncs.agent import Nobody  # type: ignore[attr-defined]  # noqa: F401
