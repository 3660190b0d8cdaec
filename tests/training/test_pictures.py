"""Sheets of what a model sees."""

import io

import numpy as np
import torch
from PIL import Image
from tests.tiny_world import tiny_config

from ncs.records import Clips
from ncs.training.learner import new_model
from ncs.training.pictures import Row, clip_rows, draw_sheet, slot_colours, tint, to_picture


def test_a_mask_lights_its_cells_and_greys_the_others() -> None:
    frame = np.full((4, 4, 3), 200, np.uint8)
    picture = tint(frame, np.array([1, 0, 0, 0], np.float32), np.array([1.0, 0.0, 0.0]))
    assert picture[0, 0].tolist() == [228, 100, 100]
    assert picture[3, 3].tolist() == [100, 100, 100]


def test_slots_have_colours_of_their_own() -> None:
    colours = slot_colours(12)
    distance = np.linalg.norm(colours[:, None] - colours[None], axis=2)
    assert distance[np.triu_indices(12, 1)].min() > 0.1


def test_decoded_values_outside_the_range_are_cut() -> None:
    image = torch.tensor([-1.0, 0.5, 2.0]).view(3, 1, 1)
    assert to_picture(image).tolist() == [[[0, 128, 255]]]


def test_a_sheet_shows_frames_reconstructions_predictions_and_every_slot() -> None:
    rng = np.random.default_rng(0)
    frame = rng.integers(256, size=(2, 5, 64, 64, 3), dtype=np.uint8)
    clips = Clips(frame, np.zeros((2, 4, 6), np.float32))
    with torch.no_grad():
        rows = clip_rows(new_model(tiny_config()), clips, 3, torch.Generator().manual_seed(0))
    labels = ["frame", "decoded", "predicted", "slot 1", "slot 2", "slot 3"]
    assert [row.label for row in rows] == 2 * labels
    assert all(len(row.pictures) == 5 for row in rows)
    sheet = np.asarray(Image.open(io.BytesIO(draw_sheet(rows))))
    assert sheet.shape == (12 * 66, 66 + 5 * 66, 3)
    assert (sheet[:64, 66 : 66 + 64] == frame[0, 0]).all()


def test_clips_stand_side_by_side_as_far_as_there_is_room() -> None:
    row = Row("frame", [np.zeros((8, 8, 3), np.uint8)] * 2)
    sizes = [
        Image.open(io.BytesIO(draw_sheet([row] * 10, clips, across))).size
        for clips, across in ((1, 1), (5, 2), (5, 5))
    ]
    (wide, high), two, five = sizes
    assert two == (2 * wide, 3 * high // 5)
    assert five == (5 * wide, high // 5)
