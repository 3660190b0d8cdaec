"""Looks: what a task says of them, and what is drawn from that."""

import numpy as np
import pytest

from ncs.envs.appearance import (
    FEATURES,
    GOAL,
    HARD_STYLES,
    NOISE,
    STYLES_HELP,
    Look,
    add_noise,
    check_look,
    draw_light,
    draw_look,
    read_look,
)
from ncs.records import ConfigError

GREY = np.full((64, 64, 3), 128, np.uint8)


@pytest.mark.parametrize("style", HARD_STYLES)
def test_a_look_survives_its_array(style: str) -> None:
    array = draw_look(np.random.default_rng(0), style, 5)
    look = read_look({"look": array})
    assert look is not None
    assert look.features == HARD_STYLES[style]
    assert array.shape == (5, 2)
    check_look({"look": array})


def test_every_style_is_explained_and_real_is_all_features_but_the_held_out() -> None:
    assert set(STYLES_HELP) == set(HARD_STYLES)
    assert HARD_STYLES["real"] | {"unseen"} == set(FEATURES) == HARD_STYLES["real-unseen"]


def test_a_scene_without_a_look_is_plain() -> None:
    assert read_look({}) is None
    check_look({})


@pytest.mark.parametrize(
    "array",
    [
        np.zeros((3, 3), np.int64),
        np.zeros((3, 2)),
        np.array([[1, 2], [1, 3]]),
        np.array([[1 << len(FEATURES), 0]]),
        np.array([[-1, 0]]),
        np.array([[1, -5]]),
    ],
)
def test_a_look_that_cannot_be_shown_is_refused(array: np.ndarray) -> None:
    with pytest.raises(ConfigError, match="look"):
        check_look({"look": array})


def test_light_stays_through_a_scene_and_changes_for_its_goal_and_from_scene_to_scene() -> None:
    look, other = (Look(HARD_STYLES["light"], seed) for seed in (1, 2))
    first, later, goal, elsewhere = (
        draw_light(look, 0),
        draw_light(look, 7),
        draw_light(look, GOAL),
        draw_light(other, 0),
    )
    assert first is not None
    assert later is not None
    assert goal is not None
    assert elsewhere is not None
    np.testing.assert_array_equal(first.towards, later.towards)
    for light in (goal, elsewhere):
        assert np.abs(light.towards - first.towards).max() > 0.01
        assert np.abs(light.tint - first.tint).max() > 0.01
    assert np.linalg.norm(first.towards) == pytest.approx(1)
    assert draw_light(Look(HARD_STYLES["wood"], 1), 0) is None


def test_noise_has_the_spread_it_should_and_is_anothers_at_every_moment() -> None:
    look = Look(HARD_STYLES["noise"], 3)
    one, again, later, goal = (add_noise(GREY, look, m) for m in (0, 0, 1, GOAL))
    assert (one == again).all()
    assert (one != later).mean() > 0.5
    assert (one != goal).mean() > 0.5
    spread = (one.astype(float) - 128).std() / 255
    assert spread == pytest.approx(NOISE, rel=0.05)
    assert abs(one.astype(float).mean() - 128) < 0.3
    assert add_noise(GREY, Look(HARD_STYLES["wood"], 3), 0) is GREY
