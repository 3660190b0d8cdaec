"""OGBench's cubes as a plug-in: its pure parts always, the rest where OGBench is installed."""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from ncs.cli.command import parse
from ncs.cli.train import Train
from ncs.data.buffer import open_buffer, open_truth
from ncs.evaluation.suite import EPISODES
from ncs.records import Result
from ncs.registry import World
from ncs.storage import digest_content, read_arrays, read_json
from ncs.training.checkpoint import read_config

sys.path.append(str(Path(__file__).parents[2] / "examples" / "ogbench_cubes" / "src"))

from ogbench_cubes import arm as arm_module
from ogbench_cubes import score, suite
from ogbench_cubes.arm import Arm, Feeling, around
from ogbench_cubes.facts import CUBE, CUBES, MOVES, N_TASKS, VARIANTS
from ogbench_cubes.mix import evenly, mix
from ogbench_cubes.scenes import (
    draw_scene,
    draw_towers,
    first_top,
    next_move,
    random_place,
    tops,
    tower_place,
)
from ogbench_cubes.tasks import official_task, random_task
from ogbench_cubes.whole import commands

needs_ogbench = pytest.mark.skipif(
    importlib.util.find_spec("ogbench") is None, reason="OGBench is not installed"
)
SINKS = 0.45  # of the way asked for that a hand goes in one step


class Hand:
    """An arm in a table of heights: a cube at one spot, and what it is put on."""

    def __init__(self, cube: NDArray[np.float64], ground: float = 0.0) -> None:
        self.cube, self.ground = cube.copy(), ground
        self.position, self.yaw, self.opening = np.array([0.25, 0.0, 0.35]), 0.0, 0.0
        self.steps, self.held = 0, False

    def feeling(self) -> Feeling:
        return Feeling(self.position.copy(), self.yaw, self.opening)

    def act(self, action_5: NDArray[np.float32]) -> Feeling:
        assert np.abs(action_5).max() <= 1 + 1e-6
        self.steps += 1
        way_3 = SINKS * arm_module.STRIDE * action_5[:3].astype(float)
        floor = (self.ground if self.cube[1] > 0.05 and self.held else 0.0) + CUBE / 2
        if self.held and self.position[2] + way_3[2] < floor:
            way_3[2] *= 0.5  # fingers slip along what rests
        self.position = self.position + way_3
        self.position[2] = max(self.position[2], arm_module.FLOOR)
        self.yaw += arm_module.TURN * float(action_5[3])
        near = np.linalg.norm(self.position - self.cube) < CUBE / 2
        closes = action_5[4] > 0
        self.held = closes and (self.held or bool(near))
        self.opening = (0.53 if self.held else 1.0) if closes else 0.0
        if self.held:
            self.cube = np.array([*self.position[:2], max(self.position[2], floor)])
        elif not closes:
            self.cube[2] = CUBE / 2 + (self.ground if self.cube[1] > 0.05 else 0.0)
        return self.feeling()


def drive(hand: Hand, pick: NDArray[np.float64], place: NDArray[np.float64]) -> bool:
    arm = Arm(hand.act, hand.feeling())
    worked = arm.pick_and_move(pick, place)
    arm.rest()
    return worked


HERE, THERE = np.array([0.4, -0.1, 0.02]), np.array([0.45, 0.15, 0.02])


def test_a_cube_is_put_where_it_should_be_and_the_arm_goes_to_rest() -> None:
    hand = Hand(HERE)
    assert drive(hand, HERE, THERE)
    assert np.linalg.norm(hand.cube - THERE) < 0.01
    assert np.linalg.norm(hand.position - arm_module.REST) < 0.01
    assert hand.steps < 120


def test_a_cube_is_put_on_top_of_what_is_there() -> None:
    hand = Hand(HERE, ground=CUBE)
    assert drive(hand, HERE, THERE + np.array([0, 0, CUBE]))
    assert hand.cube[2] == pytest.approx(CUBE * 1.5, abs=0.005)


@pytest.mark.parametrize(("ground", "height"), [(0.0, 0.06), (CUBE, 0.02)], ids=["air", "taken"])
def test_a_place_at_another_height_than_something_to_stand_on_is_refused(
    ground: float, height: float
) -> None:
    hand = Hand(HERE, ground)
    assert not drive(hand, HERE, np.array([*THERE[:2], height]))
    assert np.linalg.norm(hand.cube - HERE) < 0.015  # it was brought back


