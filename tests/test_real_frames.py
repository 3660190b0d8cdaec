"""Labels of real pictures are boxes in order, and things are counted as the page says."""

import json

import numpy as np
from benchmarks.real_frames import LABELS, score

BOXES = np.array([[0.0, 0.0, 0.4, 0.4], [0.1, 0.1, 0.2, 0.2], [0.6, 0.6, 0.9, 0.9]])


def test_labels_are_boxes_with_an_inside() -> None:
    files = json.loads(LABELS.read_text())["files"]
    things = [thing for file in files for frame in file["frames"] for thing in frame["things"]]
    assert len(things) == 67
    assert all(x0 < x1 and y0 < y1 for x0, y0, x1, y1 in things)


def test_a_thing_is_found_by_exactly_one_middle() -> None:
    assert score(np.array([[0.3, 0.3], [0.15, 0.15], [0.7, 0.7]]), BOXES) == (3, 0)


def test_what_is_seen_twice_or_nowhere_is_too_many() -> None:
    assert score(np.array([[0.65, 0.65], [0.8, 0.8], [0.5, 0.5]]), BOXES) == (0, 2)


def test_nothing_seen_is_nothing_found() -> None:
    assert score(np.zeros((0, 2)), BOXES) == (0, 0)
