"""What the camera sees: the authors' table to the bit, and objects where geometry puts them."""

import os
import signal
import threading
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from scipy.spatial.transform import Rotation

from ncs.envs.tabletop.facts import FRAME, ORIGIN, PLAIN_MOUNT, WORLD_XML
from ncs.envs.tabletop.mesh_set import choose_meshes, own_meshes
from ncs.envs.tabletop.offscreen import open_canvas
from ncs.envs.tabletop.scene import Cast, Stage, reduce, stage_for
from ncs.envs.tabletop.stl import write_stl

NOBODY = Cast(np.zeros(0, np.int64), np.zeros((0, 3)), np.zeros(0))
NOWHERE = np.zeros((0, 2))
SPOTS = np.array([[0.0, 0.0], [0.2, 0.2], [-0.2, 0.2], [0.2, -0.2], [-0.2, -0.2]])


def stage() -> Stage:
    return stage_for(own_meshes())


def cast_of(*names: str, yaw: float = 0.0) -> Cast:
    kinds = np.array([own_meshes().names.index(name) for name in names])
    colours = np.eye(3)[np.arange(len(names)) % 3]
    return Cast(kinds, colours, np.full(len(names), yaw))


def test_the_empty_table_is_the_authors_to_the_bit(
    robogym_meshes: Path, authors_frames: list[Path]
) -> None:
    empty = stage_for(choose_meshes(robogym_meshes)).picture(NOBODY, NOWHERE, FRAME)
    for path in authors_frames:
        theirs = np.asarray(Image.open(path).convert("RGB"))
        np.testing.assert_array_equal(empty[:, 195:], theirs[:, 195:], err_msg=path.name)
        objects = (theirs != empty).any(axis=-1).mean()
        assert 0 < objects < 0.12, "more than a few objects differ"


def test_the_own_sets_table_differs_from_the_authors_by_its_plain_mount_only(
    authors_frames: list[Path],
) -> None:
    empty = stage().picture(NOBODY, NOWHERE, FRAME)
    theirs = np.asarray(Image.open(authors_frames[0]).convert("RGB"))
    assert (empty[:, :180] == 255).all(), "the table is pure white"
    same = (empty[:, 195:] == theirs[:, 195:]).all(axis=-1).mean()
    assert same > 0.9


def camera() -> tuple[np.ndarray, np.ndarray]:
    """Place and axes (right, up, back as columns) of robogym's vision_cam_top, from its numbers."""
    parent = Rotation.from_quat([0.383, 0.924, 0, 0], scalar_first=True)
    own = Rotation.from_quat([0.1234811, 0.03281631, 0.9236646, 0.3612743], scalar_first=True)
    offset = np.array([0.7477575, 0.4143189, -0.5325117])
    return np.array([0.95125, 0.60, 1.1993]) + parent.apply(offset), (parent * own).as_matrix()


def test_the_camera_stands_where_it_was_measured_to_stand() -> None:
    place, axes = camera()
    np.testing.assert_allclose(place, [1.69901, 0.68390, 1.86877], atol=1e-5)
    np.testing.assert_allclose(-axes[:, 2], [-0.2518, -0.0353, -0.9671], atol=1e-4)


@pytest.mark.parametrize("spot", SPOTS.tolist())
def test_a_sphere_is_seen_where_rays_meet_it_to_a_tenth_of_a_pixel(spot: list[float]) -> None:
    seen = stage().segment(cast_of("sphere1280"), np.array([spot]), FRAME) == 1
    place, axes = camera()
    focal = FRAME / 2 / np.tan(np.radians(36.392) / 2)
    line = np.arange(FRAME) + 0.5 - FRAME / 2
    column, row = np.meshgrid(line, line)
    ray = np.stack([column, -row, np.full_like(row, -focal)], axis=-1) @ axes.T
    ray /= np.linalg.norm(ray, axis=-1, keepdims=True)
    centre = ORIGIN + np.array([*spot, 0.075]) - place
    met = centre @ centre - (ray @ centre) ** 2 < 0.075**2
    offset = np.argwhere(seen).mean(axis=0) - np.argwhere(met).mean(axis=0)
    assert np.abs(offset).max() < 0.1  # of a 256-pixel picture
    assert (seen != met).sum() < 0.02 * met.sum()


def test_x_points_left_and_y_down() -> None:
    middle, more_x, more_y = (
        np.argwhere(stage().segment(cast_of("cube"), np.array([spot]), 64)).mean(axis=0)
        for spot in ([0.0, 0.0], [0.1, 0.0], [0.0, 0.1])
    )
    assert more_x[1] < middle[1] - 5
    assert more_y[0] > middle[0] + 5


def test_64_pixels_are_the_middle_of_every_4_by_4() -> None:
    cast, spots = cast_of("mug", "apple"), SPOTS[1:3]
    large = stage().picture(cast, spots, FRAME).astype(float)
    expected = large.reshape(64, 4, 64, 4, 3)[:, 1:3, :, 1:3].mean(axis=(1, 3))
    small = stage().picture(cast, spots, 64)
    assert np.abs(small - expected).max() <= 0.5
    assert small.shape == (64, 64, 3)