def test_a_pick_beside_every_cube_moves_nothing() -> None:
    hand = Hand(HERE)
    assert not drive(hand, HERE + np.array([0.1, 0, 0]), THERE)
    assert (hand.cube == HERE).all()


def test_a_hand_turns_the_short_way() -> None:
    assert around(np.pi - 0.1) == pytest.approx(-0.1)
    assert abs(around(0.3)) == pytest.approx(0.3)


@pytest.mark.parametrize("n_cubes", [1, 2, 3, 4])
def test_scenes_stand_on_the_table_or_on_each_other(n_cubes: int) -> None:
    rng = np.random.default_rng(n_cubes)
    for _ in range(20):
        place = draw_scene(rng, n_cubes)
        assert place.shape == (n_cubes, 3)
        for x, y, z in place:
            below = np.linalg.norm(place - [x, y, z - CUBE], axis=1).min()
            assert z == pytest.approx(CUBE / 2) or below < 1e-9


def test_moves_are_tried_on_top_of_others_and_in_the_air() -> None:
    rng = np.random.default_rng(0)
    place = draw_scene(rng, 4)
    heights = [random_place(rng, place, int(rng.integers(4)))[2] for _ in range(200)]
    assert min(heights) == pytest.approx(CUBE / 2)
    assert max(heights) > CUBE


def test_tower_play_begins_with_high_towers_and_builds_on_the_highest() -> None:
    rng = np.random.default_rng(0)
    scenes = [draw_towers(rng, 4) for _ in range(60)]
    highest = [float(scene[:, 2].max()) for scene in scenes]
    assert np.mean([high > 3 * CUBE for high in highest]) > 0.3  # towers of four
    assert draw_towers(rng, 1).shape == (1, 3)
    scene = np.array([[0.4, 0, 0.02], [0.4, 0, 0.06], [0.4, 0, 0.10], [0.5, 0.2, 0.02]])
    firsts = [first_top(rng, scene, [0, 3, 2, 1]) for _ in range(100)]
    assert set(firsts) == {2, 3}  # tops, mostly the highest
    assert firsts.count(2) > 50
    assert first_top(rng, scene, [0]) == 0
    places = np.array([tower_place(rng, scene, 3) for _ in range(100)])
    on_top = np.linalg.norm(places - [0.4, 0, 0.14], axis=1) < 1e-9
    assert 0.5 < on_top.mean() < 1


def test_clips_of_several_buffers_are_spread_evenly(small_buffer: Path, tmp_path: Path) -> None:
    assert evenly([4, 2]).tolist() == [0, 4, 1, 2, 5, 3]
    one, several = open_buffer(small_buffer), tmp_path / "several"
    assert mix([small_buffer, small_buffer], several) == 2 * len(one)
    both, index = open_buffer(several), np.arange(2 * len(one))
    assert (both.clips(index).frame[::2] == one.clips(index[: len(one)]).frame).all()
    assert (open_truth(several).position(1) == open_truth(small_buffer).position(0)).all()


def test_one_command_makes_what_ships_with_the_settings_it_ships_with() -> None:
    play, first, _, _, more, graph = commands(Path("out"))
    asked = parse(Train, "train", more[2:]).resolve()
    there = read_config(Path(str(CUBES.model)))
    same = {"start": asked.start, "checkpoint_every": asked.checkpoint_every}
    same |= {"picture_every": asked.picture_every}  # what is drawn and kept on the way
    assert asked.difference(there.model_copy(update=same)) is None
    assert parse(Train, "train", first[2:]).resolve().steps == 1200
    assert play[play.index("--episodes") + 1] == "700"
    assert graph[graph.index("--clips") + 1] == "450"
    small = commands(Path("out"), 0.01)
    assert small[0][small[0].index("--episodes") + 1] == "7"


