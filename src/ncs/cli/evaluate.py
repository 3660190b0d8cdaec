"""ncs evaluate: judge a method on frozen or fresh tasks."""

import json
import os
import re
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

import tyro
from pydantic import Field, field_validator, model_validator

from ncs.cli.command import Command, Model, World, which_style, which_world
from ncs.cli.options import EXTENSIONS
from ncs.records import ConfigError
from ncs.registry import default_world, find_world

if TYPE_CHECKING:
    from ncs.cli.console import ProgressBar
    from ncs.evaluation.harness import Progress
    from ncs.evaluation.method import Method


class Evaluate(Command):
    """Judge a method: fractional success on tasks, one line of JSON an episode.

    Every cell (goal kind, object count, seed) has 100 frozen tasks; 'dev' is for tuning, 'test'
    for reporting, and 'fresh' draws tasks that stand in no suite, so that anyone can check a
    result. A killed run is continued by the same command; rows already there are not run again.
    For a job array, give each job its --shard i/n and its own --out, then hand all files to
    'ncs table'.
    """

    world: World = Field(default_world(), description=which_world())
    method: str = Field(
        description="which policy is judged: random, oracle, ncs, nf, mpc, bc, iql, gcivl, what an "
        "installed package offers, or MODULE:FACTORY, a function of your own that makes one"
    )
    out: Path = Field(description="results file, JSON lines; rows are added to it")
    objects: tuple[int, ...] = Field((4, 5, 6, 7), description="object counts")
    goal: tuple[Literal["complete", "partial"], ...] = Field(
        ("complete", "partial"), description="goal kinds"
    )
    seeds: int = Field(10, ge=1, le=10, description="seeds a cell; the paper has 10")
    episodes: int = Field(100, ge=1, le=100, description="episodes a seed; the paper has 100")
    split: Literal["dev", "test", "fresh"] = Field("test", description="which tasks")
    seed: int = Field(0, ge=0, lt=2**63, description="which fresh tasks, with --split fresh")
    style: str = Field("plain", description=f"of fresh tasks: {which_style()}")
    cap_factor: Annotated[int, tyro.conf.arg(aliases=["--horizon"])] = Field(
        4, ge=1, le=64, description="steps allowed, times the fewest needed; the paper has 4"
    )
    noise: float = Field(
        0.0,
        ge=0,
        le=10,
        description="standard deviation of Gaussian noise on actions, as a share of the "
        "distance by which a pick or place may miss",
    )
    n_constrained: int = Field(2, ge=1, description="constraints of a fresh partial goal")
    workers: int = Field(
        default_factory=lambda: os.cpu_count() or 1, ge=1, le=256, description="processes"
    )
    batch: int = Field(25, ge=1, le=100, description="episodes played side by side in a process")
    shard: str = Field("0/1", description="i/n: run only every n-th stretch of episodes")
    model: Model | None = Field(
        None, description="a trained model (default: the world's own, of methods that see by it)"
    )
    preset: Literal["paper", "best"] = Field(
        "best", description="the paper's graph and control, or every extension"
    )
    graph: Path | None = Field(None, description="a graph other than the preset's")
    slots: int | None = Field(None, ge=1, le=64, description="slots (default: objects and spares)")
    without: tuple[str, ...] = Field((), description=f"extensions to switch off: {EXTENSIONS}")
    only: tuple[str, ...] = Field(
        (), description=f"extensions to switch on in the paper's preset: {EXTENSIONS}"
    )
    settings: tuple[str, ...] = Field(
        (), description="other settings of the method as NAME=VALUE, such as population=50 of mpc"
    )
    label: str = Field("", description="what tables call it (default: the method's name)")

    @field_validator("shard")
    @classmethod
    def _is_shard(cls, text: str) -> str:
        match = re.fullmatch(r"(\d+)/(\d+)", text)
        if not match or not int(match[1]) < int(match[2]):
            raise ValueError("must be i/n with i from 0 to n-1, such as 0/4")
        return text

    @field_validator("out")
    @classmethod
    def _can_be_added_to(cls, path: Path) -> Path:
        if path.suffix == ".gz":
            raise ValueError(f"{path}: a packed file cannot be added to; name a .jsonl file")
        return path

    @field_validator("objects")
    @classmethod
    def _are_counts(cls, counts: tuple[int, ...]) -> tuple[int, ...]:
        if not counts or len(set(counts)) < len(counts):
            raise ValueError("must be different whole numbers")
        return counts

    @model_validator(mode="after")
    def _is_there(self) -> Self:
        find_world(self.world).check(self.objects, self.style)
        return self

    def run(self) -> None:
        """Judges, then prints the cells of this method in the file."""
        from ncs.analysis.formatter import as_text
        from ncs.analysis.table import as_records
        from ncs.cli.console import progress, report
        from ncs.evaluation.results import read_results

        began = time.perf_counter()
        method, first = self.judge(progress)
        results = [
            r
            for r in read_results(self.out)
            if (r.method, r.checkpoint) == (method.name, str(method.checkpoint))
        ]
        facts = {
            "out": str(self.out),
            "episodes": first.total,
            "run_now": first.total - first.done,
            "seconds": round(time.perf_counter() - began, 2),
            "cells": [c for c in as_records(results, "best") if c["source"] == "ours"],
        }
        line = f"{as_text(results, 'best')}\n\n{self.out}: {first.total} episodes of {self.method}"
        report(line, facts, self.as_json)

    def judge(self, progress: "ProgressBar") -> "tuple[Method, Progress]":
        """Runs what is missing in the file; the method and how far it was at the start."""
        from ncs.envs import make_env
        from ncs.evaluation.harness import JudgeConfig, evaluate

        config = JudgeConfig(
            world=self.world,
            objects=self.objects,
            goals=self.goal,
            seeds=self.seeds,
            episodes=self.episodes,
            split=self.split,
            draw=self.seed,
            cap_factor=self.cap_factor,
            n_constrained=self.n_constrained,
            noise=self.noise,
            style="" if self.style == "plain" else self.style,
            setup=self._setup(),
        )
        method = self.resolve()
        index, count = (int(part) for part in self.shard.split("/"))
        how = {"workers": self.workers, "batch": self.batch}
        run = evaluate(make_env, method, config, self.out, shard=(index, count), **how)
        first = next(run)
        with progress(f"judging {self.method}", first.total, "episodes") as advance:
            advance(first.done)
            for step in run:
                advance(step.done)
        return method, first

    def _setup(self) -> str:
        """The hash of what fresh tasks are made of, where it is not the world's own."""
        from ncs.envs import make_env

        variable = find_world(self.world).setup_variable
        return make_env(self.world).setup if os.environ.get(variable) else ""

    def resolve(self) -> "Method":
        """The method that is judged, with its files and settings."""
        from ncs.agent.methods import make_method
        from ncs.agent.options import MethodOptions

        names = ("world", "label", "model", "preset", "graph", "slots", "without", "only")
        asked = {name: getattr(self, name) for name in names}
        settings = dict(as_setting(text) for text in self.settings)
        return make_method(self.method, MethodOptions(**asked, settings=settings))


def as_setting(text: str) -> tuple[str, Any]:
    """NAME=VALUE as name and value, which is JSON or a bare word."""
    name, found, value = text.partition("=")
    if not found:
        raise ConfigError(f"settings: must be NAME=VALUE, got {text!r}")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value
