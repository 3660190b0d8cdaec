"""Sheets and strips show every frame, unblurred."""

from pathlib import Path

import numpy as np
from PIL import Image

from ncs.analysis.pictures import caption, enlarge, save_png, sheet, strip

RNG = np.random.default_rng(0)


def test_a_sheet_holds_every_frame_where_it_belongs() -> None:
    frames = RNG.integers(0, 255, (2, 3, 8, 8, 3), np.uint8)
    canvas = sheet(frames, gap=2)
    assert canvas.shape == (22, 32, 3)
    np.testing.assert_array_equal(canvas[12:20, 22:30], frames[1, 2])
    assert (canvas[:2] == 255).all()


def test_enlarging_repeats_pixels() -> None:
    picture = RNG.integers(0, 255, (4, 4, 3), np.uint8)
    large = enlarge(picture, 3)
    assert large.shape == (12, 12, 3)
    np.testing.assert_array_equal(large[::3, ::3], picture)


def test_a_caption_stands_above_the_picture() -> None:
    picture = np.zeros((20, 80, 3), np.uint8)
    titled = caption(picture, "step 1")
    np.testing.assert_array_equal(titled[-20:], picture)
    assert titled[:-20].min() < 100 < titled[:-20].max()


def test_a_saved_strip_reads_back_the_same(tmp_path: Path) -> None:
    pictures = list(RNG.integers(0, 255, (3, 16, 16, 3), np.uint8))
    row = strip(pictures, ["a", "b", "c"])
    save_png(tmp_path / "s.png", row)
    np.testing.assert_array_equal(np.asarray(Image.open(tmp_path / "s.png")), row)
