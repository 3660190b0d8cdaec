"""The judge: every cell of a grid, episode by episode, resumable, spread over processes.

A cell is one method on one world, goal kind, object count and seed. The judge knows no method: it
is handed a record that makes policies.
"""

import functools
import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from pydantic import Field

from ncs import __version__
from ncs.data.rollout import Start, rollout
from ncs.data.workers import spread
from ncs.evaluation.code import commit
from ncs.evaluation.method import Method
from ncs.evaluation.metrics import fractional_success
from ncs.evaluation.noise import Unsteady
from ncs.evaluation.results import Key, append_results, key_of, open_results
from ncs.evaluation.suite import (
    EPISODES,
    GOALS,
    SEEDS,
    fresh_task,
    frozen_task,
    suite_hash,
    task_hash,
)
from ncs.records import ConfigError, Env, Episode, GoalKind, Result, Split, Task
from ncs.settings import Settings
from ncs.storage import digest_json, locked

MakeEnv = Callable[..., Env]


class JudgeConfig(Settings):
    """The grid to run."""

    world: str
    objects: tuple[int, ...] = (4, 5, 6, 7)  # the paper's counts
    goals: tuple[GoalKind, ...] = GOALS
    seeds: int = Field(SEEDS, ge=1, le=SEEDS)
    episodes: int = Field(EPISODES, ge=1, le=EPISODES)
    split: Split = "test"
    draw: int = Field(0, ge=0, lt=2**63)  # which fresh tasks, with split "fresh"
    cap_factor: int = Field(4, ge=1, le=64)  # steps allowed, times the fewest needed
    n_constrained: int = Field(2, ge=1, le=12)  # constraints of a partial goal
    noise: float = Field(0.0, ge=0, le=10)  # spread of actions, as a share of the tolerance
    style: str = ""  # a world's own kind of fresh tasks, such as hard ones
    setup: str = ""  # hash of what fresh tasks are made of, where it is not the world's own

    @property
    def split_name(self) -> str:
        """The split as it stands in a result: fresh tasks carry style, setup and draw."""
        kinds = [kind for kind in (self.style, self.setup[:8]) if kind]
        fresh = ":".join(["fresh", *kinds, str(self.draw)])
        return fresh if self.split == "fresh" else self.split


@dataclass(frozen=True)
class Cell:
    """A stretch of episodes of one cell, played side by side."""

    goal: GoalKind
    objects: int
    seed: int
    episodes: tuple[int, ...]


@dataclass(frozen=True)
class Job:
    """All a worker needs to judge a stretch of episodes."""

    make_env: MakeEnv
    method: Method
    config: JudgeConfig
    cell: Cell
    commit: str = ""  # of the code, for the rows


@dataclass(frozen=True)
class Progress:
    """How far a run has come."""

    done: int
    total: int
    results: list[Result]  # the latest


def judge_hash(method: Method, config: JudgeConfig) -> str:
    """Twelve hex digits over all settings that bear on a score, and none that do not."""
    rules = {
        "cap_factor": config.cap_factor,
        "n_constrained": config.n_constrained,
        "tasks": "fresh" if config.split == "fresh" else suite_hash(config.world, config.split),
    }
    if config.noise:  # left out where there is none, so that older results keep their hash
        rules["noise"] = config.noise
    return digest_json([rules, method.name, method.settings()])[:12]


def plan(
    method: Method,
    config: JudgeConfig,
    batch: int,
    shard: tuple[int, int] = (0, 1),
    done: frozenset[Key] = frozenset(),
) -> list[Cell]:
    """The stretches still to be played, in a fixed order; shard (i, n) takes every n-th stretch."""
    config_hash = judge_hash(method, config)
    stretches = []
    number = 0
    for goal, objects, seed in itertools.product(config.goals, config.objects, range(config.seeds)):
        for first in range(0, config.episodes, batch):
            number += 1
            if number % shard[1] != shard[0]:
                continue
            cell = Cell(
                goal,
                objects,
                seed,
                tuple(
                    episode
                    for episode in range(first, min(first + batch, config.episodes))
                    if _key(method, config, config_hash, goal, objects, seed, episode) not in done
                ),
            )
            if cell.episodes:
                stretches.append(cell)
    return stretches


