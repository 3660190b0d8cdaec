"""The bank of textures."""

import numpy as np
import pytest

from ncs.envs.textures import (
    HELD_OUT,
    N_SEEN,
    N_TEXTURES,
    SEEN,
    SIDE,
    VARIANTS,
    draw_texture,
    make_texture,
)


@pytest.mark.parametrize("family", range(len(SEEN) + len(HELD_OUT)))
def test_textures_have_structure_and_differ(family: int) -> None:
    one, two = (make_texture(family * VARIANTS + variant) for variant in (0, 1))
    assert one.shape == (SIDE, SIDE, 3)
    assert one.dtype == np.uint8
    assert one.std(axis=(0, 1)).min() > 3
    assert (one != two).mean() > 0.5


def test_a_texture_is_the_same_whenever_it_is_made() -> None:
    kept = make_texture(0).copy()
    make_texture.cache_clear()
    assert (make_texture(0) == kept).all()


def test_held_out_textures_are_of_other_families() -> None:
    rng = np.random.default_rng(0)
    seen = {draw_texture(rng, False) for _ in range(2000)}
    unseen = {draw_texture(rng, True) for _ in range(2000)}
    assert seen == set(range(N_SEEN))
    assert unseen == set(range(N_SEEN, N_TEXTURES))
    assert N_SEEN % VARIANTS == 0
