"""Takes rows, tells whether they can be believed: checked one by one, and a sample played again.

Every row is held against the frozen task it names, and every cell against the episodes it should
have, so that nobody leaves out what went wrong. A sample is then played again with the same
policy, and must come out the same in every number but the time it took.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from ncs.data.workers import spread
from ncs.evaluation.harness import Cell, Job, JudgeConfig, MakeEnv, judge, judge_hash
from ncs.evaluation.method import Method
from ncs.evaluation.suite import EPISODES, frozen_task, task_hash
from ncs.records import DataError, GoalKind, NcsError, Result, Split
from ncs.registry import facts_of
from ncs.settings import Settings

Remake = Callable[[Result], Method]
SAME = ("task", "config", "minimum_moves", "steps", "unsatisfied", "final", "best")


@dataclass(frozen=True)
class Difference:
    """A row that came out otherwise."""

    row: Result
    name: str  # of the column
    claimed: object
    found: object


class Group(Settings):
    """What rows of one policy under one set of rules have in common."""

    method: str
    world: str
    goal: str
    objects: int
    split: str
    config: str
    checkpoint: str


def group_of(row: Result) -> Group:
    """Where a row belongs."""
    return Group(**{name: getattr(row, name) for name in Group.model_fields})


def audit(rows: Sequence[Result]) -> Iterator[str]:
    """What cannot be true of some rows, a line each; nothing is played."""
    groups: dict[Group, list[Result]] = defaultdict(list)
    for row in rows:
        groups[group_of(row)].append(row)
        if row.unsatisfied < 1:
            yield f"{name_of(row)}: starts solved, so it proves nothing"
        if row.best < row.final:
            yield f"{name_of(row)}: ends better ({row.final}) than its best ({row.best})"
        if row.split in ("dev", "test"):
            task = frozen_task(
                row.world, row.split, cast(GoalKind, row.goal), row.objects, number_of(row)
            )
            if (task_hash(task), task.minimum_moves) != (row.task, row.minimum_moves):
                yield f"{name_of(row)}: its task is not that of the frozen suite"
    for group, held in groups.items():
        yield from _gaps(group, held)


def _gaps(group: Group, rows: Sequence[Result]) -> Iterator[str]:
    """Episodes that are missing from a cell: every seed from 0 on must have as many, from 0 on."""
    by_seed: dict[int, set[int]] = defaultdict(set)
    for row in rows:
        by_seed[row.seed].add(row.episode)
    most = max(max(episodes) for episodes in by_seed.values()) + 1
    for seed in range(max(by_seed) + 1):
        if missing := sorted(set(range(most)) - by_seed.get(seed, set())):
            yield (
                f"{group.method} on {group.world}, {group.goal} goals, {group.objects} objects, "
                f"seed {seed}: lacks {len(missing)} of {most} episodes, such as {missing[0]}"
            )


def draw(rows: Sequence[Result], count: int, batch: int, seed: int) -> list[list[Result]]:
    """Stretches of rows at random, about so many rows in all.

    Episodes are played side by side, and what is beside one bears on the last bit of what a
    network sees; so a stretch is played again whole, as 'ncs evaluate' did.
    """
    stretches: dict[tuple[Group, int, int], list[Result]] = defaultdict(list)
    for row in sorted(rows, key=lambda row: row.episode):
        stretches[group_of(row), row.seed, row.episode // batch].append(row)
    every = list(stretches.values())
    chosen: list[list[Result]] = []
    for index in np.random.default_rng(seed).permutation(len(every)):
        if sum(map(len, chosen)) < count:
            chosen.append(every[index])
    return chosen


def playable(
    make_env: MakeEnv, rows: Sequence[Result], remake: Remake
) -> tuple[list[Result], dict[str, int]]:
    """Rows that can be played again here, and of the others how many for what reason."""
    groups: dict[Group, list[Result]] = defaultdict(list)
    for row in rows:
        groups[group_of(row)].append(row)
    here: list[Result] = []
    reasons: dict[str, int] = defaultdict(int)
    for held in groups.values():
        try:
            _job(make_env, held[:1], remake)
        except NcsError as error:
            reasons[str(error)] += len(held)
        else:
            here += held
    return here, dict(reasons)


def replay(
    make_env: MakeEnv, stretches: Sequence[Sequence[Result]], remake: Remake, workers: int
) -> Iterator[list[Difference]]:
    """Plays stretches again; what differs, a list a row, empty where nothing does."""
    jobs = [_job(make_env, rows, remake) for rows in stretches]
    played = spread(judge, jobs, max(1, min(workers, len(jobs))))
    for claimed, found in zip(stretches, played, strict=True):
        for row, again in zip(claimed, found, strict=True):
            yield compare(row, again)


def _job(make_env: MakeEnv, rows: Sequence[Result], remake: Remake) -> Job:
    """A stretch as the judge plays it; refuses settings that are not those the rows name."""
    first = rows[0]
    method, rules = remake(first), rules_of(first)
    _check_setup(make_env, rules)
    if judge_hash(method, rules) != first.config:
        raise DataError(
            f"{name_of(first)}: its settings do not give the hash {first.config} it names"
        )
    episodes = tuple(row.episode for row in rows)
    cell = Cell(cast(GoalKind, first.goal), first.objects, first.seed, episodes)
    return Job(make_env, method, rules, cell)


def compare(row: Result, again: Result) -> list[Difference]:
    """Columns in which a row that was played again differs."""
    pairs = ((name, getattr(row, name), getattr(again, name)) for name in SAME)
    return [Difference(row, *pair) for pair in pairs if pair[1] != pair[2]]


def rules_of(row: Result) -> JudgeConfig:
    """The judge's settings under which a row was played."""
    split, *rest = row.split.split(":")
    rules = JudgeConfig(
        world=row.world,
        objects=(row.objects,),
        goals=(cast(GoalKind, row.goal),),
        split=cast(Split, split),
        cap_factor=row.cap_factor,
        n_constrained=row.n_constrained,
        noise=row.noise,
    )
    if split != "fresh":
        return rules
    *kinds, number = rest
    styles = [kind for kind in kinds if kind in facts_of(row.world).styles]
    setups = [kind for kind in kinds if kind not in styles]
    return rules.model_copy(
        update={"draw": int(number), "style": "".join(styles), "setup": "".join(setups)}
    )


def _check_setup(make_env: MakeEnv, rules: JudgeConfig) -> None:
    """Refuses scenes that are made of something that is not here."""
    if not rules.setup:
        return
    here = make_env(rules.world, n_objects=rules.objects[0]).setup
    if not here.startswith(rules.setup):
        variable = facts_of(rules.world).setup_variable or "the world's own settings"
        raise DataError(
            f"{rules.world}: these tasks are made of {rules.setup}, here it is "
            f"{here[:8] or 'nothing'}; set {variable} as it was"
        )


def number_of(row: Result) -> int:
    """Which task of a suite a row played."""
    return row.seed * EPISODES + row.episode


def name_of(row: Result) -> str:
    """Which row is meant, in words."""
    return (
        f"{row.label or row.method} on {row.world}, {row.goal} goals, {row.objects} objects, "
        f"seed {row.seed}, episode {row.episode}"
    )
