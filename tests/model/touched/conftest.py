"""Clips and a model that has learned from them, for every test of the folder."""

import pytest
from tests.model.touched.painted import Clips, make_clips
from tests.model.touched.trained import make_model, train

from ncs.model.touched.world import Touched


@pytest.fixture(scope="session")
def clips() -> Clips:
    return make_clips(150, 3)


@pytest.fixture(scope="session")
def trained(clips: Clips) -> Touched:
    return train(make_model(clips), clips)
