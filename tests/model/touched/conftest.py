"""Clips and a model that has learned from them, for every test of the folder."""

import os

import pytest
from safetensors.torch import load_file, save_file
from tests.model.touched.painted import Clips, make_clips
from tests.model.touched.trained import make_model, train

from ncs.model.touched.world import Touched


@pytest.fixture(scope="session")
def clips() -> Clips:
    return make_clips(150, 3)


@pytest.fixture(scope="session")
def trained(clips: Clips, tmp_path_factory: pytest.TempPathFactory) -> Touched:
    """Trained once for all processes that run tests, unless two begin with it at a time."""
    shared = tmp_path_factory.getbasetemp()
    shared = shared.parent if "PYTEST_XDIST_WORKER" in os.environ else shared
    weights = shared / "touched.safetensors"
    model = make_model(clips)
    if weights.exists():
        model.load_state_dict(load_file(weights))
        return model.eval()
    train(model, clips)
    arrays = {name: value.contiguous() for name, value in model.state_dict().items()}
    aside = tmp_path_factory.mktemp("trained") / weights.name
    save_file(arrays, aside)
    aside.rename(weights)
    return model
