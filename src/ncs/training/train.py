"""Trains any world model on a buffer, on one device or several.

A run may end anywhere, be it by kill -9, and goes on from its last checkpoint to the same bits on
the same machine; what it had written past that checkpoint is cut off and written again.
"""

import contextlib
import dataclasses
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import torch
from torch.multiprocessing.spawn import ProcessException

from ncs.data.buffer import Buffer, open_buffer
from ncs.records import ConfigError, DataError, NcsError
from ncs.storage import locked
from ncs.training.callback import Callback, Ended, Outcome, Silence
from ncs.training.checkpoint import (
    MANIFEST,
    Snapshot,
    checkpoint_hash,
    has_checkpoint,
    read_checkpoint,
    read_manifest,
    read_weights,
    remove_others,
    to_arrays,
)
from ncs.training.fit import check_start, fit_to_all
from ncs.training.interrupts import forwarded
from ncs.training.learner import new_model
from ncs.training.loop import Run
from ncs.training.schedule import TrainConfig
from ncs.training.sources import Sources
from ncs.training.team import Team, launch


def train(
    config: TrainConfig,
    buffer: Path | Sequence[Path],
    out: Path,
    *,
    resume: bool = False,
    minutes: float | None = None,
    callback: Callback | None = None,
    start: Path | None = None,
) -> Outcome:
    """Trains a world model in the folder ``out``, and says how that ended.

    Args:
        config: What to train and how.
        buffer: Folder of the clips, or several whose batches take turns; every shard is verified
            first.
        out: Folder for checkpoint, figures and pictures. One that holds a run is refused, unless
            ``resume`` is given: then training goes on from there, or starts if there is nothing.
        resume: Goes on from the checkpoint in ``out``.
        minutes: Ends after that long, with a checkpoint.
        callback: Is told how it goes.
        start: Folder of a model of the same shape, whose weights to begin with.

    Raises:
        DivergenceError: The loss is no number any more, or slots stayed collapsed; the last good
            checkpoint is kept.
    """
    buffers = (buffer,) if isinstance(buffer, Path) else tuple(buffer)
    config = fit_to_all(config, [open_buffer(folder) for folder in buffers])
    if start is not None:
        check_start(config)
        config = config.model_copy(update={"start": checkpoint_hash(start)})
    check_out(out, resume)
    deadline = time.monotonic() + (float("inf") if minutes is None else 60 * minutes)
    arguments = (buffers, out, resume, deadline, callback or Silence(), start)
    with working_threads(config):
        if config.devices == 1:
            answer = launch(_work, config, *arguments)
        else:
            answer = _launch_many(config, out, arguments)
    if isinstance(answer, NcsError):
        raise answer
    return Outcome(**answer)


def check_out(out: Path, resume: bool) -> None:
    """Refuses to start a run over another."""
    if has_checkpoint(out) and not resume:
        step = read_manifest(out)["step"]
        raise DataError(
            f"{out}: holds a run at step {step}; go on with --resume, or choose another folder"
        )


def _work(
    team: Team,
    config: TrainConfig,
    buffers: Sequence[Path],
    out: Path,
    resume: bool,
    deadline: float,
    callback: Callback,
    start: Path | None,
) -> dict[str, Any] | NcsError:
    """Trains in one process; a user's mistake comes back as a value, to cross to the parent."""
    if config.threads:
        torch.set_num_threads(config.threads)  # a spawned process has its own number
    opened = [open_buffer(folder, verify=False) for folder in buffers]
    # The writer itself holds the lock: if only its parent is killed, it still has a checkpoint to
    # write, and nobody may go on from the folder before.
    lock = locked(out / MANIFEST) if team.leads else contextlib.nullcontext()
    try:
        with lock:
            snapshot = _take_up(config, opened, out, resume, callback, team.leads)
            if snapshot is None and start is not None:
                snapshot = _begin_with(config, start)
            run = Run(team, config, opened, out, snapshot, callback)
            return dataclasses.asdict(run.go(deadline))
    except NcsError as error:
        return error
    except RuntimeError as error:
        if team.leads or "onnection" not in str(error):
            raise
        return NcsError("process 0 has ended")  # it says why; the others follow in silence


def _begin_with(config: TrainConfig, start: Path) -> Snapshot:
    """The weights of another model at step 0; what is measured is measured anew."""
    given, fresh = read_weights(start), new_model(config)
    if {name for name, _ in fresh.named_parameters()} <= given.keys():
        own = to_arrays(fresh.state_dict())
        fits = {n for n in own.keys() & given.keys() if own[n].size == given[n].size}
        given = {name: given[name] if name in fits else own[name] for name in own}
    raw = {f"raw/{name}": value for name, value in given.items()}
    return Snapshot(0, config, {}, given, raw)


def _take_up(
    config: TrainConfig,
    buffers: Sequence[Buffer],
    out: Path,
    resume: bool,
    callback: Callback,
    leads: bool,
) -> Snapshot | None:
    """The snapshot to go on from, if there is one and it is of the same run."""
    check_out(out, resume)
    if not has_checkpoint(out):
        if leads and out.exists():
            remove_others(out, keep=set())
        return None
    snapshot = read_checkpoint(out)
    if difference := snapshot.config.difference(config):
        raise ConfigError(
            f"{out}: is another run ({difference}); use the same settings or another folder"
        )
    own = Sources(config, buffers).hash
    if snapshot.buffer["hash"] != own:
        theirs = snapshot.buffer["hash"]
        raise DataError(f"{out}: was trained on buffer {theirs}, this one is {own}")
    code = read_manifest(out)["code"]
    if leads and code["torch"] != torch.__version__:
        callback.note(
            f"the run was begun with torch {code['torch']}, this is {torch.__version__}: it goes "
            "on, though not to the same bits"
        )
    return snapshot


def _launch_many(config: TrainConfig, out: Path, arguments: tuple[Any, ...]) -> Any:
    """Runs one process a device; signals reach them all."""
    began = time.monotonic()
    with forwarded() as received:
        try:
            return launch(_work, config, *arguments)
        except ProcessException as error:
            if received:  # they were ended before they had begun
                step = read_manifest(out)["step"] if has_checkpoint(out) else 0
                seconds = time.monotonic() - began
                return dataclasses.asdict(
                    Outcome(step, cast(Ended, received[0].name), None, seconds)
                )
            raise NcsError(
                f"a training process died (out of memory?): run again with --resume, with fewer "
                f"devices if it happens twice; it said: {_last_line(error)}"
            ) from None


def _last_line(error: BaseException) -> str:
    return str(error).strip().splitlines()[-1]


@contextlib.contextmanager
def working_threads(config: TrainConfig) -> Iterator[None]:
    """As many threads as one process of the run gets; torch's number is put back after."""
    before = torch.get_num_threads()
    torch.set_num_threads(config.threads or max(1, before // config.devices))
    try:
        yield
    finally:
        torch.set_num_threads(before)
