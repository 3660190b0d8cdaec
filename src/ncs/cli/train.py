"""ncs train: train a world model on one buffer or several."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from ncs.cli.command import Command, World
from ncs.records import ConfigError

if TYPE_CHECKING:
    from ncs.data.buffer import Buffer
    from ncs.training.schedule import TrainConfig

ASKED = ("seed", "steps", "batch", "devices", "threads")  # options that stand for settings


class Train(Command):
    """Train a world model on one buffer or several.

    The folder gets a checkpoint, metrics.jsonl, pictures of what the model sees, and figures for
    TensorBoard where that is installed. A run that was stopped in whatever way goes on with
    --resume, to the same bits on the same machine. Asked to end (SIGTERM, Ctrl-C) it writes a
    checkpoint and ends within seconds, with exit code 143 or 130. A run that diverges ends with
    the reason and exit code 2, and its last checkpoint stands. Look at the outcome with
    'ncs slots'. Of several buffers the batches take turns: one set of weights, used as a model of
    the first; 'ncs calibrate' makes one of each other out of it.
    """

    buffer: tuple[Path, ...] = Field(description="folders that 'ncs collect' made, mostly one")
    out: Path | None = Field(None, description="folder for the model and everything about it")
    world: World | None = Field(None, description="the world the buffer must be of, if given")
    preset: Literal["paper", "cpu", "fast"] = Field(
        "fast",
        description="paper: dSLATE with the paper's numbers; cpu: dSLATE cut to two cores; fast: "
        "things are what actions move, minutes on two cores and no word about the world",
    )
    resume: bool = Field(False, description="go on from the checkpoint in --out, if there is one")
    start: Path | None = Field(
        None, description="a model of the same shape whose weights to begin with"
    )
    estimate: bool = Field(False, description="print time, memory and parameters, and stop")
    show: bool = Field(False, description="print every setting as JSON, and stop")
    minutes: float | None = Field(None, gt=0, description="checkpoint and end after that long")
    seed: int | None = Field(None, ge=0, lt=2**63, description="of weights, order and noise")
    steps: int | None = Field(
        None, ge=0, description="instead of the preset's; 0: what is measured, untrained"
    )
    batch: int | None = Field(None, ge=1, description="clips a step, over all processes")
    devices: int | None = Field(None, ge=1, description="processes, one a device or core")
    threads: int | None = Field(None, ge=1, description="threads of each process")
    settings: tuple[str, ...] = Field(
        (),
        description="any other setting as NAME=VALUE, such as network.width=16 or "
        "average=0.999; --show lists the names",
    )

    def run(self) -> None:
        """Trains and reports, or only says what training would cost."""
        from ncs.data.buffer import open_buffer

        config = self.resolve()
        if self.show:
            print(json.dumps(config.model_dump(mode="json"), indent=1))
            return
        if not self.buffer:
            raise ConfigError("buffer: name at least one folder")
        buffers = [open_buffer(folder, verify=False) for folder in self.buffer]
        for buffer in buffers:
            if self.world and self.world != buffer.world:
                raise ConfigError(f"{buffer.folder}: is of {buffer.world}, not of {self.world}")
        if self.estimate:
            self._estimate(config, buffers[0])
        else:
            self._train(config, buffers[0])

    def resolve(self) -> "TrainConfig":
        """The preset with everything that was asked for changed."""
        from ncs.training.presets import altered, preset

        chosen = preset(self.preset)
        asked = {name: getattr(self, name) for name in ASKED}
        return altered(chosen, asked, self.settings)

    def _estimate(self, config: "TrainConfig", buffer: "Buffer") -> None:
        from ncs.cli.console import report
        from ncs.training.estimate import describe, estimate

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

    def _train(self, config: "TrainConfig", buffer: "Buffer") -> None:
        from ncs.cli.console import Ending, TrainingScreen, conclude
        from ncs.training.checkpoint import checkpoint_hash, has_checkpoint
        from ncs.training.estimate import describe, estimate
        from ncs.training.train import check_out, train

        if self.out is None:
            raise ConfigError("out: name a folder for the model with --out")
        check_out(self.out, self.resume)
        screen = TrainingScreen("train")
        screen.note(describe(estimate(config, buffer, repeats=1)))
        outcome = train(
            config,
            self.buffer,
            self.out,
            resume=self.resume,
            minutes=self.minutes,
            callback=screen,
            start=self.start,
        )
        screen.close()
        checkpoint = checkpoint_hash(self.out) if has_checkpoint(self.out) else None
        conclude(
            Ending(self.out, config.steps, outcome, checkpoint),
            f"(checkpoint {checkpoint}); see it with 'ncs slots'",
            {},
            self.as_json,
        )
