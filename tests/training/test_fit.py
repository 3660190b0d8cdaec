"""What a buffer tells of the actions a network will see."""

import numpy as np

from ncs.model.dslate.world import DslateConfig

ACTION = np.array([[0.1, -0.2, 0.05, 0.3, 0.1, 0.0], [-0.3, 0.2, 0.02, 0.1, -0.5, 0.0]])


def test_bounds_hold_every_pick_and_place_and_leave_the_height_out() -> None:
    fitted = DslateConfig().fit(ACTION)
    assert np.allclose(fitted.action_low, (-0.3, -0.3, 0, -0.7, -0.5, 0))
    assert np.allclose(fitted.action_high, (0.4, 0.2, 0, 0.7, 0.5, 0))


def test_bounds_that_were_given_stay() -> None:
    low, high = (-1.0, -2.0, 0.0, -3.0, -4.0, 0.0), (1.0, 2.0, 0.0, 3.0, 4.0, 0.0)
    given = DslateConfig(action_low=low, action_high=high)
    assert given.fit(ACTION) == given


def test_bounds_survive_a_round_trip() -> None:
    fitted = DslateConfig().fit(ACTION)
    assert DslateConfig(**fitted.model_dump(mode="json")) == fitted
