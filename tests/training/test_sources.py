"""Buffers take turns, and a run on one is what it always was."""

from pathlib import Path

import numpy as np
import pytest
from tests.tiny_world import write_buffer

from ncs.data.buffer import open_buffer
from ncs.records import ConfigError
from ncs.training.presets import altered, preset
from ncs.training.schedule import draw_clips, training_clips
from ncs.training.sources import Sources
from ncs.training.train import train


def test_one_buffer_is_drawn_from_as_ever(tiny_buffer: Path) -> None:
    config, buffer = preset("fast"), open_buffer(tiny_buffer)
    sources = Sources(config, [buffer])
    n_train, n_frames = training_clips(config, len(buffer)), int(buffer.manifest["frames"])
    for step in (0, 1, 7):
        drawn = draw_clips(config, n_train, n_frames, step)
        np.testing.assert_array_equal(sources.turn(step).draw.index, drawn.index)
    assert sources.hash == buffer.hash
    assert "buffers" not in sources.about()


def test_several_buffers_take_turns_and_are_all_named(tiny_buffer: Path, tmp_path: Path) -> None:
    first, second = open_buffer(tiny_buffer), open_buffer(write_buffer(tmp_path / "b"))
    sources = Sources(preset("fast"), [first, second])
    assert [sources.turn(step).source for step in range(4)] == [0, 1, 0, 1]
    assert not np.array_equal(sources.turn(0).draw.index, sources.turn(2).draw.index)
    about = sources.about()
    assert [one["hash"] for one in about["buffers"]] == [first.hash, second.hash]
    assert about["world"] == first.world
    assert about["hash"] not in (first.hash, second.hash)


def test_a_model_that_learns_from_one_buffer_says_so(tiny_buffer: Path, tmp_path: Path) -> None:
    config = altered(preset("cpu"), {"steps": 1, "batch": 2})
    with pytest.raises(ConfigError, match="buffer: dslate learns from one, got 2"):
        train(config, [tiny_buffer, tiny_buffer], tmp_path)
