"""ncs reproduce: do the paper again, from nothing to a report."""

import contextlib
import importlib.util
import os
import re
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import Field, field_validator

from ncs.cli.command import Command, World
from ncs.records import ConfigError, DataError, NcsError
from ncs.reproduction.engines import EngineName
from ncs.reproduction.scales import Scale, ScaleName

if TYPE_CHECKING:
    from ncs.cli.console import Advance, TrainingScreen
    from ncs.evaluation.grid import Request
    from ncs.reproduction.artefacts import Artefacts, Run
    from ncs.reproduction.reporter import Reporter


class Reproduce(Command):
    """Do the paper again, from nothing to a report.

    Collects buffers, trains models and rivals, builds graphs, judges the methods on every cell of
    Table 1, runs the ablations, draws the figures, and writes report.html (one file, opens
    anywhere) and report.md, every number beside the paper's. 'smoke' shows in minutes that every
    part works, its numbers mean nothing; 'laptop' takes hours on two cores; 'paper' is the paper's
    full size. Stopped in whatever way, the same command goes on from there. For a job array give
    each job the same --out on a shared disk and its --shard i/n; whoever finishes last writes the
    report.
    """

    scale: ScaleName = Field("smoke", description="how much of it")
    out: Path = Field(Path("runs/reproduce"), description="folder for everything it makes")
    models: Path | None = Field(
        None, description="folder of trained models to use instead of training, such as checkpoints"
    )
    engine: EngineName = Field("local", description="processes of this machine, or a Ray cluster")
    address: str = Field("local", description="of a running Ray cluster, such as auto or host:6379")
    workers: int = Field(
        default_factory=lambda: os.cpu_count() or 1, ge=1, le=256, description="processes"
    )
    shard: str = Field("0/1", description="i/n: judge only every n-th piece of the grid")
    estimate: bool = Field(False, description="say how long it will take, and stop")
    worlds: tuple[World, ...] = Field((), description="only these worlds")
    methods: tuple[str, ...] = Field((), description="only these methods")
    studies: tuple[str, ...] | None = Field(None, description="only these ablations")
    seeds: int | None = Field(None, ge=1, le=10, description="seeds a cell, instead of the scale's")
    episodes: int | None = Field(None, ge=1, le=100, description="episodes a seed, likewise")

    @field_validator("shard")
    @classmethod
    def _is_shard(cls, text: str) -> str:
        match = re.fullmatch(r"(\d+)/(\d+)", text)
        if not match or not int(match[1]) < int(match[2]):
            raise ValueError("must be i/n with i from 0 to n-1, such as 0/4")
        return text

    def run(self) -> None:
        """Does what is missing, and writes the report when nothing is."""
        from ncs.cli.console import report
        from ncs.evaluation.grid import missing
        from ncs.reproduction.costs import describe, seconds_of
        from ncs.reproduction.studies import requests_of

        run = self._run()
        scale, reporter = run.scale, run.reporter
        told = describe(scale, self.workers, self._is_given)
        if self.estimate:
            parts = seconds_of(scale, self.workers, self._is_given)
            cost = {"scale": scale.name, "workers": self.workers, "seconds": parts}
            return report(told, cost, self.as_json)
        reporter.say(told)
        if importlib.util.find_spec("matplotlib") is None:  # now, not after hours
            raise NcsError("matplotlib is not installed; pip install 'ncs[figures]'")
        began = time.perf_counter()
        worlds = self._prepare(run)
        requests = requests_of(scale, worlds)
        cells = self.out / "cells"
        self._play(requests, cells, reporter)
        facts = {"out": str(self.out), "scale": scale.name, "left": missing(requests, cells)}
        if facts["left"]:
            line = f"{self.out}: this shard is done; {facts['left']} pieces are left to others"
        else:
            self._conclude(run, worlds, requests, cells)
            line = f"{self.out}/report.html: the report, and report.md beside it"
        facts["seconds"] = round(time.perf_counter() - began, 1)
        report(f"{line} ({facts['seconds']:.0f} s)", facts, self.as_json)

    def resolve(self) -> Scale:
        """The scale, less what was not asked for."""
        from ncs.agent.methods import METHODS

        unknown = sorted(set(self.methods) - set(METHODS))
        if unknown:
            raise ConfigError(f"methods: there is no {unknown[0]!r}, choose from {METHODS}")
        if self.models is not None and not self.models.is_dir():
            raise DataError(f"{self.models}: there is no such folder of models")
        asked = (self.worlds, self.methods, self.studies, self.seeds, self.episodes)
        return Scale.named(self.scale).narrowed(*asked)

    def _run(self) -> "Run":
        from ncs.reproduction.artefacts import Run

        return Run(self.resolve(), self.out.resolve(), self.models, self.workers, Screen())

    def _is_given(self, world: str, kind: str) -> bool:
        """Whether a trained model need not be trained."""
        from ncs.reproduction.artefacts import WORLD_MODELS, given_model

        kinds = WORLD_MODELS if kind == "model" else (kind,)
        return given_model(self.models, world, kinds) is not None

    def _prepare(self, run: "Run") -> "list[Artefacts]":
        """Everything the methods need, world by world."""
        from ncs.reproduction.artefacts import prepare
        from ncs.training.interrupts import Stopped

        try:
            return [prepare(run, world) for world in run.scale.worlds]
        except Stopped as stop:
            run.reporter.say("stopped; the same command goes on from here")
            raise SystemExit(stop.exit_code) from None

    def _play(self, requests: "Sequence[Request]", cells: Path, reporter: "Reporter") -> None:
        """Judges what is missing of this shard."""
        from ncs.envs import make_env
        from ncs.evaluation.grid import play
        from ncs.reproduction.engines import make_engine

        index, count = (int(part) for part in self.shard.split("/"))
        engine = make_engine(self.engine, self.workers, self.address)
        steps = play(make_env, requests, cells, engine, (index, count))
        first = next(steps)
        reporter.say(f"{cells}: {first.total} pieces of the grid, {first.done} are there already")
        with reporter.progress("judging", first.total, "pieces") as advance:
            advance(first.done)
            for step in steps:
                advance(step.done)

    def _conclude(
        self,
        run: "Run",
        worlds: "Sequence[Artefacts]",
        requests: "Sequence[Request]",
        cells: Path,
    ) -> None:
        """Gathers the results, draws what is to be seen, and writes the report."""
        from ncs.analysis.points import save_points
        from ncs.reproduction.artefacts import claimed
        from ncs.reproduction.report import describe_run, draw_solutions, write_report

        with claimed(self.out / "report.html", run.reporter):
            about = describe_run(run.scale, worlds, self.models is not None)
            save_points(self.out / "results", requests, cells, about)
            run.reporter.say("drawing figures")
            write_report(self.out, worlds, draw_solutions(worlds, self.out / "solutions"))


class Screen:
    """Tells on the terminal how a run goes."""

    def say(self, line: str) -> None:
        """A line for people, kept apart from what machines read."""
        print(f"ncs reproduce: {line}", file=sys.stderr, flush=True)

    def progress(
        self, what: str, total: int, unit: str
    ) -> "contextlib.AbstractContextManager[Advance]":
        """A bar, or a line now and then."""
        from ncs.cli.console import progress

        return progress(what, total, unit)

    @contextlib.contextmanager
    def training(self) -> "Iterator[TrainingScreen]":
        """The screen of 'ncs train'."""
        from ncs.cli.console import TrainingScreen

        screen = TrainingScreen("reproduce")
        yield screen
        screen.close()