@pytest.mark.parametrize("factor", [2, 4, 8])
def test_reducing_is_bilinear_without_antialiasing(factor: int) -> None:
    image = np.random.default_rng(0).integers(0, 256, (64, 64, 3), np.uint8)
    small = reduce(image, factor)
    centre = (np.arange(64 // factor) + 0.5) * factor - 0.5
    low = np.floor(centre).astype(int)
    rows = (image[low].astype(float) + image[low + 1]) / 2
    expected = (rows[:, low] + rows[:, low + 1]) / 2
    assert np.abs(small - expected).max() <= 0.5


@pytest.mark.parametrize("size", [17, 64, 200, 256, 700])
def test_any_size_can_be_rendered(size: int) -> None:
    picture = stage().picture(cast_of("banana"), SPOTS[:1], size)
    assert picture.shape == (size, size, 3)
    assert (picture != 255).any()
    assert (picture[0] == 255).any()


def test_a_picture_depends_on_its_scene_alone() -> None:
    cast = cast_of("chain", "cube", "chain", yaw=1.0)
    first = stage().picture(cast, SPOTS[:3], FRAME)
    stage().picture(cast_of("mug", "grapes"), SPOTS[3:], 700)
    stage().segment(cast_of("mug"), SPOTS[3:4], 64)
    stage().portrait(3, np.ones(3), 50)
    assert (stage().picture(NOBODY, NOWHERE, 64) == stage().picture(NOBODY, NOWHERE, 64)).all()
    assert (stage().picture(cast, SPOTS[:3], FRAME) == first).all()
    again = Cast(cast.kind.copy(), cast.colour.copy(), cast.yaw.copy())
    assert (Stage(own_meshes()).picture(again, SPOTS[:3], FRAME) == first).all()


def test_segments_mark_each_object_by_its_number_whatever_its_parts() -> None:
    names = ["grapes", "cube", "gear", "fork", "sphere80"]
    seen = stage().segment(cast_of(*names), SPOTS, FRAME)
    assert np.unique(seen).tolist() == [0, 1, 2, 3, 4, 5]
    for index in range(5):
        alone = stage().segment(cast_of(names[index]), SPOTS[index : index + 1], FRAME) == 1
        assert (alone == (seen == index + 1)).all()


def test_segments_agree_with_the_picture() -> None:
    cast = cast_of("cube", "cylinder", "icosa")
    picture = stage().picture(cast, SPOTS[:3], FRAME)
    seen = stage().segment(cast, SPOTS[:3], FRAME)
    for index in range(3):
        inside = picture[seen == index + 1].astype(int)
        assert (inside.argmax(axis=1) == index).mean() > 0.95


def test_a_picture_equals_that_of_a_model_compiled_for_its_scene() -> None:
    mujoco = pytest.importorskip("mujoco")
    names, yaw = ["chain", "hammer", "cube"], 0.7
    stl, assets, bodies = {}, "", ""
    for i, name in enumerate(names):
        mesh = own_meshes().mesh[own_meshes().names.index(name)]
        x, y, z = ORIGIN + np.array([*SPOTS[i], -mesh.bottom])
        bodies += f'<body pos="{x} {y} {z}" euler="0 0 {yaw}">'
        for j, surface in enumerate(mesh.part):
            stl[f"{i}-{j}.stl"] = write_stl(surface)
            assets += f'<mesh name="{i}-{j}" file="{i}-{j}.stl" inertia="shell"/>'
            bodies += (
                f'<geom type="mesh" mesh="{i}-{j}" rgba="{i == 0:d} {i == 1:d} {i == 2:d} 1"/>'
            )
        bodies += "</body>"
    xml = WORLD_XML.format(frame=FRAME, assets=assets, mount=PLAIN_MOUNT + bodies)
    model = mujoco.MjModel.from_xml_string(xml, stl)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    scene, camera, whole = mujoco.MjvScene(model, 100), mujoco.MjvCamera(), mujoco.mjtCatBit
    camera.type, camera.fixedcamid = mujoco.mjtCamera.mjCAMERA_FIXED, model.camera("top").id
    mujoco.mjv_updateScene(model, data, mujoco.MjvOption(), None, camera, whole.mjCAT_ALL, scene)
    canvas, view = open_canvas(model, FRAME), mujoco.MjrRect(0, 0, FRAME, FRAME)
    compiled = np.empty((FRAME, FRAME, 3), np.uint8)
    mujoco.mjr_render(view, scene, canvas.drawing)
    mujoco.mjr_readPixels(compiled, None, view, canvas.drawing)
    canvas.close()
    compiled = compiled[::-1]
    ours = stage().picture(cast_of(*names, yaw=yaw), SPOTS[:3], FRAME)
    differ = (ours != compiled).any(axis=-1)
    assert differ.sum() <= 20  # rounding of float32 at edges
    assert (compiled != 255).any(axis=-1)[:, :180].sum() > 1000


def long_axis(yaw: float) -> float:
    """The way a marker points in the table's frame, in degrees."""
    seen = stage().segment(cast_of("marker", yaw=yaw), SPOTS[:1], FRAME)
    row, column = np.nonzero(seen)
    points = np.stack([column.mean() - column, row - row.mean()], axis=1)  # x left, y down
    x, y = np.linalg.svd(points, full_matrices=False)[2][0]
    return float(np.degrees(np.arctan2(y, x)))


def test_a_yaw_turns_an_object_from_x_towards_y() -> None:
    turned = (long_axis(0.5) - long_axis(0.0)) % 180
    assert turned == pytest.approx(np.degrees(0.5), abs=3)


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_thread_and_a_forked_child_draw_the_same() -> None:
    cast = cast_of("teapot", "star_cutter")
    here = stage().picture(cast, SPOTS[:2], FRAME)
    there = []
    thread = threading.Thread(target=lambda: there.append(stage().picture(cast, SPOTS[:2], FRAME)))
    thread.start()
    thread.join()
    assert (there[0] == here).all()
    child = os.fork()
    if child == 0:
        signal.alarm(60)  # a child that hangs is a child that failed
        os._exit(0 if (stage().picture(cast, SPOTS[:2], FRAME) == here).all() else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
