"""ncs collect: play a world at random and keep a buffer of clips to learn from."""

import os
import time
from pathlib import Path
from typing import Self

import tyro
from pydantic import Field, model_validator

from ncs.cli.command import Command, World, which_style, which_world
from ncs.registry import find_world


class Collect(Command):
    """Play a world at random and keep what was seen and done.

    Each clip shows a few objects, each moved once in random order to a random legal place: one
    frame more than there are objects, and the action between each two. Clip i depends on the seed
    and i alone, so a killed run is finished by the same command, byte for byte, whatever the
    number of workers. Look at the outcome with 'ncs inspect DIR'.
    """

    world: tyro.conf.Positional[World] = Field(description=which_world())
    out: Path = Field(description="folder for the buffer; a finished one is verified and kept")
    episodes: int = Field(5000, ge=1, le=10_000_000, description="clips; the paper has 5000")
    objects: int = Field(4, ge=1, description="objects in each scene; the paper has 4")
    seed: int = Field(0, ge=0, lt=2**63, description="which random clips")
    style: str = Field("plain", description=which_style())
    workers: int = Field(
        default_factory=lambda: os.cpu_count() or 1, ge=1, le=256, description="processes"
    )

    @model_validator(mode="after")
    def _is_there(self) -> Self:
        find_world(self.world).check((self.objects,), self.style)
        return self

    def run(self) -> None:
        """Fills the folder and reports."""
        from ncs.cli.console import progress, report
        from ncs.data.buffer import open_buffer
        from ncs.data.collect import CollectConfig, collect
        from ncs.envs import make_env

        config = CollectConfig(
            world=self.world,
            episodes=self.episodes,
            objects=self.objects,
            seed=self.seed,
            style="" if self.style == "plain" else self.style,
        )
        began = time.perf_counter()
        with progress("collecting", self.episodes, "clips") as advance:
            for done in collect(make_env, config, self.out, self.workers):
                advance(done)
        seconds = time.perf_counter() - began
        frames = self.episodes * (self.objects + 1)
        facts = {
            "out": str(self.out),
            "episodes": self.episodes,
            "frames": frames,
            "seconds": round(seconds, 2),
            "hash": open_buffer(self.out, verify=False).hash,
        }
        line = (
            f"{self.out}: {self.episodes} clips, {frames} frames in {seconds:.1f} s "
            f"(buffer {facts['hash']})"
        )
        report(line, facts, self.as_json)
