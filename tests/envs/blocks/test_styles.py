"""Numbers of the hard styles of blocks."""

import numpy as np
import pytest

from ncs.envs import make_env
from ncs.envs.blocks.facts import EDGE, SPACING
from ncs.envs.blocks.styles import ARM, ARM_BASES, CLUTTER_SPOTS, EDGES, draw_edges, eye_for
from ncs.records import ConfigError, Task


@pytest.mark.parametrize("tilt", [False, True])
@pytest.mark.parametrize("clutter", [False, True])
def test_the_whole_grid_is_in_every_picture(tilt: bool, clutter: bool) -> None:
    edge = EDGE - (SPACING - EDGES.max()) / 2
    corner = np.array([[x, y, z] for x in (-edge, edge) for y in (-edge, edge) for z in (0, 0.16)])
    assert np.abs(eye_for(tilt, clutter).project(corner)).max() < 1.01


@pytest.mark.parametrize("tilt", [False, True])
def test_clutter_lies_outside_the_grid_and_in_the_picture(tilt: bool) -> None:
    spot = np.column_stack([CLUTTER_SPOTS[0], np.zeros(len(CLUTTER_SPOTS[0]))])
    assert (np.abs(CLUTTER_SPOTS[0]).max(axis=1) > EDGE + 0.02).all()
    assert np.abs(eye_for(tilt, True).project(spot)).max() < 1


def test_a_small_cube_shows_its_top_behind_a_large_one() -> None:
    eye = eye_for(True, True)
    large, small = EDGES.max(), EDGES.min()
    for y in (-0.3, -0.1, 0.1):
        rim = eye.project(np.array([0.0, y + large / 2, large]))[1]
        top = eye.project(np.array([0.0, y + SPACING, small]))[1]
        assert top > rim


def test_the_arm_reaches_over_the_whole_grid() -> None:
    for base in ARM_BASES:
        far = np.abs(ARM.area - base[:2]).max(axis=0)
        assert np.hypot(*far) < 1.3 * (ARM.upper + ARM.fore)
        assert np.abs(base[:2]).max() > EDGE + ARM.thick


def test_edges_span_threefold_and_fit_their_cells() -> None:
    for n in range(1, 13):
        edge = draw_edges(np.random.default_rng(n), n)
        assert edge.max() < SPACING
        if n > 1:
            assert edge.max() / edge.min() == pytest.approx(3, rel=1e-5)


def test_truth_and_exact_picks_know_the_true_height() -> None:
    env = make_env("block-rearrange", style="sizes")
    env.reset(seed=0)
    edge = env.task.scene["edge"]
    np.testing.assert_allclose(env.truth().position[:, 2], edge / 2)
    picked = np.array([env.random_move(i, np.random.default_rng(0))[2] for i in range(4)])
    np.testing.assert_allclose(picked, edge / 2)


@pytest.mark.parametrize("edge", [0.5, 0.01, np.nan])
def test_cubes_of_no_style_are_refused(edge: float) -> None:
    env = make_env("block-rearrange", style="sizes")
    task = env.draw_task(np.random.default_rng(0))
    scene = {**task.scene, "edge": np.full(4, edge, np.float32)}
    with pytest.raises(ConfigError, match="edges"):
        env.reset(options={"task": Task(task.world, task.goal, scene, task.minimum_moves)})
