"""Learning from failure within an episode."""

import numpy as np
import pytest

from ncs.control import ControlConfig, Memory
from ncs.control.decision import Attempt
from ncs.control.review import review

HERE, THERE = np.array([-1.0, -1]), np.array([1.0, -1])


def reviewed(graph, scene, states, kind="edge", target=THERE, **switches):
    last = Attempt(kind=kind, node_from=0, node_to=1, goal=2, before=HERE, target=target)
    config = ControlConfig(**{"distrust": True, **switches})
    return review(Memory(last=last), scene(states), graph, config)


def test_an_action_that_worked_is_trusted(square, scene):
    assert not reviewed(square(), scene, [THERE, [1, 1]]).distrusted


@pytest.mark.parametrize("states", [[HERE], [[1, 1]], [HERE, THERE]])
def test_an_entity_that_stayed_or_went_astray_casts_doubt(square, scene, states):
    memory = reviewed(square(), scene, states)
    assert memory.distrusted == {("edge", 0, 1)}
    assert memory.failures == {2: 1}


def test_nothing_is_held_against_a_random_action(square, scene):
    assert not reviewed(square(), scene, [HERE], kind="random").distrusted


def test_a_move_too_short_to_see_proves_nothing(square, scene):
    assert not reviewed(square(), scene, [HERE], target=HERE + 0.1).distrusted


def test_an_empty_picture_proves_nothing(square, scene):
    assert not reviewed(square(), scene, np.zeros((0, 2))).distrusted


def test_without_the_switch_nothing_is_learned(square, scene):
    assert not reviewed(square(), scene, [HERE], distrust=False).distrusted
