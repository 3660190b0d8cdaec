"""Damaged files of every stored kind are refused by name; benchmarks/corruptions.py does more."""

import random

import pytest
from benchmarks.corruptions import STORED, try_kind


@pytest.mark.parametrize("kind", STORED)
def test_random_damage_is_never_silent(kind: str) -> None:
    counts = try_kind(kind, 25, random.Random(f"test {kind}"))
    assert counts["refused"] + counts["same"] == 25, counts
