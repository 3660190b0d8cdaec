"""A world's numbers are read off its buffer: no camera, no size and no noise is told."""

import numpy as np
import pytest
import torch
from tests.model.touched.painted import Clips, make_clips, to_world

from ncs.model.touched.measure import measure
from ncs.model.touched.measures import Measures
from ncs.records import DataError


def read(clips: Clips, longest: int = 128) -> Measures:
    measures = Measures()
    measures.take(measure(clips.frame, clips.action, longest))
    return measures


def pixel_miss(measures: Measures, clips: Clips) -> float:
    world = torch.from_numpy(to_world(clips.pixel[:, 0]))
    zoom = clips.frame.shape[3] / measures.shape[1]
    seen = measures.project(measures.scaled(world)).numpy() * zoom
    return float(np.median(np.linalg.norm(seen - clips.pixel[:, 0], axis=-1)))


@pytest.mark.parametrize(
    "world",
    [{}, {"noise": 4.0}, {"arm": True}, {"fail": 0.3}, {"height": 37, "width": 51}],
    ids=["clean", "noise", "arm", "failed moves", "odd size"],
)
def test_where_the_world_is_seen_is_found_from_moves_alone(world: dict[str, float]) -> None:
    clips = make_clips(60, 3, **world)  # type: ignore[arg-type]
    measures = read(clips)
    assert measures.shape == tuple(clips.frame.shape[2:4])
    assert pixel_miss(measures, clips) < 0.5
    assert 4 <= measures.number("reach") < 12
    assert 8 < measures.number("apart") <= 20
    assert 5 < measures.number("least") < 20


@pytest.mark.parametrize("noise", [1.0, 3.0, 8.0])
def test_noise_is_measured_on_pixels_that_do_not_change(noise: float) -> None:
    level = read(make_clips(40, 3, noise=noise)).number("noise") * 255
    assert level == pytest.approx(np.sqrt(2) * noise, rel=0.15)


def test_a_clean_camera_leaves_less_than_a_level() -> None:
    assert read(make_clips(40, 3)).number("noise") * 255 < 0.5


def test_large_pictures_of_large_things_are_reduced() -> None:
    clips = make_clips(30, 2, height=192, width=256, radius=16.0)
    measures = read(clips)
    assert 32 <= max(measures.shape) <= 128
    assert pixel_miss(measures, clips) < 1.5


def test_a_buffer_that_never_changes_is_refused() -> None:
    clips = make_clips(20, 2, fail=1.1)
    with pytest.raises(DataError, match="only 0 moves changed its pictures"):
        read(clips)


def test_actions_that_have_nothing_to_do_with_pictures_are_refused_or_miss() -> None:
    clips = make_clips(40, 3)
    with pytest.raises(DataError, match="one place"):
        measure(clips.frame, torch.zeros_like(clips.action), 128)


def test_height_is_a_state_only_where_moves_change_it() -> None:
    clips = make_clips(40, 3)
    assert read(clips).state_width == 2
    action = clips.action.clone()
    action[::2, :, 5] = 0.1
    assert read(Clips(clips.frame, action, clips.pixel)).state_width == 3