def _key(
    method: Method,
    config: JudgeConfig,
    config_hash: str,
    goal: str,
    objects: int,
    seed: int,
    episode: int,
) -> Key:
    """The key a result of this episode will have."""
    name, checkpoint = method.name, str(method.checkpoint)
    split = config.split_name
    return (name, config.world, goal, objects, seed, episode, split, config_hash, checkpoint)


@functools.lru_cache(maxsize=4)
def _worlds(
    make_env: MakeEnv, config: JudgeConfig, goal: GoalKind, objects: int, lanes: int
) -> list[Env]:
    """The worlds of a worker, made once for many stretches."""
    settings = {
        "cap_factor": config.cap_factor,
        "n_constrained": min(config.n_constrained, objects),
        **({"style": config.style} if config.style else {}),
    }
    return [make_env(config.world, n_objects=objects, goal=goal, **settings) for _ in range(lanes)]


def judge(job: Job) -> list[Result]:
    """The results of one stretch of episodes."""
    cell, config = job.cell, job.config
    envs = _worlds(job.make_env, config, cell.goal, cell.objects, len(cell.episodes))
    policy = job.method.policy(envs)
    if config.noise:
        policy = Unsteady(policy, config.noise * envs[0].tolerance)
    starts = [
        Start(
            _task(config, envs[0], cell, episode),
            (GOALS.index(cell.goal), cell.objects, cell.seed, episode),
        )
        for episode in cell.episodes
    ]
    episodes = rollout(envs, policy, starts)
    return [_result(job, *pair) for pair in zip(cell.episodes, episodes, strict=True)]


def _task(config: JudgeConfig, env: Env, cell: Cell, episode: int) -> Task:
    """The task of one episode of a cell."""
    number = cell.seed * EPISODES + episode
    if config.split == "fresh":
        return fresh_task(env, config.draw, cell.goal, cell.objects, number)
    return frozen_task(config.world, config.split, cell.goal, cell.objects, number)


def _result(job: Job, number: int, episode: Episode) -> Result:
    """The row of one episode."""
    score = fractional_success(episode.satisfied, episode.n_constraints)
    return Result(
        method=job.method.name,
        world=job.config.world,
        goal=job.cell.goal,
        objects=job.cell.objects,
        seed=job.cell.seed,
        episode=number,
        split=job.config.split_name,
        task=task_hash(episode.task),
        config=judge_hash(job.method, job.config),
        code=__version__,
        minimum_moves=episode.task.minimum_moves,
        steps=len(episode.action),
        unsatisfied=episode.n_constraints - int(episode.satisfied[0]),
        final=round(score.final, 6),
        best=round(score.best, 6),
        seconds=round(episode.seconds, 4),
        cap_factor=job.config.cap_factor,
        noise=job.config.noise,
        n_constrained=job.config.n_constrained,
        label=job.method.label or job.method.name,
        settings=job.method.settings(),
        weights=job.method.checkpoint.weights,
        graph=job.method.checkpoint.graph,
        sets=job.method.checkpoint.sets,
        commit=job.commit,
    )


def evaluate(
    make_env: MakeEnv,
    method: Method,
    config: JudgeConfig,
    path: Path,
    *,
    workers: int = 1,
    batch: int = 25,
    shard: tuple[int, int] = (0, 1),
) -> Iterator[Progress]:
    """Judges a method and adds a row an episode to a file, yielding how far it has come.

    Rows that already stand in the file are not run again, so a killed run is continued by the same
    command. Rows are written in a fixed order, whatever the number of workers.
    """
    if config.split != "fresh" and config.n_constrained != 2 and "partial" in config.goals:
        raise ConfigError("n_constrained: the frozen partial tasks have 2; use --split fresh")
    if config.style and config.split != "fresh":
        raise ConfigError("style: frozen tasks have none; use --split fresh")
    with locked(path):
        done = frozenset(map(key_of, open_results(path)))
        total = sum(len(cell.episodes) for cell in plan(method, config, batch, shard))
        todo = plan(method, config, batch, shard, done)
        finished = total - sum(len(cell.episodes) for cell in todo)
        yield Progress(finished, total, [])
        jobs = [Job(make_env, method, config, cell, commit()) for cell in todo]
        for results in spread(judge, jobs, max(1, min(workers, len(jobs)))):
            append_results(path, results)
            finished += len(results)
            yield Progress(finished, total, results)
