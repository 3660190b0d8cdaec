"""block-stacking with eyes without fault: what rules, plan and control are worth by themselves.

Prints the rules learned from free play with four cubes, how often they agree with the world's own
in random situations, and success and moves on frozen tasks, with the plan and without.

    python benchmarks/true_stacks.py --episodes 20
    python benchmarks/true_stacks.py --model checkpoints/stacking-fast-0

With ``--model`` the rules are those that a trained model's graph has, learned from pixels, and
nothing is played.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import tyro
from numpy.typing import NDArray

from ncs.agent.trained import Trained, arena
from ncs.control import ControlConfig, Problem, decide
from ncs.data.rollout import Start, rollout
from ncs.envs import make_env
from ncs.envs.stacking.facts import NAME, Style
from ncs.envs.stacking.layouts import LAYOUT_OF, LAYOUTS
from ncs.envs.stacking.tasks import drop, rules
from ncs.evaluation.metrics import fractional_success
from ncs.evaluation.suite import fresh_task, frozen_task
from ncs.graph import Experience, GraphConfig, build
from ncs.graph.rules import Attempts, Rules, read_rules, say_rules
from ncs.records import Entities, Env, Graph

SITUATIONS = 10_000


@dataclass(frozen=True)
class Options:
    """What to measure."""

    episodes: int = 20  # tasks of a cell
    clips: int = 500  # of free play
    style: Style = "plain"
    split: str = "dev"
    model: Path | None = None  # whose rules are judged instead of those of free play


def see(position_N3: NDArray[np.floating], colour_N3: NDArray[np.floating]) -> Entities:
    """The entities of a scene as they really are."""
    n = len(position_N3)
    kind, state = colour_N3.astype(np.float32), position_N3.astype(np.float32)
    return Entities(kind, state, np.zeros((n, 1), np.float32), np.ones(n, bool))


def free_play(options: Options) -> Experience:
    """Clips of four cubes, moved as in a buffer."""
    env, rng = make_env(NAME, goal="none", style=options.style), np.random.default_rng(0)
    clips, actions = [], []
    for _ in range(options.clips):
        env.reset(options={"task": env.draw_task(rng)})
        frames, moves = [env.truth()], []
        left = rng.permutation(4).tolist()
        while left:
            index = env.first_of(left, rng)  # type: ignore[attr-defined]
            left.remove(index)
            moves.append(env.random_move(index, rng))
            env.step(moves[-1])
            frames.append(env.truth())
        clips.append([see(frame.position, frame.colour) for frame in frames])
        actions.append(moves)
    names = ("kind", "state", "mask", "presence")
    arrays = {n: np.array([[getattr(f, n) for f in clip] for clip in clips]) for n in names}
    return Experience(**arrays, action=np.array(actions, np.float32))


def agreement(learned: Rules, style: Style) -> float:
    """Share of random situations, of 3 to 8 cubes, in which rules and world say the same."""
    layout, rng = LAYOUTS[LAYOUT_OF[style]], np.random.default_rng(1)
    centre, own = layout.centres(), rules(layout)
    thing, place, others, worked = [], [], [], []
    for _ in range(SITUATIONS):
        cells = drop(rng, layout, int(rng.integers(3, 9)))
        index = int(rng.integers(len(cells)))
        target = int(rng.choice(np.setdiff1d(np.arange(layout.n_cells), cells[index])))
        around = np.full((7, 3), np.nan)
        around[: len(cells) - 1] = centre[np.delete(cells, index)]
        thing.append(centre[cells[index]])
        place.append(centre[target])
        others.append(around)
        worked.append(own.can_move(tuple(cells), index, target))
    some = np.zeros(SITUATIONS, bool)
    situations = Attempts(
        np.array(thing), np.array(place), np.array(others), np.array(place), some, np.array(worked)
    )
    return float((learned.foretell(situations) == situations.worked).mean())


class TrueEyes:
    """The agent, but for its eyes: it is told where cubes are and should be."""

    def __init__(self, envs: Sequence[Env], graph: Graph, config: ControlConfig) -> None:
        self._envs, self._graph, self._config = envs, graph, config

    def begin(self, seed_B: Sequence[Sequence[int]]) -> None:
        """Forgets the past."""
        self._rng = [np.random.default_rng(list(seed)) for seed in seed_B]
        self._steps = [self._config.steps() for _ in seed_B]

    def act(
        self, image_BHWC: NDArray[np.uint8], goal_BHWC: NDArray[np.uint8], lane_B: Sequence[int]
    ) -> NDArray[np.float32]:
        """One action for each lane."""
        return np.stack([self._decide(lane) for lane in lane_B])

    def _decide(self, lane: int) -> NDArray[np.float32]:
        env = self._envs[lane]
        truth, scene = env.truth(), env.task.scene  # type: ignore[attr-defined]
        cells, centre = scene["goal"], LAYOUTS[int(scene["layout"][0])].centres()
        goal = see(centre[cells[cells >= 0]], truth.colour[cells >= 0])
        now = see(truth.position, truth.colour)
        problem = Problem(now, goal, self._graph, arena(NAME), self._rng[lane])
        return decide(problem, self._steps[lane]).action


def play(options: Options, graph: Graph, config: ControlConfig, goal: str, n_objects: int) -> str:
    """Success, and moves beside the fewest, of one cell."""
    env = make_env(NAME, n_objects=n_objects, goal=goal, style=options.style)  # type: ignore[arg-type]
    scores, steps, fewest = [], 0, 0
    for number in range(options.episodes):
        if options.style == "plain":
            task = frozen_task(NAME, options.split, goal, n_objects, number)  # type: ignore[arg-type]
        else:
            task = fresh_task(env, 0, goal, n_objects, number)  # type: ignore[arg-type]
        [episode] = rollout([env], TrueEyes([env], graph, config), [Start(task, [number])])
        scores.append(fractional_success(episode.satisfied, episode.n_constraints).final)
        steps, fewest = steps + len(episode.action), fewest + task.minimum_moves
    return f"{np.mean(scores):.3f} success, {steps / fewest:.3f} x the fewest moves"


def judge_rules(graph: Graph, style: Style) -> None:
    """Prints the rules of a graph and how often they are the world's own."""
    assert graph.calibration is not None
    assert graph.calibration.rules is not None
    learned = read_rules(graph.calibration.rules)
    print("\n".join(say_rules(learned)))
    share = agreement(learned, style)
    print(f"agreement with the world's own rules: {share:.4f} of {SITUATIONS} situations")


def main(options: Options) -> None:
    """Learns, and says what came of it."""
    if options.model is not None:
        judge_rules(Trained.load(options.model, "best").graph, options.style)
        return
    graph = build(free_play(options), GraphConfig.best(NAME), np.random.default_rng(0))
    judge_rules(graph, options.style)
    greedy = ControlConfig.best().changed(without=["plan"])
    for name, config in (("plan", ControlConfig.best()), ("no plan", greedy)):
        for goal in ("complete", "partial"):
            for n_objects in (4, 5, 6, 7):
                outcome = play(options, graph, config, goal, n_objects)
                print(f"{name}, {goal}, {n_objects} cubes: {outcome}", flush=True)


if __name__ == "__main__":
    main(tyro.cli(Options))
