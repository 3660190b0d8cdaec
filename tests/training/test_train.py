"""Training: the same bits however it was interrupted, and clear words when it must end."""

import errno
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.conftest import PATIENCE, REPOSITORY
from tests.tiny_world import Clock, Tiny, TinyConfig, tiny_config, write_buffer
from tests.training.kill_training import slow_config

from ncs.records import ConfigError, DataError
from ncs.training.callback import Progress, Silence
from ncs.training.checkpoint import checkpoint_hash, load_model, read_checkpoint
from ncs.training.learner import DivergenceError
from ncs.training.train import train

ONE_CORE = {**os.environ, "OMP_NUM_THREADS": "1"}


def contents(out: Path) -> dict[str, bytes]:
    """Every byte that must not depend on how a run was interrupted."""
    names = ["metrics.jsonl", "model.json"]
    names += [str(path.relative_to(out)) for path in out.glob("*.safetensors")]
    names += [str(path.relative_to(out)) for path in out.glob("pictures/*")]
    return {name: (out / name).read_bytes() for name in sorted(names)}


class StopAt(Silence):
    """Asks the process to end when it reaches a step."""

    def __init__(self, step: int, number: int = signal.SIGTERM) -> None:
        self.step, self.number = step, number

    def progress(self, progress: Progress) -> None:
        if progress.step == self.step:
            os.kill(os.getpid(), self.number)


