"""Things known again from picture to picture."""

import numpy as np

from ncs.control.trail import Trail

START = np.array([[0.1, 0.1], [0.5, 0.5], [0.9, 0.1]])


def begun():
    trail = Trail()
    np.testing.assert_array_equal(trail.see(START, 0.05), [0, 1, 2])
    return trail


def test_things_that_rest_are_known_in_any_order():
    trail = begun()
    np.testing.assert_array_equal(trail.see(START[[2, 0, 1]] + 0.004, 0.05), [2, 0, 1])


def test_what_an_action_moved_is_known_where_it_was_to_go():
    trail = begun()
    trail.expect(START[1] + 0.003, np.array([0.2, 0.9]))
    after = np.array([[0.9, 0.1], [0.21, 0.9], [0.1, 0.1]])
    np.testing.assert_array_equal(trail.see(after, 0.05), [2, 1, 0])
    np.testing.assert_allclose(trail.first, START)


def test_what_an_action_left_is_known_where_it_was():
    trail = begun()
    trail.expect(START[1], np.array([0.2, 0.9]))
    np.testing.assert_array_equal(trail.see(START, 0.05), [0, 1, 2])


def test_what_was_never_near_is_new_and_what_is_hidden_comes_back():
    trail = begun()
    np.testing.assert_array_equal(trail.see(np.array([[0.5, 0.9], [0.5, 0.5]]), 0.05), [3, 1])
    np.testing.assert_array_equal(trail.see(START, 0.05), [0, 1, 2])
    np.testing.assert_array_equal(trail.see(np.zeros((0, 2)), 0.05), [])
