"""Learning from failure within an episode."""

import numpy as np
import pytest

from ncs.control import ControlConfig, decide
from ncs.control.algorithm import Steps
from ncs.control.decision import Choice
from ncs.control.extensions.distrust import extend, failed

CORNER = np.array([[-1.0, -1], [1, -1], [1, 1], [-1, 1]])
HERE, THERE = CORNER[:2]


def sent(sim, graph, scene, states, target=THERE):
    """Whether a move from HERE failed, by the states that are seen after it."""
    choice = Choice(goal=2, entity=0, state=HERE, target=target)
    return failed(sim.pose(graph, scene(states), scene(CORNER)), choice)


def test_an_action_that_worked_is_trusted(sim, square, scene):
    assert not sent(sim, square(), scene, [THERE, [1, 1]])


@pytest.mark.parametrize("states", [[HERE], [[1, 1]], [HERE, THERE]])
def test_an_entity_that_stayed_or_went_astray_has_failed(sim, square, scene, states):
    assert sent(sim, square(), scene, states)


def test_a_move_too_short_to_see_proves_nothing(sim, square, scene):
    assert not sent(sim, square(), scene, [HERE], target=HERE + 0.1)


def test_an_empty_picture_or_a_graph_without_calibration_proves_nothing(sim, square, scene):
    assert not sent(sim, square(), scene, np.zeros((0, 2)))
    assert not sent(sim, square(calibration=None), scene, [HERE])


def test_a_move_that_failed_is_not_made_again(sim, square, scene):
    problem, steps = sim.pose(square(), scene([HERE]), scene([THERE])), extend(Steps())
    kinds = [decide(problem, steps).kind for _ in range(3)]
    assert kinds == ["edge", "random", "random"]
    assert [decide(problem, Steps()).kind for _ in range(2)] == ["edge", "edge"]


def test_another_way_is_taken_instead(sim, square, scene):
    steps = ControlConfig(extensions=("composed", "residual", "leeway", "distrust")).steps()
    problem = sim.pose(square(error=0.001), scene([HERE]), scene([THERE]))
    found = [decide(problem, steps) for _ in range(4)]
    assert [one.kind for one in found] == ["residual", *3 * ["leeway"]]
    assert [one.choice.failures for one in found] == [0, 1, 2, 3]


def test_vain_attempts_make_a_constraint_less_urgent(sim, square, scene):
    now, goal = scene(CORNER[[0, 1]]), scene(CORNER[[1, 3]])
    steps = ControlConfig(choice="argmax", extensions=("composed", "distrust")).steps()
    problem = sim.pose(square(), now, goal)
    assert [decide(problem, steps).choice.goal for _ in range(3)] == [1, 0, 1]


def test_nothing_is_held_against_a_random_action(sim, square, scene):
    problem, steps = sim.pose(square(), scene([CORNER[3]]), scene([THERE])), extend(Steps())
    assert [decide(problem, steps).kind for _ in range(2)] == ["random", "random"]
    assert decide(problem, steps).choice.failures == 0