@pytest.fixture(scope="module")
def whole(tiny_buffer: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An uninterrupted run."""
    out = tmp_path_factory.mktemp("whole") / "run"
    outcome = train(tiny_config(), tiny_buffer, out)
    assert (outcome.step, outcome.ended) == (12, "finished")
    return out


@pytest.mark.parametrize("steps", [(1,), (3,), (6,), (5, 7, 11), (12,)])
def test_an_interrupted_run_ends_with_the_same_bits(
    steps: tuple[int, ...], whole: Path, tiny_buffer: Path, tmp_path: Path
) -> None:
    for step in steps:
        outcome = train(tiny_config(), tiny_buffer, tmp_path, resume=True, callback=StopAt(step))
        assert (outcome.step, outcome.ended) == (step, "SIGTERM")
    outcome = train(tiny_config(), tiny_buffer, tmp_path, resume=True)
    assert outcome.ended == "finished"
    assert contents(tmp_path) == contents(whole)


@pytest.mark.parametrize("average", [0.0, 0.9])
def test_a_run_may_begin_with_the_weights_of_another(
    average: float, whole: Path, tiny_buffer: Path, tmp_path: Path
) -> None:
    config = tiny_config(seed=5, average=average)
    train(config, tiny_buffer, tmp_path, start=whole, callback=StopAt(1))
    begun, given = read_checkpoint(tmp_path), read_checkpoint(whole)
    assert begun.config.start == checkpoint_hash(whole)
    change = np.abs(begun.weights["reader.weight"] - given.weights["reader.weight"]).max()
    assert 0 < change < 0.1  # one step away, where a start of its own would be anywhere
    outcome = train(config, tiny_buffer, tmp_path, start=whole, resume=True)
    assert outcome.ended == "finished"
    with pytest.raises(ConfigError, match="start is"):
        train(config, tiny_buffer, tmp_path, resume=True)


def test_averaged_weights_resume_to_the_same_bits(tiny_buffer: Path, tmp_path: Path) -> None:
    config = tiny_config(average=0.9, decay_share=0.5, clip_order="l2", clip_frames=3)
    train(config, tiny_buffer, tmp_path / "one")
    train(config, tiny_buffer, tmp_path / "two", callback=StopAt(5, signal.SIGINT))
    train(config, tiny_buffer, tmp_path / "two", resume=True)
    assert contents(tmp_path / "one") == contents(tmp_path / "two")
    snapshot = read_checkpoint(tmp_path / "one")
    raw, mean = snapshot.state["raw/reader.weight"], snapshot.weights["reader.weight"]
    assert (raw != mean).all()


def test_kill_9_at_random_moments_loses_nothing(tiny_buffer: Path, tmp_path: Path) -> None:
    train(slow_config(), tiny_buffer, tmp_path / "whole")
    words = [sys.executable, "-m", "tests.training.kill_training", tiny_buffer, tmp_path / "killed"]
    done = subprocess.run(
        [*map(str, words), "0", "5"],
        capture_output=True,
        text=True,
        env=ONE_CORE,
        cwd=REPOSITORY,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) >= 1
    assert contents(tmp_path / "killed") == contents(tmp_path / "whole")


def test_two_processes_train_like_one_to_rounding(
    whole: Path, tiny_buffer: Path, tmp_path: Path
) -> None:
    words = [sys.executable, "-m", "tests.tiny_world", tiny_buffer, tmp_path / "two"]
    done = subprocess.run(
        [*map(str, words), '{"devices": 2}'],
        capture_output=True,
        text=True,
        env=ONE_CORE,
        cwd=REPOSITORY,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {"step": 12, "ended": "finished"}
    assert done.stderr == ""
    one, two = read_checkpoint(whole), read_checkpoint(tmp_path / "two")
    for kind in ("weights", "state"):
        before, after = getattr(one, kind), getattr(two, kind)
        assert set(before) == set(after)
        for name in before:
            np.testing.assert_allclose(before[name], after[name], rtol=1e-4, atol=1e-6)


def test_the_clock_ends_a_run_with_a_checkpoint(
    tiny_buffer: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    for module in ("tests.tiny_world", "ncs.training.train", "ncs.training.loop"):
        monkeypatch.setattr(f"{module}.time", clock)
    config = tiny_config(TinyConfig(pause=20.0), steps=1000, picture_clips=0, holdout_every=1000)
    # A look at held-out clips before the first step, and two parts a step, take 20 seconds each.
    outcome = train(config, tiny_buffer, tmp_path, minutes=1.5)
    assert outcome.ended == "minutes"
    assert outcome.step == read_checkpoint(tmp_path).step == 2  # 20 + 2 x (20 + 20) seconds


def test_a_loss_that_is_no_number_stops_with_the_reason(tiny_buffer: Path, tmp_path: Path) -> None:
    config = tiny_config(TinyConfig(nan_at=6))
    with pytest.raises(DivergenceError, match="step 6: the loss is nan; the checkpoint of step 4"):
        train(config, tiny_buffer, tmp_path)
    assert read_checkpoint(tmp_path).step == 4
    load_model(tmp_path)


def test_slots_that_stay_collapsed_stop_with_the_reason(tiny_buffer: Path, tmp_path: Path) -> None:
    config = tiny_config(TinyConfig(collapsed=True), collapse_share=0.5)
    with pytest.raises(DivergenceError, match=r"one slot takes the whole image.*since step 0"):
        train(config, tiny_buffer, tmp_path)
    assert read_checkpoint(tmp_path).step == 4
    patient = tiny_config(TinyConfig(collapsed=True), collapse_share=0)
    assert train(patient, tiny_buffer, tmp_path / "patient").ended == "finished"


def test_collapse_is_counted_across_interruptions(tiny_buffer: Path, tmp_path: Path) -> None:
    config = tiny_config(TinyConfig(collapsed=True), collapse_share=0.5)
    train(config, tiny_buffer, tmp_path, callback=StopAt(5))
    with pytest.raises(DivergenceError, match="since step 0"):
        train(config, tiny_buffer, tmp_path, resume=True)


def test_a_full_disk_leaves_the_last_checkpoint(
    whole: Path, tiny_buffer: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.replace

    def full(source: str, target: Path) -> None:
        if "00000008" in str(target):
            raise OSError(errno.ENOSPC, "No space left on device")
        real(source, target)

    monkeypatch.setattr("ncs.storage.os.replace", full)
    with pytest.raises(DataError, match=r"00000008.*No space left.*free some space"):
        train(tiny_config(), tiny_buffer, tmp_path)
    monkeypatch.undo()
    assert read_checkpoint(tmp_path).step == 4
    assert not list(tmp_path.glob("*00000008*")) + list(tmp_path.glob(".*.tmp"))
    train(tiny_config(), tiny_buffer, tmp_path, resume=True)
    assert contents(tmp_path) == contents(whole)


def test_a_run_is_not_trained_over(whole: Path, tiny_buffer: Path) -> None:
    with pytest.raises(DataError, match="holds a run at step 12; go on with --resume"):
        train(tiny_config(), tiny_buffer, whole)


def test_another_run_is_not_gone_on_with(whole: Path, tiny_buffer: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"network\.width is 6 here and 8 there"):
        train(tiny_config(TinyConfig(width=8)), tiny_buffer, whole, resume=True)
    other = write_buffer(tmp_path / "other", seed=1)
    with pytest.raises(DataError, match="was trained on buffer"):
        train(tiny_config(), other, whole, resume=True)


def test_clips_shorter_than_asked_for_are_refused(tiny_buffer: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="clip_frames: the buffer's clips have 5, got 6"):
        train(tiny_config(clip_frames=6), tiny_buffer, tmp_path)


def test_two_runs_never_share_a_folder(tiny_buffer: Path, tmp_path: Path) -> None:
    class Intruder(Silence):
        def progress(self, progress: Progress) -> None:
            with pytest.raises(DataError, match="another ncs process"):
                train(tiny_config(), tiny_buffer, tmp_path, resume=True)

    train(tiny_config(steps=1), tiny_buffer, tmp_path, callback=Intruder())


def test_without_tensorboard_it_says_so_once_and_goes_on(
    tiny_buffer: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Listener(Silence):
        lines: list[str] = []  # noqa: RUF012

        def note(self, line: str) -> None:
            self.lines.append(line)

    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", None)
    train(tiny_config(steps=1), tiny_buffer, tmp_path, callback=Listener())
    assert len(Listener.lines) == 1
    assert "ncs[figures]" in Listener.lines[0]
    assert not (tmp_path / "tensorboard").exists()


def test_progress_is_told_after_every_step(tiny_buffer: Path, tmp_path: Path) -> None:
    class Listener(Silence):
        seen: list[Progress] = []  # noqa: RUF012

        def progress(self, progress: Progress) -> None:
            self.seen.append(progress)

    train(tiny_config(steps=3), tiny_buffer, tmp_path, callback=Listener())
    assert [p.step for p in Listener.seen] == [1, 2, 3]
    assert all(p.frames_per_second > 0 and np.isfinite(p.loss) for p in Listener.seen)
    assert Listener.seen[-1].seconds_left == 0


def test_sigterm_ends_a_step_within_it(
    tiny_buffer: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts: list[int] = []
    whole_loss = Tiny.loss

    def loss(self, frame_BTHWC, action_BTA, step, generator=None):
        parts.append(step)
        if step == 1:
            os.kill(os.getpid(), signal.SIGTERM)
        return whole_loss(self, frame_BTHWC, action_BTA, step, generator)

    monkeypatch.setattr(Tiny, "loss", loss)
    outcome = train(tiny_config(picture_clips=0), tiny_buffer, tmp_path)
    assert (outcome.step, outcome.ended) == (1, "SIGTERM")
    assert parts.count(1) == 1  # the second part of the second step was never begun
