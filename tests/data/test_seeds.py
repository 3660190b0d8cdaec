"""Streams of different purposes or keys never meet."""

import itertools

import numpy as np

from ncs.data.seeds import PURPOSES, stream


def test_a_stream_repeats_and_others_differ() -> None:
    keys = list(itertools.product(PURPOSES, [(), (0,), (1,), (0, 0), (0, 1), (1, 0)]))
    draws = [tuple(stream(purpose, *key).integers(2**63, size=4)) for purpose, key in keys]
    again = [tuple(stream(purpose, *key).integers(2**63, size=4)) for purpose, key in keys]
    assert draws == again
    assert len(set(draws)) == len(draws)


def test_training_and_test_tasks_have_nothing_in_common() -> None:
    train = {stream("train", 0, i).integers(2**63) for i in range(1000)}
    test = {stream("test", 0, i).integers(2**63) for i in range(1000)}
    assert not train & test
    assert isinstance(stream("train"), np.random.Generator)
