"""Things keep their index from frame to frame, however the frames order them."""

import numpy as np

from ncs.model.touched.track import track

KIND = np.eye(3)
PLACE = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])


def clip(orders: list[list[int]], moves: dict[int, tuple[int, list[float]]]):  # type: ignore[no-untyped-def]
    """Places, expectations and types of frames whose slots come in the given orders."""
    place, rows = PLACE.copy(), []
    for t, order in enumerate(orders):
        expected = place.copy()
        if t in moves:
            expected[moves[t][0]] = moves[t][1]
        rows.append((place[order], expected[order], KIND[order]))
        place = expected
    return tuple(np.stack(part) for part in zip(*rows, strict=True))


def test_an_order_that_changes_is_undone() -> None:
    orders = [[0, 1, 2], [2, 0, 1], [1, 2, 0]]
    place, expected, kind = clip(orders, {0: (1, [0.5, 0.5])})
    order = track(place, expected, kind, np.ones((3, 3), bool), 0.3)
    for t in range(3):
        assert (np.array(orders[t])[order[t]] == np.arange(3)).all()


def test_a_thing_put_where_another_was_is_still_itself() -> None:
    orders = [[0, 1, 2], [0, 1, 2], [1, 0, 2]]
    moves = {0: (0, [0.5, 0.5]), 1: (1, [0.0, 0.0])}
    place, expected, kind = clip(orders, moves)
    order = track(place, expected, kind, np.ones((3, 3), bool), 0.3)
    assert order[2].tolist() == [1, 0, 2]


def test_a_thing_lost_for_a_frame_comes_back() -> None:
    orders = [[0, 1, 2], [0, 1, 2], [2, 1, 0]]
    place, expected, kind = clip(orders, {})
    present = np.ones((3, 3), bool)
    present[1, 0] = False
    order = track(place, expected, kind, present, 0.3)
    assert order[2].tolist() == [2, 1, 0]


def test_every_order_is_whole() -> None:
    rng = np.random.default_rng(0)
    place, kind = rng.random((6, 5, 2)), rng.random((6, 5, 4))
    order = track(place, place, kind, rng.random((6, 5)) < 0.5, 0.2)
    assert (np.sort(order, axis=1) == np.arange(5)).all()
