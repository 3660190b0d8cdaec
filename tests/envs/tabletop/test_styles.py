"""Numbers of the hard styles of the table."""

import numpy as np
import pytest

from ncs.envs import make_env
from ncs.envs.tabletop.dressed import dressed_stage_for
from ncs.envs.tabletop.facts import HALF_AREA, ORIGIN
from ncs.envs.tabletop.mesh_set import own_meshes
from ncs.envs.tabletop.styles import (
    ARM_BASES,
    CLUTTER_SPOTS,
    SCALES,
    all_in_sight,
    draw_scales,
    eye_for,
)
from ncs.envs.tabletop.tasks import find_boxes, find_heights, in_sight
from ncs.records import ConfigError, Task


@pytest.mark.parametrize(("tilt", "name"), [(False, "top"), (True, "tilt")])
def test_eyes_are_the_cameras_that_mujoco_draws_with(tilt: bool, name: str) -> None:
    stage, eye = dressed_stage_for(own_meshes()), eye_for(tilt)
    number = stage._model.camera(name).id
    np.testing.assert_allclose(eye.position + ORIGIN, stage._data.cam_xpos[number], atol=1e-6)
    np.testing.assert_allclose(eye.axes.ravel(), stage._data.cam_xmat[number], atol=1e-6)
    angle = np.radians(stage._model.cam_fovy[number])
    assert eye.reach == pytest.approx(np.tan(angle / 2), abs=1e-6)


def test_the_slanted_camera_sees_the_whole_area_from_40_degrees() -> None:
    x, y = HALF_AREA
    corner = np.array([[sx * x, sy * y, z] for sx in (-1, 1) for sy in (-1, 1) for z in (0, 0.15)])
    eye = eye_for(True)
    assert np.abs(eye.project(corner)).max() < 1
    assert np.degrees(np.arccos(eye.axes[2, 2])) == pytest.approx(40)


def test_clutter_and_the_arms_stands_lie_outside_the_area() -> None:
    assert (np.abs(CLUTTER_SPOTS[0]) > HALF_AREA + 0.05).any(axis=1).all()
    assert (np.abs(ARM_BASES[:, :2]) > HALF_AREA + 0.05).any(axis=1).all()


def test_scales_span_threefold_in_every_scene() -> None:
    scale = draw_scales(np.random.default_rng(0), (50, 4))
    np.testing.assert_allclose(scale.max(axis=1), SCALES[1], rtol=1e-6)
    np.testing.assert_allclose(scale.min(axis=1), SCALES[0], rtol=1e-6)


@pytest.mark.parametrize(("gap", "height", "seen"), [(0.0, 0.15, False), (0.0, 0.03, True)])
def test_a_tall_box_hides_a_flat_one_behind_it(gap: float, height: float, seen: bool) -> None:
    low = np.array([[-0.04, 0.0], [-0.02, -0.05 - gap]])  # the camera stands where y is large
    high = np.array([[0.04, 0.08], [0.02, -0.01 - gap]])
    assert all_in_sight(eye_for(True), low, high, np.array([height, 0.02])) is seen


def test_boxes_go_by_the_true_size() -> None:
    kind, yaw, scale = np.array([3, 3]), np.array([0.3, 0.3]), np.array([1.0, 0.5])
    box = find_boxes(own_meshes(), kind, yaw, scale)
    np.testing.assert_allclose(box.high[1], box.high[0] / 2)
    np.testing.assert_allclose(box.low[1], box.low[0] / 2)


def test_what_is_legal_goes_by_the_true_size() -> None:
    env = make_env("robogym-rearrange", n_objects=4, style="sizes")
    legal = 0
    for seed in range(20):
        env.reset(seed=seed)
        scene = dict(env.task.scene)
        small = int(scene["scale"].argmin())
        boxes = find_boxes(env.mesh_set, scene["kind"], scene["yaw"], scene["scale"])
        # Into the corner that only a box of its own true size fits.
        target = HALF_AREA - boxes.high[small]
        here = scene["start"][small]
        action = np.array([*here, 0, *(target - here), 0], np.float32)
        others = np.delete(scene["start"], small, axis=0)
        if (np.abs(others - target) > 0.2).any(axis=1).all():
            env.step(action)
            np.testing.assert_allclose(env.truth().position[small, :2], target, atol=1e-5)
            env.reset(options={"task": env.task})
            env.step(action + np.array([0, 0, 0, 0.002, 0, 0], np.float32))
            np.testing.assert_allclose(env.truth().position[small, :2], here, atol=1e-6)
            legal += 1
    assert legal > 3


def test_no_object_starts_inside_another_whatever_its_size() -> None:
    env = make_env("robogym-rearrange", n_objects=7, style="real")
    for seed in range(20):
        scene = env.draw_task(np.random.default_rng(seed)).scene
        box = find_boxes(env.mesh_set, scene["kind"], scene["yaw"], scene["scale"])
        height = find_heights(env.mesh_set, scene["kind"], scene["scale"])
        for place in (scene["start"], scene["goal"]):
            low, high = place + box.low, place + box.high
            apart = (low[:, None] > high - 1e-6) | (high[:, None] < low + 1e-6)
            assert (apart.any(axis=-1) | np.eye(7, dtype=bool)).all()
            assert in_sight(box, height, place)


@pytest.mark.parametrize("scale", [0.1, 3.0, np.nan])
def test_sizes_of_no_style_are_refused(scale: float) -> None:
    env = make_env("robogym-rearrange", style="sizes")
    task = env.draw_task(np.random.default_rng(0))
    scene = {**task.scene, "scale": np.full(4, scale, np.float32)}
    with pytest.raises(ConfigError, match="scales"):
        env.reset(options={"task": Task(task.world, task.goal, scene, task.minimum_moves)})
