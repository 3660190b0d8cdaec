"""Why tasks fail: every constraint left unmet, and every step that gained nothing, by its cause.

    python benchmarks/failure_causes.py checkpoints/robogym-fast-0 --objects 4 7 --episodes 40

The truth is used here to say what went wrong, never by the agent. Development tasks by default;
``--split fresh`` draws others.

Legend: N objects, K slots, D coordinates that matter: x and y, and z where things stand on things.
"""

import argparse
import dataclasses
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from ncs.agent import Perception, Trained, arena, control_preset
from ncs.control.decision import Decision
from ncs.control.extensions import EXTENSIONS
from ncs.control.policy import GraphPolicy
from ncs.envs import make_env
from ncs.envs.base import Rearrange
from ncs.envs.stacking.layouts import LAYOUTS
from ncs.envs.stacking.world import BlockStack
from ncs.envs.tabletop.tasks import Boxes, find_boxes, fits
from ncs.envs.tabletop.world import RobogymRearrange
from ncs.evaluation.suite import fresh_task, frozen_task
from ncs.graph.calibration import locate
from ncs.graph.nearest import states
from ncs.graph.rules import read_rules
from ncs.records import Entities, Graph

LANES = 20
Positions = NDArray[np.float64]


class Witness:
    """Perception that remembers what it saw last in each lane."""

    def __init__(self, perception: Perception) -> None:
        self.perception = perception
        self.seen: dict[int, Entities] = {}

    def __call__(self, image_BHWC: NDArray[np.uint8], lane_B: Sequence[int]) -> list[Entities]:
        """The entities of each picture."""
        found = self.perception(image_BHWC, lane_B)
        self.seen.update(zip(lane_B, found, strict=True))
        return found


@dataclasses.dataclass
class Lane:
    """One episode and what became of its steps."""

    env: Rearrange
    goal: Positions  # (N, D) NaN where an object has none
    observation: dict[str, NDArray[np.uint8]]
    name: str
    done: bool = False
    causes: list[tuple[int, str]] = dataclasses.field(default_factory=list)  # object, what happened
    decision: Decision | None = None
    entities: Entities | None = None

    def positions(self) -> Positions:
        """Where objects are (N, D)."""
        return self.env.truth().position[:, : self.goal.shape[1]].astype(np.float64)

    def met(self, position_ND: Positions) -> NDArray[np.bool_]:
        """Whether nothing is left to do for each object (N,)."""
        near_N = np.linalg.norm(position_ND - self.goal, axis=1) < self.env.tolerance
        return near_N | np.isnan(self.goal[:, 0])


def goal_places(env: Rearrange) -> Positions:
    """Where each object should be (N, D); NaN for those without a goal."""
    scene = env.task.scene
    if isinstance(env, RobogymRearrange):
        return np.where(scene["constrained"][:, None], scene["goal"], np.nan)
    from ncs.envs.blocks.tasks import cell_centres

    goal_N = scene["goal"]
    stacked = isinstance(env, BlockStack)
    centre = LAYOUTS[int(scene["layout"][0])].centres() if stacked else cell_centres()
    return np.where(goal_N[:, None] >= 0, centre[goal_N], np.nan)


def blocked_by(lane: Lane, position_N2: Positions, index: int, target_2: Positions) -> str:
    """What kept an object from going to a place."""
    env = lane.env
    if isinstance(env, BlockStack):
        return misjudged(lane, position_N2, index, target_2)
    if not isinstance(env, RobogymRearrange):
        return "blocked"
    kind, yaw = env.truth().kind, env.task.scene["yaw"]
    boxes = find_boxes(env.mesh_set, kind, yaw)
    alone = Boxes(boxes.low[[index]], boxes.high[[index]])
    inside = fits(alone, position_N2[[index]], 0, target_2[None])[0]
    return "blocked by an object" if inside else "blocked by the border"


