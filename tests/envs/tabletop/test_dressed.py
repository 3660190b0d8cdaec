"""What MuJoCo shows of the hard styles."""

import numpy as np
import pytest

from ncs.envs.appearance import HARD_STYLES, Look
from ncs.envs.tabletop.dressed import DressedStage, dressed_stage_for
from ncs.envs.tabletop.mesh_set import own_meshes
from ncs.envs.tabletop.scene import Cast, stage_for

NAMES = ["apple", "cube", "mug"]
KINDS = np.array([own_meshes().names.index(name) for name in NAMES])
CAST = Cast(KINDS, np.eye(3), np.full(3, 0.4))
SPOTS = np.array([[0.0, 0.0], [0.2, 0.2], [-0.2, -0.15]])


def stage() -> DressedStage:
    return dressed_stage_for(own_meshes())


def picture(style: str, size: int = 64, moment: int = 0) -> np.ndarray:
    return stage().dressed_picture(Look(HARD_STYLES[style], 4), CAST, SPOTS, moment, size)


def test_a_look_without_features_is_the_plain_world_to_the_bit() -> None:
    picture("real")
    bare = stage().dressed_picture(Look(frozenset(), 0), CAST, SPOTS, 0, 64)
    assert (bare == stage_for(own_meshes()).picture(CAST, SPOTS, 64)).all()


@pytest.mark.parametrize("style", HARD_STYLES)
def test_a_picture_depends_on_its_scene_alone(style: str) -> None:
    first = picture(style)
    stage().dressed_picture(Look(HARD_STYLES["real"], 9), CAST.only(np.eye(3)[0] > 0), SPOTS, 3, 50)
    assert (picture(style) == first).all()


@pytest.mark.parametrize("factor", [0.4, 1.1])
def test_an_object_is_seen_at_its_size(factor: float) -> None:
    kind = np.array([own_meshes().names.index("sphere1280")])
    look = Look(HARD_STYLES["sizes"], 0)
    plain, scaled = (
        stage().dressed_segment(
            look, Cast(kind, np.eye(3)[:1], np.zeros(1), size), SPOTS[:1], 0, 256
        )
        for size in (None, np.array([factor]))
    )
    assert scaled.sum() / plain.sum() == pytest.approx(factor**2, rel=0.1)


def test_a_shadow_lies_beside_its_object_and_is_not_black() -> None:
    look = Look(HARD_STYLES["shadow"], 0)
    one = CAST.only(np.array([True, False, False]))
    cast = stage().dressed_picture(look, one, SPOTS[:1], 0, 256)[:, :180].astype(int)
    table = np.median(cast, axis=(0, 1))
    object_here = stage().dressed_segment(look, one, SPOTS[:1], 0, 256)[:, :180] > 0
    dark = (cast < table - 40).all(axis=-1) & ~object_here
    assert 200 < dark.sum() < 5000
    assert cast[dark].max(axis=1).min() > 60


@pytest.mark.parametrize("style", ["arm", "clutter", "real"])
def test_segments_mark_objects_and_nothing_else(style: str) -> None:
    look = Look(HARD_STYLES[style], 4)
    seen = stage().dressed_segment(look, CAST, SPOTS, 0, 64)
    assert np.unique(seen).tolist() == [0, 1, 2, 3]
    nobody = CAST.only(np.zeros(3, bool))
    assert not stage().dressed_segment(look, nobody, np.zeros((0, 2)), 0, 64).any()


def test_held_out_textures_are_others() -> None:
    assert (picture("wood") != picture("wood-unseen")).mean() > 0.5
