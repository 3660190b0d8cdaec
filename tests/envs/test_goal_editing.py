"""A goal set by hand is the goal that is shown, judged and solved."""

import numpy as np
import pytest

from ncs.data.seeds import stream
from ncs.envs import make_env
from ncs.envs.goal_editing import (
    camera_of,
    editor_of,
    handles,
    put_goal,
    put_goals,
    read_place,
    write_place,
)
from ncs.records import ConfigError, Task

WORLDS = ("block-rearrange", "robogym-rearrange")


def draw(world: str, goal: str = "complete", n: int = 4, seed: int = 1):
    env = make_env(world, n_objects=n, goal=goal)
    return env, env.draw_task(stream("fresh", seed))


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("style", ["plain", "clutter", "tilt", "real"])
def test_a_point_of_the_picture_is_the_point_of_the_floor_it_shows(world: str, style: str) -> None:
    camera = camera_of(make_env(world, style=style).draw_task(stream("fresh", 0)))
    for point in np.random.default_rng(0).uniform(-0.28, 0.28, (20, 2)):
        assert np.allclose(camera.unproject(*camera.project(point)), point)


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("goal", ["complete", "partial"])
def test_handles_lie_on_the_objects_of_the_goal_picture(world: str, goal: str) -> None:
    env, task = draw(world, goal)
    observation, _ = env.reset(options={"task": task})
    empty = observation["goal"].reshape(-1, 3)
    floor = np.median(empty, axis=0)
    found = handles(task)
    assert [h.index for h in found] == np.flatnonzero(editor_of(world).constrained(task)).tolist()
    for handle in found:
        row, column = int(64 * handle.y), int(64 * handle.x)
        patch = observation["goal"][row - 2 : row + 3, column - 2 : column + 3].astype(int)
        assert np.abs(patch - floor).max() > 10


def test_a_block_goes_to_the_cell_under_the_hand() -> None:
    env, task = draw("block-rearrange")
    free = next(c for c in range(16) if c not in task.scene["goal"])
    x, y = (free % 4 - 1.5) * 0.2 + 0.07, (free // 4 - 1.5) * 0.2 - 0.07
    moved = put_goal(task, 2, np.array([x, y]))
    assert moved.scene["goal"][2] == free
    same = np.arange(4) != 2
    assert (moved.scene["goal"][same] == task.scene["goal"][same]).all()
    env.reset(options={"task": moved})
    for _ in range(moved.minimum_moves):
        *_, solved, _, _ = env.step(env.oracle_action())
    assert solved


def test_a_tabletop_goal_moves_and_the_oracle_solves_it_in_the_moves_foretold() -> None:
    env, task = draw("robogym-rearrange", n=3)
    rng = np.random.default_rng(0)
    accepted = 0
    for point in rng.uniform(-0.25, 0.25, (40, 2)):
        try:
            moved = put_goal(task, 1, point)
        except ConfigError:  # there is something, or the edge
            continue
        accepted += 1
        assert np.allclose(editor_of(moved.world).points(moved)[1], point, atol=1e-6)
        _, info = env.reset(options={"task": moved})
        solved = info["satisfied"] == info["constraints"]
        for _ in range(moved.minimum_moves):
            *_, solved, _, _ = env.step(env.oracle_action())
        assert solved
    assert accepted >= 5


@pytest.mark.parametrize(
    ("index", "point", "complaint"),
    [
        (0, (5.0, 0.0), "outside the arena"),
        (3, (0.0, 0.0), "object 3 has no goal here, choose one of [0, 1]"),
        (9, (0.0, 0.0), "object 9 has no goal here"),
        (-1, (0.0, 0.0), "object -1 has no goal here"),
    ],
)
def test_impossible_goals_are_refused(
    index: int, point: tuple[float, float], complaint: str
) -> None:
    _, task = draw("block-rearrange", "partial")
    with pytest.raises(ConfigError, match=complaint.replace("[", r"\[").replace("]", r"\]")):
        put_goal(task, index, np.array(point))


def test_two_goals_cannot_share_a_cell() -> None:
    _, task = draw("block-rearrange")
    with pytest.raises(ConfigError, match="goal of another object already"):
        put_goal(task, 0, editor_of(task.world).points(task)[1])


def test_places_survive_as_text_and_are_applied_in_order() -> None:
    _, task = draw("block-rearrange")
    first, second = editor_of(task.world).points(task)[0], editor_of(task.world).points(task)[1]
    free = next(c for c in range(16) if c not in task.scene["goal"])
    aside = np.array([(free % 4 - 1.5) * 0.2, (free // 4 - 1.5) * 0.2])
    texts = (write_place(0, aside), write_place(1, first), write_place(0, second))
    swapped = put_goals(task, texts)
    assert swapped.scene["goal"][:2].tolist() == task.scene["goal"][:2][::-1].tolist()
    assert read_place(texts[0])[0] == 0


@pytest.mark.parametrize("text", ["", "1", "1:", "1:2", "1:a,b", "x:1,2", "1:nan,0", "1:1,2,3"])
def test_a_place_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="must be OBJECT:X,Y"):
        read_place(text)


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("style", ["clutter", "tilt", "real"])
def test_handles_of_a_hard_style_lie_on_their_objects(world: str, style: str) -> None:
    env = make_env(world, style=style)
    task = env.draw_task(stream("fresh", 1))
    there = Task(world, "complete", {**task.scene, "start": task.scene["goal"]}, 0)
    env.reset(options={"task": there})
    segment = env.segment()
    for handle in handles(task):
        row, column = int(64 * handle.y), int(64 * handle.x)
        assert handle.index + 1 in segment[row - 3 : row + 4, column - 3 : column + 4]


@pytest.mark.parametrize("world", WORLDS)
def test_a_hard_task_keeps_its_look_when_a_goal_moves(world: str) -> None:
    task = make_env(world, style="real").draw_task(stream("fresh", 1))
    moved = put_goal(task, 0, editor_of(world).points(task)[0])
    assert set(moved.scene) == set(task.scene)
    assert (moved.scene["look"] == task.scene["look"]).all()
