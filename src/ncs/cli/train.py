"""ncs train: train a world model on a buffer."""

import json
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from ncs.cli.command import Command, World
from ncs.records import ConfigError

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

    from ncs.data.buffer import Buffer
    from ncs.training.callback import Outcome, Progress
    from ncs.training.estimate import Estimate
    from ncs.training.schedule import TrainConfig

QUIET_SECONDS = 30.0
ASKED = ("seed", "steps", "batch", "devices", "threads")  # options that stand for settings
EXIT_CODES = {"SIGTERM": 143, "SIGINT": 130}  # 128 and the signal's number, as shells have it


class Train(Command):
    """Train a world model on a buffer.

    The folder gets a checkpoint, metrics.jsonl, pictures of what the model sees, and figures for
    TensorBoard where that is installed. A run that was stopped in whatever way goes on with
    --resume, to the same bits on the same machine. Asked to end (SIGTERM, Ctrl-C) it writes a
    checkpoint and ends within seconds, with exit code 143 or 130. A run that diverges ends with
    the reason and exit code 2, and its last checkpoint stands. Look at the outcome with
    'ncs slots'.
    """

    buffer: Path = Field(description="folder that 'ncs collect' made")
    out: Path | None = Field(None, description="folder for the model and everything about it")
    world: World | None = Field(None, description="the world the buffer must be of, if given")
    preset: Literal["paper", "cpu", "fast"] = Field(
        "fast",
        description="paper: dSLATE with the paper's numbers; cpu: dSLATE cut to two cores; fast: "
        "things are what actions move, minutes on two cores and no word about the world",
    )
    resume: bool = Field(False, description="go on from the checkpoint in --out, if there is one")
    estimate: bool = Field(False, description="print time, memory and parameters, and stop")
    show: bool = Field(False, description="print every setting as JSON, and stop")
    minutes: float | None = Field(None, gt=0, description="checkpoint and end after that long")
    seed: int | None = Field(None, ge=0, lt=2**63, description="of weights, order and noise")
    steps: int | None = Field(None, ge=1, description="instead of the preset's")
    batch: int | None = Field(None, ge=1, description="clips a step, over all processes")
    devices: int | None = Field(None, ge=1, description="processes, one a device or core")
    threads: int | None = Field(None, ge=1, description="threads of each process")
    settings: tuple[str, ...] = Field(
        (),
        description="any other setting as NAME=VALUE, such as network.slot_width=64 or "
        "average=0.999; --show lists the names",
    )

    def run(self) -> None:
        """Trains and reports, or only says what training would cost."""
        from ncs.data.buffer import open_buffer

        config = self.resolve()
        if self.show:
            print(json.dumps(config.model_dump(mode="json"), indent=1))
            return
        buffer = open_buffer(self.buffer, verify=False)
        if self.world and self.world != buffer.world:
            raise ConfigError(f"{self.buffer}: is of {buffer.world}, not of {self.world}")
        if self.estimate:
            self._estimate(config, buffer)
        else:
            self._train(config, buffer)

    def resolve(self) -> "TrainConfig":
        """The preset with everything that was asked for changed."""
        from ncs.training.presets import preset
        from ncs.training.schedule import TrainConfig

        chosen = preset(self.preset)
        asked = {name: getattr(self, name) for name in ASKED}
        return TrainConfig(**altered(chosen, asked, self.settings))

    def _estimate(self, config: "TrainConfig", buffer: "Buffer") -> None:
        from ncs.cli.console import report
        from ncs.training.estimate import estimate

        cost = estimate(config, buffer)
        facts = {
            "preset": self.preset,
            "steps": cost.steps,
            "seconds_per_step": cost.seconds_per_step,
            "seconds": cost.seconds,
            "frames_per_second": cost.frames_per_second,
            "memory_bytes": cost.memory,
            "checkpoint_bytes": cost.disk,
            "parameters": cost.parameters,
            "load_per_core": round(cost.load, 2),
        }
        width = max(map(len, cost.parameters))
        parts = [f"  {name.ljust(width)} {n:>12,}" for name, n in cost.parameters.items()]
        total = f"  {'all'.ljust(width)} {sum(cost.parameters.values()):>12,}"
        lines = [describe(cost), "parameters:", *parts, total]
        report("\n".join(lines), facts, self.as_json)

    def _announce(self, config: "TrainConfig", buffer: "Buffer", screen: "Screen") -> None:
        from ncs.training.estimate import estimate

        screen.note(describe(estimate(config, buffer)))

    def _train(self, config: "TrainConfig", buffer: "Buffer") -> None:
        from ncs.training.checkpoint import checkpoint_hash, has_checkpoint
        from ncs.training.train import check_out, train

        if self.out is None:
            raise ConfigError("out: name a folder for the model with --out")
        check_out(self.out, self.resume)
        screen = Screen()
        self._announce(config, buffer, screen)
        outcome = train(
            config,
            self.buffer,
            self.out,
            resume=self.resume,
            minutes=self.minutes,
            watcher=screen,
        )
        screen.close()
        checkpoint = checkpoint_hash(self.out) if has_checkpoint(self.out) else None
        conclude(
            Ending(self.out, config.steps, outcome, checkpoint),
            f"(checkpoint {checkpoint}); see it with 'ncs slots'",
            {},
            self.as_json,
        )


