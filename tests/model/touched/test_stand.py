"""What stands on things is read at the level at which it does."""

import pytest
import torch

from ncs.model.touched.measures import Measures
from ncs.model.touched.stand import are_piles, stand


@pytest.fixture
def measures() -> Measures:
    measures = Measures()
    measures.levels[:4] = torch.arange(4.0)
    measures.gap.fill_(1.0)
    return measures


def seen(y_K: list[float]) -> torch.Tensor:
    """Places of things on each of four levels, seen by one who looks down at a slope of 1."""
    return torch.stack([torch.tensor([[[0.0, y - h, h] for y in y_K]]) for h in range(4)])


def test_levels_are_piles_where_they_are_as_far_apart_as_things(measures: Measures) -> None:
    assert are_piles(measures)
    measures.gap.fill_(2.0)
    assert not are_piles(measures)
    assert not are_piles(Measures())


def test_a_top_read_too_low_is_put_on_what_is_below_it(measures: Measures) -> None:
    height = torch.tensor([[0.1, 1.0, 1.9, 2.2]])  # the last is at the height of three others
    place = stand(seen([0.0, 1.0, 2.0, 3.0]), height, torch.ones(1, 4, dtype=torch.bool), measures)
    assert place[0].tolist() == [[0, 0, 0], [0, 0, 1], [0, 0, 2], [0, 0, 3]]


def test_what_stands_on_nothing_at_any_level_stays_as_the_eyes_say(measures: Measures) -> None:
    present = torch.tensor([[True, True, False]])
    place = stand(seen([0.0, 2.0, 1.0]), torch.tensor([[0.0, 2.2, 1.0]]), present, measures)
    assert place[0, :2, 2].tolist() == [0, 2]
