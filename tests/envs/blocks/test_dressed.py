"""What PyBullet shows of the hard styles."""

import numpy as np
import pytest

from ncs.envs.appearance import HARD_STYLES, Look
from ncs.envs.blocks.dressed import Blocks, dressed_scene
from ncs.envs.blocks.facts import CUBE
from ncs.envs.blocks.scene import shared_scene
from ncs.envs.blocks.styles import EDGES

COLOUR = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0]], np.float32)
CELLS = [0, 6, 11, 13]
BLOCKS = Blocks(CELLS, COLOUR, np.full(4, CUBE))


def picture(style: str, blocks: Blocks = BLOCKS, moment: int = 0) -> np.ndarray:
    return dressed_scene().picture(Look(HARD_STYLES[style], 4), blocks, moment, 64)


def test_a_look_without_features_is_the_plain_world_but_for_rims() -> None:
    plain = shared_scene(12)
    plain.paint(COLOUR)
    plain.arrange(CELLS)
    bare = dressed_scene().picture(Look(frozenset(), 0), BLOCKS, 0, 64)
    assert (np.abs(bare.astype(int) - plain.picture(64)).max(axis=-1) > 1).mean() < 0.02


def test_a_shadow_only_darkens_and_lies_away_from_the_lamp() -> None:
    one = Blocks([5], COLOUR[:1], np.array([CUBE]))
    lit = dressed_scene().picture(Look(frozenset(), 0), one, 0, 64).astype(int)
    cast = picture("shadow", one).astype(int)
    dark = (lit - cast).max(axis=-1) > 30
    assert 20 < dark.sum() < 400
    assert (cast <= lit + 2).all()
    row, column = np.argwhere(dark).mean(axis=0)
    top, left = np.argwhere(lit[..., 0] > 250).mean(axis=0)
    assert row > top  # the lamp stands to the upper right
    assert column < left


def test_cubes_are_as_wide_as_their_edges() -> None:
    blocks = Blocks([0, 3], COLOUR[:2], EDGES[[0, -1]])
    seen = dressed_scene().segment(Look(HARD_STYLES["sizes"], 0), blocks, 0, 64)
    pixels = np.sqrt(np.bincount(seen.ravel())[1:])
    np.testing.assert_allclose(pixels, EDGES[[0, -1]] / 0.8 * 64, atol=0.8)


@pytest.mark.parametrize("style", ["arm", "clutter", "real"])
def test_segments_mark_cubes_and_nothing_else(style: str) -> None:
    look = Look(HARD_STYLES[style], 4)
    seen = dressed_scene().segment(look, BLOCKS, 0, 64)
    assert np.unique(seen).tolist() == [0, 1, 2, 3, 4]
    shown = dressed_scene().segment(look, Blocks([-1] * 4, COLOUR, np.full(4, CUBE)), 0, 64)
    assert not shown.any()


@pytest.mark.parametrize("style", HARD_STYLES)
def test_a_picture_depends_on_its_scene_alone(style: str) -> None:
    first = picture(style)
    dressed_scene().picture(Look(HARD_STYLES["real"], 9), Blocks([2, 7], COLOUR, EDGES), 3, 50)
    assert (picture(style) == first).all()
    assert dressed_scene().picture(Look(HARD_STYLES[style], 4), BLOCKS, 0, 200).shape[0] == 200