def test_a_tower_is_taken_down_from_its_top() -> None:
    tower = np.array([[0.4, 0, 0.02], [0.4, 0, 0.06], [0.4, 0, 0.10]])
    goal = np.array([[0.4, 0.1, 0.02], [0.4, -0.1, 0.02], [0.5, 0.2, 0.02]])
    found = next_move(tower, goal)
    assert tops(tower) == [2]
    assert found is not None
    assert (found.thing, found.steps) == (2, 3)
    assert next_move(goal, goal) is None


def test_a_tower_is_built_from_its_bottom() -> None:
    goal = np.array([[0.4, 0, 0.06], [0.4, 0, 0.02], [0.4, 0, 0.10]])
    start = np.array([[0.5, 0.1, 0.02], [0.5, -0.1, 0.02], [0.5, 0.2, 0.02]])
    found = next_move(start, goal)
    assert found is not None
    assert (found.thing, found.steps) == (1, 3)


def test_a_ring_takes_one_move_more_than_it_has_cubes() -> None:
    start = np.array([[0.5, -0.1, 0.02], [0.5, 0.1, 0.02], [0.35, 0.0, 0.02]])
    found = next_move(start, start[[1, 2, 0]])
    assert found is not None
    assert found.steps == MOVES[3][3] == 4


def test_random_tasks_have_something_to_do() -> None:
    task = random_task(np.random.default_rng(0), 3)
    assert task.n_objects == 3
    assert task.minimum_moves >= 1


def test_the_frozen_suite_is_what_its_command_draws() -> None:
    folder = Path(str(CUBES.suites))
    arrays, _ = read_arrays(folder / "ogbench-cubes.test.safetensors")
    drawn = suite.draw()
    assert digest_content(arrays) == digest_content(drawn)
    assert (
        digest_content(arrays)
        == read_json(folder / "hashes.json")["ogbench-cubes.test.safetensors"]
    )
    number = drawn["complete/4/number"][:EPISODES, 0]
    assert np.bincount(number)[1:].tolist() == [EPISODES // N_TASKS] * N_TASKS


def test_the_table_counts_whole_successes_by_task() -> None:
    def row(episode: int, best: float) -> Result:
        return Result(
            method="ncs",
            world="ogbench-cubes",
            goal="complete",
            objects=2,
            seed=0,
            episode=episode,
            split="test",
            task="",
            config="",
            code="",
            minimum_moves=2,
            steps=3,
            unsatisfied=2,
            final=best,
            best=best,
            seconds=1.0,
            cap_factor=4,
            noise=0.0,
            n_constrained=2,
            label="ncs",
        )

    _, cells = score.table([row(0, 1.0), row(5, 0.5), row(1, 1.0)])
    assert cells[:4] == ["double", "ncs", "1/2 = 0.50", "1/1 = 1.00"]
    assert cells[-3:] == ["2/3 = 0.67", "1.50 x", "39"]


def test_the_record_says_what_the_package_offers() -> None:
    assert isinstance(CUBES, World)
    assert set(VARIANTS) == set(CUBES.suite_objects)
    assert official_task(4, 4, seed=1).minimum_moves == 5


@needs_ogbench
def test_ogbench_gives_pictures_goals_and_an_arm_that_moves_cubes() -> None:
    from ogbench_cubes.world import Cubes

    env = Cubes(n_objects=2)
    task = official_task(2, 2, seed=3)
    first, info = env.reset(options={"task": task})
    assert first["image"].shape == first["goal"].shape == (64, 64, 3)
    assert info["control_steps"] > 0
    again, _ = env.reset(options={"task": task})
    assert (first["image"] == again["image"]).all()
    assert (first["goal"] == again["goal"]).all()
    terminated = False
    for _ in range(4):
        if not terminated:
            _, _, terminated, _, info = env.step(env.oracle_action())
    assert terminated
    assert info["control_steps"] < 500


@needs_ogbench
def test_two_episodes_side_by_side_do_not_meet() -> None:
    from ogbench_cubes.world import Cubes

    alone, other = Cubes(n_objects=2), Cubes(n_objects=2)
    task = official_task(2, 4, seed=5)
    alone.reset(options={"task": task})
    action = alone.oracle_action()
    alone.step(action)
    kept = alone.truth().position
    alone.reset(options={"task": task})
    other.reset(options={"task": official_task(2, 5, seed=6)})
    alone.step(action)
    assert np.array_equal(alone.truth().position, kept)