@dataclass(frozen=True)
class Ending:
    """How a training ended, and what it left."""

    out: Path
    steps: int
    outcome: "Outcome"
    checkpoint: str | None


def conclude(ending: Ending, finished: str, more: dict[str, Any], as_json: bool) -> None:
    """Reports how a training ended, and leaves with the signal's exit code if one ended it."""
    from ncs.cli.console import report

    outcome = ending.outcome
    facts = {
        "out": str(ending.out),
        **more,
        "step": outcome.step,
        "steps": ending.steps,
        "ended": outcome.ended,
        "loss": outcome.loss,
        "seconds": round(outcome.seconds, 2),
        "checkpoint": ending.checkpoint,
    }
    line = f"{ending.out}: step {outcome.step} of {ending.steps} in {outcome.seconds:.0f} s"
    if outcome.loss is not None:
        line += f", loss {outcome.loss:.4g}"
    if outcome.ended == "finished":
        line += f" {finished}"
    else:
        line += f"; ended by {outcome.ended}, go on with --resume"
    report(line, facts, as_json)
    if outcome.ended in EXIT_CODES:
        raise SystemExit(EXIT_CODES[outcome.ended])


def altered(
    chosen: "TrainConfig", asked: dict[str, Any], settings: Sequence[str]
) -> dict[str, Any]:
    """The values of a preset with those asked for, and settings NAME=VALUE, put in their place."""
    values = chosen.model_dump(mode="json")
    values |= {name: value for name, value in asked.items() if value is not None}
    for text in settings:
        name, found, value = text.partition("=")
        if not found:
            raise ConfigError(f"settings: must be NAME=VALUE, got {text!r}")
        change(values, name, value)
    return values


def change(values: dict[str, Any], name: str, text: str) -> None:
    """Changes one setting, by its dotted name, to a value in JSON or a bare word."""
    *way, last = name.split(".")
    for part in way:
        values = values.get(part)  # type: ignore[assignment]
        if not isinstance(values, dict):
            raise ConfigError(f"{name}: there is no such setting")
    try:
        values[last] = json.loads(text)
    except ValueError:
        values[last] = text


def describe(cost: "Estimate") -> str:
    """An estimate on one line."""
    busy = "; others are using the cores, alone it would be quicker" if cost.is_disturbed else ""
    return (
        f"about {duration(cost.seconds)} for {cost.steps} steps of "
        f"{cost.seconds_per_step:.3g} s ({cost.frames_per_second:.0f} frames/s), "
        f"{cost.memory / 1e9:.1f} GB of memory, "
        f"{sum(cost.parameters.values()) / 1e6:.2f} M parameters, "
        f"{cost.disk / 1e6:.1f} MB on disk{busy}"
    )


def duration(seconds: float) -> str:
    """A length of time in the unit a person would use."""
    for size, unit in ((86400, "days"), (3600, "hours"), (60, "minutes")):
        if seconds >= 2 * size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.0f} seconds"


class Screen:
    """Progress on a terminal as a bar, elsewhere as a plain line every half minute.

    Nothing is opened before the first call, so it can be sent to another process.
    """

    def __init__(self) -> None:
        self._bar: Bar | None = None
        self._task: TaskID | None = None
        self._said = time.monotonic()

    def note(self, line: str) -> None:
        """Says a line of its own."""
        print(f"ncs train: {line}", file=sys.stderr, flush=True)

    def progress(self, progress: "Progress") -> None:
        """Shows where a run stands."""
        figures = (
            f"loss {progress.loss:.4g}, {progress.frames_per_second:.0f} frames/s, "
            f"{duration(progress.seconds_left)} left"
        )
        if sys.stderr.isatty():
            self._draw(progress, figures)
        elif time.monotonic() - self._said >= QUIET_SECONDS:
            self._said = time.monotonic()
            self.note(f"step {progress.step}/{progress.steps}, {figures}")

    def _draw(self, progress: "Progress", figures: str) -> None:
        if self._bar is None:
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

            columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"))
            self._bar = Progress(*columns, console=Console(stderr=True), transient=True)
            self._bar.start()
            self._task = self._bar.add_task("", total=progress.steps)
        assert self._task is not None
        self._bar.update(self._task, completed=progress.step, description=figures)
        if progress.step == progress.steps:
            self.close()

    def close(self) -> None:
        """Takes the bar off the screen."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None