def misjudged(lane: Lane, position_N3: Positions, index: int, target_3: Positions) -> str:
    """Why a move was tried that the world forbids: by what was seen, or by the rules."""
    assert lane.decision is not None
    known = lane.decision.problem.graph.calibration
    if known is None or known.rules is None:
        return "no rule"
    others_13 = np.delete(position_N3, index, axis=0)[None]
    rules, thing_13 = read_rules(known.rules), position_N3[index][None]
    if rules.may_pick(thing_13, others_13)[0] and rules.may_take(target_3[None], others_13)[0]:
        return "wrong rule"
    assert lane.entities is not None
    graph, reach = lane.decision.problem.graph, lane.env.tolerance
    seen_N = [seen_at(lane.entities, graph, place_3, reach) >= 0 for place_3 in position_N3]
    return "forbidden though seen" if all(seen_N) else "another not seen"


def judge_step(lane: Lane, action: NDArray[np.float32]) -> tuple[int, str]:
    """Carries an action out and says what it did to which object."""
    before_ND = lane.positions()
    n_axes = before_ND.shape[1]
    gap_N = np.linalg.norm(before_ND - action[:n_axes], axis=1)
    index = int(gap_N.argmin())
    was_met = bool(lane.met(before_ND)[index])
    lane.observation, _, terminated, truncated, _ = lane.env.step(action)
    lane.done = terminated or truncated
    after_ND = lane.positions()
    assert lane.decision is not None
    if lane.decision.kind == "random":
        return index, "random action"
    if gap_N[index] >= lane.env.tolerance:
        return index, "pick missed"
    if (after_ND == before_ND).all():
        target_D = before_ND[index] + action[3 : 3 + n_axes]
        return index, blocked_by(lane, before_ND, index, target_D)
    is_met = bool(lane.met(after_ND)[index])
    if lane.decision.purpose == "park":
        return index, "parked"
    if is_met:
        return index, "moved though met" if was_met else "solved"
    others = np.delete(lane.goal, index, axis=0)
    if (np.linalg.norm(others - after_ND[index], axis=1) < lane.env.tolerance).any():
        return index, "put on another's goal"
    if np.linalg.norm((lane.goal - after_ND)[index, :2]) < lane.env.tolerance:
        return index, "wrong height"
    return index, "disturbed" if was_met else "put beside its goal"


def seen_at(entities: Entities, graph: Graph, place_D: Positions, reach: float) -> int:
    """The present slot nearest a place of the world, -1 if none is within reach."""
    assert graph.calibration is not None
    assert graph.calibration.world is not None
    world_K3 = locate(states(entities, graph.representation), graph.calibration.world)
    gap_K = np.linalg.norm(world_K3[:, : len(place_D)] - place_D, axis=1)
    gap_K[~entities.presence] = np.inf
    slot = int(gap_K.argmin())
    return slot if gap_K[slot] < reach else -1


def why_unmet(lane: Lane, graph: Graph, index: int) -> str:
    """Why a constraint does not hold at the end."""
    assert lane.decision is not None
    assert lane.entities is not None
    reach = lane.env.tolerance
    goal_slot = seen_at(lane.decision.problem.goal, graph, lane.goal[index], reach)
    slot = seen_at(lane.entities, graph, lane.positions()[index], reach)
    if goal_slot < 0:
        return "not seen in the goal"
    if slot < 0:
        return "not seen in the scene"
    pairs = lane.decision.pairs
    partner = dict(zip(pairs.goal.tolist(), pairs.now.tolist(), strict=True)).get(goal_slot)
    if partner not in (slot, None):
        return "matched with another"
    steps = [cause for which, cause in lane.causes if which == index]
    vain = Counter(cause for cause in steps if cause != "solved")
    return vain.most_common(1)[0][0] if vain else "its turn never came"


