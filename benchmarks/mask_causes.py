"""Why tasks fail with masks and the paper's graph and control: every step and unmet constraint.

    python benchmarks/mask_causes.py checkpoints/robogym-cpu-0 --objects 4 7 --episodes 40

Which slot has which object is told by masks and true segmentations, as in 'ncs slots', so no
calibration is needed. The truth is used to say what went wrong, never by the agent. Development
tasks.

Legend: N objects, K slots, H height, W width.
"""

import argparse
import dataclasses
from collections import Counter
from pathlib import Path

import numpy as np
import torch
from benchmarks.failure_causes import Lane, goal_places
from numpy.typing import NDArray

from ncs.agent import Trained, arena, control_preset
from ncs.agent.presets import sight
from ncs.control.policy import GraphPolicy
from ncs.envs import make_env
from ncs.evaluation.suite import frozen_task
from ncs.health.measure import Finding, find_objects
from ncs.records import Entities, GoalKind, Task

LANES = 20


@dataclasses.dataclass
class Watched(Lane):
    """An episode with what the goal picture shows where."""

    goal_segment: NDArray[np.uint8] | None = None  # (H, W)
    best: int = 0  # constraints met at the best moment

    def find(self, entities: Entities, segment_HW: NDArray[np.uint8]) -> Finding:
        """Which slot has which object."""
        return find_objects(entities.mask, entities.presence, segment_HW, len(self.goal))

    def n_met(self) -> int:
        """Constraints that hold."""
        asked_N = ~np.isnan(self.goal[:, 0])
        return int((self.met(self.positions()) & asked_N).sum())


def goal_segment(world: str, objects: int, task: Task) -> NDArray[np.uint8]:
    """What the goal picture shows where (H, W): the oracle plays the task in a world of its own."""
    env = make_env(world, n_objects=objects, goal=task.goal)
    env.reset(options={"task": task})
    done = False
    while not done:
        _, _, terminated, truncated, _ = env.step(env.oracle_action())
        done = terminated or truncated
    segment_HW = env.segment()
    return segment_HW


def told_apart(lane: Watched, before: Finding, there: Finding) -> tuple[int, str]:
    """The object whose constraint a decision served (-1: none), and what is wrong so far."""
    assert lane.decision is not None
    choice = lane.decision.choice
    if choice is None:
        return -1, "nothing to match"
    owner = np.flatnonzero((there.holder == choice.goal) & there.found)
    asked = [int(n) for n in owner if not np.isnan(lane.goal[n, 0])]
    if not asked:
        return -1, "served a slot without an object"
    index = asked[0]
    if not before.found[index]:
        return index, "not seen in the scene"
    if before.holder[index] != choice.entity:
        return index, "mis-matched"
    if lane.met(lane.positions())[index]:
        return index, "met already"
    return index, "no edge" if lane.decision.kind == "random" else ""


def judge_step(lane: Watched, action: NDArray[np.float32]) -> tuple[int, str]:
    """Carries an action out; the object it was for, and what came of it."""
    assert lane.decision is not None
    assert lane.goal_segment is not None
    before = lane.find(lane.decision.problem.now, lane.env.segment())
    there = lane.find(lane.decision.problem.goal, lane.goal_segment)
    index, wrong = told_apart(lane, before, there)
    place_ND = lane.positions()
    gap_N = np.linalg.norm(place_ND - action[: place_ND.shape[1]], axis=1)
    lane.observation, _, terminated, truncated, _ = lane.env.step(action)
    lane.done = terminated or truncated
    lane.best = max(lane.best, lane.n_met())
    if wrong:
        return index, wrong
    if int(gap_N.argmin()) != index or gap_N[index] >= lane.env.tolerance:
        return index, "mis-bound: pick missed"
    if (lane.positions() == place_ND).all():
        return index, "blocked"
    is_met = bool(lane.met(lane.positions())[index])
    return index, "solved" if is_met else "mis-bound: put beside"


