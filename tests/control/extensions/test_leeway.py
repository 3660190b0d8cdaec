"""Blocked moves within an episode."""

from dataclasses import replace

import numpy as np

from ncs.control import ControlConfig, decide

CORNER = np.array([[-1.0, -1], [1, -1], [1, 1], [-1, 1]])
HERE, THERE = CORNER[:2]
EXACT = ControlConfig(extensions=("composed", "residual", "leeway"))


def place(decision):
    return decision.action[:2] + decision.action[3:5]


def test_where_there_is_room_the_first_move_is_as_the_steps_have_it(sim, square, scene):
    graph, goal = square(error=0.001, gap=0.2), scene([[0.3, 0.2]])
    plain = ControlConfig(extensions=("composed", "residual"))
    found, other = (sim.answer(graph, scene([HERE]), goal, c) for c in (EXACT, plain))
    assert found.kind == "residual"
    np.testing.assert_array_equal(found.action, other.action)


def test_at_the_border_the_first_move_keeps_clear_of_it(sim, square, scene):
    problem = sim.pose(square(error=0.003, gap=0.6), scene([HERE]), scene([THERE]))
    arena = replace(problem.arena, tolerance=0.04, high=np.array([0.11, 0.11, 0]))
    arena = replace(arena, low=np.array([-0.11, -0.11, 0]))
    found = decide(replace(problem, arena=arena), EXACT.steps())
    assert found.kind == "leeway"
    x, y = place(found) - THERE / 10
    assert x < 0 < y  # away from the corner


def test_a_blocked_move_is_made_again_within_the_tolerance(sim, square, scene):
    problem = sim.pose(square(error=0.001), scene([HERE]), scene([THERE]))
    problem = replace(problem, arena=replace(problem.arena, tolerance=0.04))
    steps = EXACT.steps()
    found = [decide(problem, steps) for _ in range(6)]
    assert {one.kind for one in found[1:]} == {"leeway"}
    places = np.array([place(one) for one in found])
    assert np.linalg.norm(places - THERE / 10, axis=1).max() < 0.04
    apart = np.linalg.norm(places[:, None] - places, axis=-1)[np.triu_indices(6, 1)]
    assert apart.min() > 0.001


def test_where_no_tolerance_is_known_what_rests_says_how_far(sim, square, scene):
    problem, steps = sim.pose(square(error=0.001), scene([HERE]), scene([THERE])), EXACT.steps()
    found = [decide(problem, steps) for _ in range(6)]
    away = [np.linalg.norm(place(one) - THERE / 10) for one in found]
    assert max(away) < 0.01  # a tenth of a state that rests, in metres


def test_a_move_that_worked_is_held_against_nothing(sim, square, scene):
    graph, steps = square(error=0.001), EXACT.steps()
    goal = scene([[0.3, 0.2]])
    decide(sim.pose(graph, scene([HERE]), goal), steps)
    assert decide(sim.pose(graph, scene([THERE]), goal), steps).kind == "residual"


def in_the_way(sim, square, scene, goal):
    """What is decided when a thing keeps another from its goal between that and the border."""
    graph = square(error=0.001, gap=1.2, still=0.2)
    beside = THERE + np.array([0.8, 0])
    wanted = [THERE, beside + np.array([0.15, 0])][:goal]
    problem = sim.pose(graph, scene([HERE, beside]), scene(wanted))
    bounds = {"low": np.array([0.05, -0.4, 0]), "high": np.array([0.7, 0.4, 0])}
    problem = replace(problem, arena=replace(problem.arena, tolerance=0.02, **bounds))
    steps = EXACT.steps()
    found = [decide(problem, steps) for _ in range(8)]
    moved = [one for one in found if one.purpose == "make room"]
    assert moved
    assert {one.choice.entity for one in moved} == {1}
    return moved


def test_a_thing_in_the_way_is_moved_a_little_if_it_has_a_place(sim, square, scene):
    moved = in_the_way(sim, square, scene, 2)
    assert all(np.linalg.norm(one.action[3:5]) < 0.03 for one in moved)
    assert "moved to make room" in moved[0].reason


def test_a_thing_in_the_way_without_a_place_is_put_aside(sim, square, scene):
    moved = in_the_way(sim, square, scene, 1)
    assert all(np.linalg.norm(one.action[3:5]) > 0.1 for one in moved)
    places = np.array([place(one) for one in moved])
    apart = np.linalg.norm(places[:, None] - places, axis=-1)[np.triu_indices(len(places), 1)]
    assert apart.min(initial=1) > 0.05  # never twice to one place


def test_without_places_nothing_changes(sim, square, scene):
    for graph in (square(calibration=None), square(world=None)):
        problem, steps = sim.pose(graph, scene([HERE]), scene([THERE])), EXACT.steps()
        assert [decide(problem, steps).kind for _ in range(2)] == ["edge", "edge"]


def test_where_things_stand_on_each_other_nothing_changes(sim, square, scene):
    problem = sim.pose(square(error=0.001), scene([HERE]), scene([THERE]))
    high = np.add(problem.arena.high, [0, 0, 1])
    problem = replace(problem, arena=replace(problem.arena, high=high))
    steps = EXACT.steps()
    assert "leeway" not in {decide(problem, steps).kind for _ in range(4)}
