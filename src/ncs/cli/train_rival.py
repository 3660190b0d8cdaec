"""ncs train-rival: train a rival on a buffer, to compare with."""

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from ncs.cli.command import Command

if TYPE_CHECKING:
    from ncs.data.buffer import Buffer
    from ncs.training.callback import Outcome
    from ncs.training.schedule import TrainConfig


class TrainRival(Command):
    """Train a rival on a buffer: a policy from pixels, with the goal picture stacked on.

    bc (behaviour cloning) and iql (implicit Q-learning) are the paper's; gcivl (goal-conditioned
    implicit value learning) is ours, of a later family. The folder gets a
    checkpoint, metrics.jsonl, and policy.safetensors, which is all that 'ncs evaluate --method bc
    --model DIR' needs. A run that was stopped in whatever way goes on with --resume.
    """

    method: Literal["bc", "iql", "gcivl"] = Field(description="which rival")
    buffer: Path = Field(description="folder that 'ncs collect' made")
    out: Path = Field(description="folder for the policy and everything about it")
    preset: Literal["paper", "cpu"] = Field(
        "cpu",
        description="paper: jaxrl2's numbers, for a GPU; cpu: its networks in minutes on one core",
    )
    seed: int = Field(0, ge=0, lt=2**63, description="of weights, order and noise")
    minutes: float | None = Field(None, gt=0, description="checkpoint and end after that long")
    resume: bool = Field(False, description="go on from the checkpoint in --out, if there is one")
    steps: int | None = Field(None, ge=1, description="instead of the preset's")
    batch: int | None = Field(None, ge=1, description="moves a step, each of another clip")
    threads: int | None = Field(None, ge=1, description="threads")
    settings: tuple[str, ...] = Field(
        (), description="any other setting as NAME=VALUE, such as network.expectile=0.9"
    )

    def run(self) -> None:
        """Trains, saves the policy and reports."""
        from ncs.cli.console import TrainingScreen
        from ncs.data.buffer import open_buffer
        from ncs.training.estimate import describe, estimate
        from ncs.training.train import check_out, train

        buffer = open_buffer(self.buffer, verify=False)
        config = self.resolve(buffer)
        check_out(self.out, self.resume)
        screen = TrainingScreen("train-rival")
        screen.note(describe(estimate(config, buffer)))
        outcome = train(
            config,
            self.buffer,
            self.out,
            resume=self.resume,
            minutes=self.minutes,
            callback=screen,
        )
        screen.close()
        self._report(config, outcome)

    def resolve(self, buffer: "Buffer") -> "TrainConfig":
        """The preset with everything that was asked for changed."""
        from ncs.agent.rivals import rival_training
        from ncs.training.presets import altered

        chosen = rival_training(self.method, buffer.world, self.preset)
        asked = {name: getattr(self, name) for name in ("seed", "steps", "batch", "threads")}
        return altered(chosen, asked, self.settings)

    def _report(self, config: "TrainConfig", outcome: "Outcome") -> None:
        from ncs.baselines.rival import save_policy
        from ncs.cli.console import Ending, conclude
        from ncs.training.checkpoint import has_checkpoint

        checkpoint = save_policy(self.out).checkpoint if has_checkpoint(self.out) else None
        conclude(
            Ending(self.out, config.steps, outcome, checkpoint),
            f"(policy {checkpoint}); judge it with 'ncs evaluate --method {self.method}'",
            {"method": self.method},
            self.as_json,
        )
