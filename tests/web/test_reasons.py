"""Reasons for what is seen: of every step, of any model, and within bounds."""

import numpy as np
import pytest
from tests.web.conftest import FOLDER, Site

from ncs.agent import shipped_model
from ncs.envs import make_env
from ncs.records import Entities
from ncs.training.checkpoint import load_model
from ncs.web.reasons import Seen, seen_payload


@pytest.fixture(scope="module")
def image() -> np.ndarray:
    return make_env("block-rearrange", n_objects=5).reset(seed=1)[0]["image"]


def entities(n_slots: int = 6) -> Entities:
    one = np.zeros((n_slots, 2), np.float32)
    mask = np.random.default_rng(0).random((n_slots, 64)).astype(np.float32)
    return Entities(one, one, mask, np.arange(n_slots) < 4)


def test_a_model_that_votes_shows_its_votes_and_which_peaks_suffice(image: np.ndarray) -> None:
    told = seen_payload(Seen.of(image, entities()), load_model(FOLDER))
    assert sum(share >= 1 for share in told["peaks"]) == 5
    assert told["peaks"] == sorted(told["peaks"], reverse=True)
    assert told["votes"].startswith("data:image/png;base64,")
    assert [mask["taken"] for mask in told["masks"]] == [True] * 4 + [False] * 2


def test_a_model_that_does_not_vote_shows_its_masks_alone(image: np.ndarray) -> None:
    told = seen_payload(Seen.of(image, entities()), load_model(shipped_model("blocks-cpu-0")))
    assert (told["votes"], told["chances"], told["peaks"]) == (None, None, [])
    assert len(told["masks"]) == 6


def test_what_is_kept_of_a_step_is_small_and_its_own(image: np.ndarray) -> None:
    seen = Seen.of(image, whole := entities())
    assert seen.mask.nbytes == whole.mask.nbytes // 4
    assert seen.mask.max() == 255
    nothing = Seen.of(image, Entities(**{**vars(whole), "mask": whole.mask * 0}))
    assert nothing.mask.max() == 0
    told = seen_payload(nothing, load_model(shipped_model("blocks-cpu-0")))
    assert {mask["tile"] for mask in told["masks"]} == {None}


def test_every_step_has_its_reasons_and_no_other_number_has(site: Site) -> None:
    name = site.start(objects=3, seed=1)
    steps = sum(bool(data.get("step")) for kind, data in site.follow(name) if kind == "moment")
    told = [site.client.get(f"/api/episodes/{name}/seen/{step}").json() for step in range(steps)]
    assert all(len(one["scene"]["masks"]) == len(one["goal"]["masks"]) for one in told)
    assert told[0]["scene"] != told[1]["scene"]
    assert told[0]["goal"] == told[1]["goal"]
    for step in (-1, steps, 10**30):
        answer = site.client.get(f"/api/episodes/{name}/seen/{step}")
        assert answer.status_code in (400, 422)
        assert answer.json()["error"]