def play(trained: Trained, policy: GraphPolicy, witness: Witness, lanes: list[Lane]) -> None:
    """Plays episodes side by side and notes what each step did."""
    keys = [(number,) for number in range(len(lanes))]
    witness.perception.begin(keys)
    policy.begin(keys)
    while alive := [number for number, lane in enumerate(lanes) if not lane.done]:
        image = np.stack([lanes[number].observation["image"] for number in alive])
        goal = np.stack([lanes[number].observation["goal"] for number in alive])
        action_B6 = policy.act(image, goal, alive)
        for number, action in zip(alive, action_B6, strict=True):
            lane = lanes[number]
            lane.decision, lane.entities = policy.decisions[number], witness.seen[number]
            lane.causes.append(judge_step(lane, action))


def examine(trained: Trained, arguments: argparse.Namespace, objects: int, goal: str) -> None:
    """Prints the causes of one cell."""
    config = control_preset(arguments.preset).changed(without=arguments.without)
    witness = Witness(trained.perception(trained.slots_for(objects, arguments.preset)))
    policy = GraphPolicy(witness, trained.graph, config, arena(trained.world))
    steps: Counter[str] = Counter()
    unmet: Counter[str] = Counter()
    share, failed, fewest = [], [], 0
    for first in range(0, arguments.episodes, LANES):
        lanes = []
        for number in range(first, min(first + LANES, arguments.episodes)):
            env = make_env(trained.world, n_objects=objects, goal=goal, **arguments.world)  # type: ignore[arg-type]
            if arguments.split == "dev":
                task = frozen_task(trained.world, "dev", goal, objects, number)  # type: ignore[arg-type]
            else:
                task = fresh_task(env, arguments.draw, goal, objects, number)  # type: ignore[arg-type]
            observation, _ = env.reset(options={"task": task})
            fewest += task.minimum_moves
            lanes.append(Lane(env, goal_places(env), observation, str(number)))
        open_N = [~lane.met(lane.positions()) for lane in lanes]
        play(trained, policy, witness, lanes)
        for lane, was_open in zip(lanes, open_N, strict=True):
            left_N = ~lane.met(lane.positions())
            share.append((was_open.sum() - left_N.sum()) / was_open.sum())
            steps.update(cause for _, cause in lane.causes)
            reasons = [(int(n), why_unmet(lane, trained.graph, n)) for n in np.flatnonzero(left_N)]
            unmet.update(why for _, why in reasons)
            failed += [(lane.name, reasons)] * bool(reasons)
    title = f"{objects} objects, {goal}, {steps.total() / fewest:.3f} x the fewest moves"
    report(title, share, failed, unmet, steps)
    if arguments.show:
        for name, reasons in failed:
            print(f"    task {name}: {reasons}")


def report(
    title: str,
    share: list[float],
    failed: list[tuple[str, list[tuple[int, str]]]],
    unmet: Counter[str],
    steps: Counter[str],
) -> None:
    """Prints a cell's table."""
    print(f"{title}: success at the end {np.mean(share):.3f}, {len(failed)}/{len(share)} failed")
    print("  unmet: " + (", ".join(f"{n} {why}" for why, n in unmet.most_common()) or "none"))
    print("  steps: " + ", ".join(f"{n} {why}" for why, n in steps.most_common()), flush=True)


def main() -> None:
    """Reads the command line and prints a table for each cell."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("--objects", type=int, nargs="+", default=[4, 7])
    parser.add_argument("--goal", nargs="+", default=["complete", "partial"])
    parser.add_argument("--episodes", type=int, default=40)
    parser.add_argument("--split", choices=["dev", "fresh"], default="dev")
    parser.add_argument("--draw", type=int, default=0, help="which fresh tasks")
    parser.add_argument("--style", default="plain", help="of fresh tasks")
    parser.add_argument("--preset", choices=["paper", "best"], default="best")
    parser.add_argument("--without", nargs="*", default=[], choices=EXTENSIONS)
    parser.add_argument("--show", action="store_true", help="list the failed tasks")
    arguments = parser.parse_args()
    arguments.world = {} if arguments.style == "plain" else {"style": arguments.style}
    torch.set_num_threads(1)
    trained = Trained.load(arguments.model, arguments.preset)
    for goal in arguments.goal:
        for objects in arguments.objects:
            examine(trained, arguments, objects, goal)


if __name__ == "__main__":
    main()
