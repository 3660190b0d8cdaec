"""Goals are looked at once, or at every step where asked."""

import numpy as np

from ncs.graph.goals import GoalCache


def counting():
    calls = []

    def encode(image, lanes):
        calls.append(list(lanes))
        return [int(picture.sum()) for picture in image]

    return encode, calls


def goals(*values):
    return np.stack([np.full((2, 2, 3), value, np.uint8) for value in values])


def test_only_new_goals_are_encoded_and_all_of_them_at_once():
    encode, calls = counting()
    cache = GoalCache(encode)
    assert cache.refresh(goals(1, 2, 3), [0, 1, 2]) == [0, 1, 2]
    assert cache.refresh(goals(1, 2, 3), [0, 1, 2]) == []
    assert cache.refresh(goals(3, 9), [2, 1]) == [1]
    assert calls == [[0, 1, 2], [1]]
    assert cache.entities == {0: 12, 1: 108, 2: 36}


def test_a_picture_that_changes_in_place_is_noticed():
    encode, _ = counting()
    cache = GoalCache(encode)
    picture = goals(1)
    cache.refresh(picture, [0])
    picture[:] = 2
    assert cache.refresh(picture, [0]) == [0]


def test_anew_looks_whenever_a_picture_is_shown_and_still_tells_which_are_new():
    encode, calls = counting()
    cache = GoalCache(encode, anew=True)
    assert cache.refresh(goals(1, 2), [0, 1]) == [0, 1]
    assert cache.refresh(goals(1, 9), [0, 1]) == [1]
    assert calls == [[0, 1], [0, 1]]
    assert cache.entities == {0: 12, 1: 108}
