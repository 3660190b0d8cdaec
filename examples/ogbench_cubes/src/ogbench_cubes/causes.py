"""Why episodes fail: every cube that is not at its goal in the end, by cause.

    python -m ogbench_cubes.causes MODEL --results FILE.jsonl

Plays the failed episodes of a results file again. The truth is used to say what went wrong, never
by the agent. Legend: N cubes, K slots, 3 coordinates, metres.
"""

import argparse
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch

from ncs.agent import Trained, control_preset
from ncs.control.decision import Decision
from ncs.envs import make_env
from ncs.evaluation.results import read_results
from ncs.evaluation.suite import GOALS, frozen_task
from ncs.graph.attempts import where
from ncs.records import Entities, Graph, Result
from ogbench_cubes.facts import CUBE, NAME, NEAR
from ogbench_cubes.scenes import Doubles
from ogbench_cubes.score import solved

FLAT = slice(0, 2)
AIM = 0.015  # metres: a pick or a place that misses by more was aimed wrongly


@dataclass
class Attempt:
    """A move and what became of it."""

    cube: int
    aimed: bool  # picked where it was, sent to its goal
    arrived: bool


@dataclass
class Story:
    """An episode."""

    decision: Decision
    place: Doubles  # (N, 3)
    goal: Doubles  # (N, 3)
    attempts: list[Attempt] = field(default_factory=list)


def play(env: Any, policy: Any, result: Result) -> Story:
    """Plays an episode and keeps what a diagnosis needs."""
    number = result.seed * 100 + result.episode
    task = frozen_task(NAME, "test", "complete", result.objects, number)
    observation, _ = env.reset(options={"task": task})
    goal_N3 = env.goal_places()
    policy.begin([(GOALS.index("complete"), result.objects, result.seed, result.episode)])
    attempts: list[Attempt] = []
    done = False
    while not done:
        before_N3 = env.truth().position.astype(np.float64)
        policy.act(observation["image"][None], observation["goal"][None], [0])
        decision = policy.acting.decisions[0]
        observation, _, terminated, truncated, _ = env.step(decision.action)
        done = terminated or truncated
        pick_3, place_3 = decision.action[:3], decision.action[:3] + decision.action[3:]
        cube = int(np.linalg.norm(before_N3 - pick_3, axis=1).argmin())
        after_3 = env.truth().position[cube]
        attempts.append(
            Attempt(
                cube,
                bool(
                    np.linalg.norm((before_N3[cube] - pick_3)[FLAT]) < AIM
                    and np.linalg.norm((goal_N3[cube] - place_3)[FLAT]) < AIM
                ),
                bool(np.linalg.norm(after_3 - goal_N3[cube]) < NEAR),
            )
        )
    return Story(decision, before_N3, goal_N3, attempts)


def slot_at(entities: Entities, graph: Graph, place_3: Doubles) -> tuple[int, bool]:
    """The slot seen at a place, -1 where there is none, and whether its height is right."""
    known = graph.calibration
    assert known is not None
    seen_K3 = where(entities.state, graph, known)
    away_K = np.linalg.norm((seen_K3 - place_3)[:, FLAT], axis=1)
    level_K = np.abs(seen_K3[:, 2] - place_3[2])
    cost_K = np.where(entities.presence, away_K + 0.5 * level_K, np.inf)
    slot = int(cost_K.argmin())
    if not np.isfinite(cost_K[slot]) or away_K[slot] > 1.5 * CUBE:
        return -1, False
    return slot, bool(level_K[slot] < CUBE / 2 and away_K[slot] < NEAR)


def cause(story: Story, graph: Graph, cube: int) -> str:
    """Why a cube did not come to its goal."""
    problem, pairs = story.decision.problem, story.decision.pairs
    slot, right = slot_at(problem.now, graph, story.place[cube])
    goal_slot, goal_right = slot_at(problem.goal, graph, story.goal[cube])
    if slot < 0 or goal_slot < 0:
        return "not seen" + (" in the goal" if goal_slot < 0 else "")
    if not (right and goal_right):
        return "wrong height" + ("" if goal_right else " in the goal")
    partner = dict(zip(pairs.goal.tolist(), pairs.now.tolist(), strict=True)).get(goal_slot)
    if partner != slot:
        return "mis-matched"
    tries = [attempt for attempt in story.attempts if attempt.cube == cube]
    if any(attempt.aimed and not attempt.arrived for attempt in tries):
        return "arm missed"
    return "wrong rule" if not tries else "wrong aim"


def diagnose(folder: Path, results: list[Result]) -> Iterator[tuple[Result, Story, list[str]]]:
    """Every failed episode again, with the causes of its cubes."""
    trained = Trained.load(folder)
    for result in results:
        env = make_env(NAME, n_objects=result.objects)
        policy = trained.policy(control_preset("best"), trained.slots_for(result.objects))
        story = play(env, policy, result)
        away_N = np.linalg.norm(story.place - story.goal, axis=1)
        unmet = np.flatnonzero(away_N > NEAR).tolist()
        yield result, story, [cause(story, trained.graph, cube) for cube in unmet]


def main() -> None:
    """Prints causes, episode by episode and in sum."""
    parser = argparse.ArgumentParser()
    parser.add_argument("model", type=Path)
    parser.add_argument("--results", type=Path, required=True)
    asked = parser.parse_args()
    torch.set_num_threads(1)
    failed = [r for r in read_results(asked.results) if not solved(r) and r.method == "ncs"]
    total: Counter[str] = Counter()
    for result, story, causes in diagnose(asked.model, failed):
        total.update(causes)
        print(f"{result.objects} cubes, task {result.episode % 5 + 1}, episode {result.episode}:")
        print(f"  {len(story.attempts)} moves; {', '.join(causes) or 'solved this time'}")
    print(", ".join(f"{name} {count}" for name, count in total.most_common()) or "none failed")


if __name__ == "__main__":
    main()
