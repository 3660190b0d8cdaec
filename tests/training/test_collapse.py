import numpy as np

from ncs.training.collapse import collapse_reason


def test_collapse_has_three_faces_and_health_none() -> None:
    present = np.ones((2, 2), bool)
    takes_all = np.zeros((2, 2, 4))
    takes_all[0, 0], takes_all[1, 1] = 1, 1  # not the same slot in both frames
    assert collapse_reason(takes_all, present) == "one slot takes the whole image"
    even = np.full((2, 2, 4), 0.5)
    assert collapse_reason(even, present) == "all slots look at the same cells"
    healthy = np.array([[[1, 1, 0, 0], [0, 0, 1, 1]]] * 2, float)
    assert collapse_reason(healthy, ~present) == "no slot stands for anything"
    assert collapse_reason(healthy, present) is None
