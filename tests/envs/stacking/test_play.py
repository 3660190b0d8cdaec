"""Free play on a table builds high, and moves what is buried too."""

import numpy as np

from ncs.data.collect import Explorer
from ncs.data.rollout import Start, rollout
from ncs.envs import make_env
from ncs.envs.stacking.facts import CUBE, Style
from ncs.envs.stacking.layouts import LAYOUTS
from ncs.envs.stacking.play import first_to_move, place_to_try
from ncs.records import Episode

FRONT, DEPTH = LAYOUTS


def clips(style: Style, count: int = 150) -> list[Episode]:
    env = make_env("block-stacking", goal="none", style=style)
    starts = [Start(env.draw_task(np.random.default_rng(i)), [i]) for i in range(count)]
    explorer = Explorer([env], 4)
    return [rollout([env], explorer, [start], keep=True, max_steps=4)[0] for start in starts]


def levels(episode: Episode) -> np.ndarray:
    """The level of each cube in each frame, (T, N)."""
    height_TN = np.array([truth.position[:, 2] for truth in episode.truth])
    return np.floor(height_TN / CUBE).astype(int)


def test_on_a_table_the_third_level_is_seen_and_left_and_reached() -> None:
    level = [levels(episode) for episode in clips("xyz")]
    assert np.mean([(frames == 2).mean() for frames in level]) > 0.04
    change = [np.diff((frames == 2).astype(int), axis=0) for frames in level]
    left, reached = (sum(int((steps == sign).sum()) for steps in change) for sign in (-1, 1))
    assert left > 15
    assert reached > 40


def test_on_a_table_three_of_four_cubes_move_in_a_clip_and_some_tries_fail() -> None:
    position = [[truth.position for truth in episode.truth] for episode in clips("xyz")]
    moved = [(np.diff(frames, axis=0) != 0).any(axis=2) for frames in position]
    assert np.mean([frames.any(axis=0).sum() for frames in moved]) > 2.8
    assert 0.6 < np.mean([frames.any(axis=1).mean() for frames in moved]) < 0.9


def test_play_before_a_wall_draws_nothing_for_the_order() -> None:
    rng = np.random.default_rng(3)
    assert first_to_move(rng, FRONT, [0, 5, 1, 2], [0, 3, 1]) == 0, "buried, and first all the same"
    assert rng.random() == np.random.default_rng(3).random()


def test_tops_go_before_what_they_bury() -> None:
    rng, tower = np.random.default_rng(0), [0, 12, 24, 5]
    first = [first_to_move(rng, DEPTH, tower, [0, 1, 2, 3]) for _ in range(200)]
    assert np.mean([i in (2, 3) for i in first]) > 0.85
    assert first.count(2) > first.count(3) / 2


def test_what_is_left_to_be_moved_is_seldom_buried() -> None:
    rng, start, now = np.random.default_rng(0), [0, 1, 2, 3], [0, 1, 6, 3]
    place = [place_to_try(rng, DEPTH, now, 3, start) for _ in range(300)]
    assert np.mean([cell == 6 + DEPTH.n_columns for cell in place]) > 0.5
    assert np.mean([cell in (12, 13) for cell in place]) < 0.1
