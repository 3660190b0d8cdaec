"""How a run tells what it does."""

import pytest

from ncs.training.callback import duration


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(5, "5 seconds"), (600, "10.0 minutes"), (9000, "2.5 hours"), (864000, "10.0 days")],
)
def test_durations_are_in_the_unit_a_person_would_use(seconds: float, words: str) -> None:
    assert duration(seconds) == words
