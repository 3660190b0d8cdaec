"""A run under way: what a model is shown beforehand, and when it ends."""

import json
import time
from pathlib import Path

import numpy as np
import pytest
import torch
from tests.tiny_world import Tiny, TinyConfig, tiny_config

from ncs.data.buffer import open_buffer
from ncs.records import Clips, ConfigError
from ncs.training.callback import Silence
from ncs.training.loop import Run
from ncs.training.preparation import prepare
from ncs.training.team import make_team


def make_run(buffer: Path, out: Path, **changes: object) -> Run:
    config = tiny_config(**changes)
    return Run(make_team(config), config, [open_buffer(buffer)], out, None, Silence())


class Measured(Tiny):
    def measured(self) -> dict[str, float]:
        return {"of brightness": float(self.brightness)}


def test_a_model_sees_clips_before_its_first_step_and_says_what_it_measured() -> None:
    frame = np.full((2, 3, 64, 64, 3), 51, np.uint8)
    clips = Clips(frame, np.zeros((2, 2, 6), np.float32))
    model = Measured(TinyConfig())
    assert prepare(model, clips) == ["measured 0.2 of brightness"]
    assert prepare(torch.nn.Linear(1, 1), clips) == []  # type: ignore[arg-type]


def test_longer_clips_than_the_buffer_has_are_refused(tiny_buffer: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="clip_frames: the buffer's clips have"):
        make_run(tiny_buffer, tmp_path, clip_frames=99)


def test_a_run_out_of_time_leaves_a_checkpoint_and_says_so(
    tiny_buffer: Path, tmp_path: Path
) -> None:
    outcome = make_run(tiny_buffer, tmp_path).go(deadline=time.monotonic())
    assert outcome.ended == "minutes"
    assert outcome.step < tiny_config().steps


def test_a_whole_run_notes_its_losses_and_those_of_clips_held_out(
    tiny_buffer: Path, tmp_path: Path
) -> None:
    run = make_run(tiny_buffer, tmp_path, holdout=0.2, holdout_every=4)
    assert run.go(deadline=time.monotonic() + 3600).ended == "finished"
    rows = [json.loads(line) for line in (tmp_path / "metrics.jsonl").read_text().splitlines()]
    kinds = {key for row in rows for key in row}
    assert any("holdout" in key or "held" in key for key in kinds), kinds
    assert rows[-1]["step"] == run.config.steps
