"""Labels are those of the clips, and fresh clips depend on their seed alone."""

from pathlib import Path

import numpy as np

from ncs.data.buffer import open_buffer, open_truth
from ncs.health.labelled_clips import play, replay


def ignore(done: int) -> None:
    """Progress nobody watches."""


def test_a_replay_shows_the_objects_where_they_were(small_buffer: Path) -> None:
    buffer, truth = open_buffer(small_buffer), open_truth(small_buffer)
    index = np.array([3, 128])
    scenes = replay(small_buffer, buffer, index, ignore)
    assert scenes.segment.shape == (2, 5, 64, 64)
    for b, number in enumerate(index.tolist()):
        assert (scenes.moved[b] == truth.moved(number)).all()
        for t in range(4):
            changed = set(np.unique(scenes.segment[b, t][scenes.segment[b, t] != 0]))
            assert changed == {1, 2, 3, 4}
            before, after = scenes.segment[b, t : t + 2]
            moved = {n for n in range(4) if ((before == n + 1) != (after == n + 1)).any()}
            assert moved == {int(scenes.moved[b, t])}


def test_fresh_scenes_have_the_number_asked_for_and_depend_on_the_seed_alone() -> None:
    one, two = (play("block-rearrange", 7, 2, seed, ignore) for seed in (0, 0))
    assert one.colour.shape == (2, 7, 3)
    assert (one.clips.frame == two.clips.frame).all()
    assert (one.segment == two.segment).all()
    other = play("block-rearrange", 7, 2, 1, ignore)
    assert (one.clips.frame != other.clips.frame).any()


def test_a_move_that_failed_moved_nothing() -> None:
    scenes = play("block-stacking", 7, 6, 0, ignore)
    moved_BT = scenes.did_move()
    stayed_BT = (scenes.segment[:, 1:] == scenes.segment[:, :-1]).all(axis=(2, 3))
    assert stayed_BT.any()
    assert ((moved_BT < 0) == stayed_BT).all()
    assert (moved_BT[~stayed_BT] == scenes.moved[~stayed_BT]).all()