def why_unmet(lane: Watched, index: int) -> str:
    """Why a constraint does not hold at the end."""
    assert lane.decision is not None
    assert lane.goal_segment is not None
    there = lane.find(lane.decision.problem.goal, lane.goal_segment)
    if not there.found[index]:
        return "not seen in the goal"
    steps = Counter(cause for which, cause in lane.causes if which == index)
    vain = [(n, cause) for cause, n in steps.items() if cause not in ("solved", "met already")]
    if vain:
        return max(vain)[1]
    return "undone" if steps["solved"] else "its turn never came"


def play(policy: GraphPolicy, eyes: object, lanes: list[Watched]) -> None:
    """Plays episodes side by side and notes what each step did."""
    keys = [(number,) for number in range(len(lanes))]
    eyes.begin(keys)  # type: ignore[attr-defined]
    policy.begin(keys)
    while alive := [number for number, lane in enumerate(lanes) if not lane.done]:
        image = np.stack([lanes[number].observation["image"] for number in alive])
        goal = np.stack([lanes[number].observation["goal"] for number in alive])
        for number, action in zip(alive, policy.act(image, goal, alive), strict=True):
            lane = lanes[number]
            lane.decision = policy.decisions[number]
            lane.causes.append(judge_step(lane, action))


def begin(world: str, goal: GoalKind, objects: int, number: int) -> Watched:
    """A development task, about to be played."""
    task = frozen_task(world, "dev", goal, objects, number)
    env = make_env(world, n_objects=objects, goal=goal)
    observation, _ = env.reset(options={"task": task})
    lane = Watched(env, goal_places(env), observation, str(number))  # type: ignore[arg-type]
    lane.goal_segment = goal_segment(world, objects, task)
    return lane


def examine(trained: Trained, options: argparse.Namespace, objects: int, goal: GoalKind) -> None:
    """Prints the causes of one cell."""
    eyes = trained.perception(trained.slots_for(objects, "paper"))
    control = control_preset("paper").changed((), options.only)
    policy = GraphPolicy(eyes, trained.graph, control, arena(trained.world))
    steps: Counter[str] = Counter()
    unmet: Counter[str] = Counter()
    share: list[float] = []
    for first in range(0, options.episodes, LANES):
        numbers = range(first, min(first + LANES, options.episodes))
        lanes = [begin(trained.world, goal, objects, number) for number in numbers]
        at_start = [lane.n_met() for lane in lanes]
        asked = [int((~np.isnan(lane.goal[:, 0])).sum()) for lane in lanes]
        play(policy, eyes, lanes)
        for lane, met, all_of in zip(lanes, at_start, asked, strict=True):
            share.append((max(lane.best, met) - met) / (all_of - met))
            steps.update(cause for _, cause in lane.causes)
            left = np.flatnonzero(~lane.met(lane.positions()))
            unmet.update(why_unmet(lane, int(index)) for index in left)
    print(f"{objects} objects, {goal}, {len(share)} tasks: best so far {np.mean(share):.3f}")
    print("  unmet: " + (", ".join(f"{n} {why}" for why, n in unmet.most_common()) or "none"))
    print("  steps: " + ", ".join(f"{n} {why}" for why, n in steps.most_common()), flush=True)


def main() -> None:
    """Reads the command line and prints a table for each cell."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("--objects", type=int, nargs="+", default=[4, 7])
    parser.add_argument("--goal", nargs="+", default=["complete", "partial"])
    parser.add_argument("--episodes", type=int, default=40)
    parser.add_argument("--only", nargs="*", default=[], choices=["presence"])
    options = parser.parse_args()
    torch.set_num_threads(1)
    trained = Trained.load(options.model, "paper").seeing(sight("paper", only=options.only))
    for goal in options.goal:
        for objects in options.objects:
            examine(trained, options, objects, goal)


if __name__ == "__main__":
    main()
