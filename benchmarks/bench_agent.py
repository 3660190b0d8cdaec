"""What a decision costs beside the encoder's own forward pass, measured in one run.

Whole episodes are played, so that plans, blocked moves and second attempts count as they come:
side by side as the judge plays them, and one after another as an ``Agent`` does for one robot, who
sees a picture at a time. Goals are looked at once an episode, before the clock starts. The same
episodes are played several times, and of each step the least time counts: other work on the
machine only adds.

    python benchmarks/bench_agent.py
"""

import functools
import time
from dataclasses import dataclass, field

import numpy as np
import torch
from numpy.typing import NDArray

from ncs.agent import Agent, Manner, Trained, control_preset, shipped_model
from ncs.agent.players import players_of
from ncs.envs import make_env

LANES = 25
REPEATS = 4
WANTED = 1.3
MODELS = {"block-rearrange": "blocks-fast-0", "robogym-rearrange": "robogym-fast-0"}


@dataclass
class Clock:
    """Seconds of each step, all its lanes together."""

    lanes: list[int] = field(default_factory=list)  # that were still playing
    encoder: list[float] = field(default_factory=list)
    decision: list[float] = field(default_factory=list)

    def least(self, other: "Clock") -> "Clock":
        """The lesser times of two runs of the same episodes."""
        encoder = [min(pair) for pair in zip(self.encoder, other.encoder, strict=True)]
        decision = [min(pair) for pair in zip(self.decision, other.decision, strict=True)]
        return Clock(self.lanes, encoder, decision)

    def say(self, title: str) -> str:
        """Milliseconds a picture, and how they compare."""
        pictures = sum(self.lanes)
        encoder, decision = sum(self.encoder), sum(self.decision)
        steps = [np.divide(part, self.lanes).sum() for part in (self.decision, self.encoder)]
        return (
            f"{title}: encoder {1000 * encoder / pictures:.2f} ms a picture, "
            f"decision {1000 * decision / pictures:.2f} ms with the encoder's part: "
            f"{decision / encoder:.2f} times the forward pass (wanted: at most {WANTED}), "
            f"{steps[0] / steps[1]:.2f} if every step counts alike, however few lanes are left"
        )


def play(trained: Trained, objects: int) -> Clock:
    """Episodes of one world, with the time that each step took."""
    envs = [make_env(trained.world, n_objects=objects) for _ in range(LANES)]
    seen = [env.reset(seed=seed)[0] for seed, env in enumerate(envs)]
    n_slots = trained.slots_for(objects)
    policy = trained.policy(control_preset("best"), n_slots)
    keys = [(seed,) for seed in range(LANES)]
    goals = stack(seen, "goal", range(LANES))
    policy.begin(keys)
    policy.act(stack(seen, "image", range(LANES)), goals, range(LANES))  # looks at goals
    clock, alive = Clock(), list(range(LANES))
    while alive:
        image, goal = stack(seen, "image", alive), goals[alive]
        began = time.process_time()
        trained.model.encode(torch.from_numpy(image), n_slots)
        between = time.process_time()
        action_B6 = policy.act(image, goal, alive)
        clock.lanes.append(len(alive))
        clock.encoder.append(between - began)
        clock.decision.append(time.process_time() - between)
        for lane, action in zip(tuple(alive), action_B6, strict=True):
            seen[lane], _, terminated, truncated, _ = envs[lane].step(action)
            if terminated or truncated:
                alive.remove(lane)
    return clock


def play_alone(trained: Trained, objects: int) -> Clock:
    """The same episodes one after another, by one robot's agent."""
    n_slots, clock = trained.slots_for(objects), Clock()
    agent = Agent(players_of(trained, Manner(), n_slots, most=1))
    env = make_env(trained.world, n_objects=objects)
    for seed in range(LANES):
        seen, over = env.reset(seed=seed)[0], False
        agent.begin(seed)
        agent.act(seen["image"], seen["goal"])  # looks at the goal
        while not over:
            began = time.process_time()
            trained.model.encode(torch.from_numpy(seen["image"][None]), n_slots)
            between = time.process_time()
            decision = agent.act(seen["image"], seen["goal"])
            clock.lanes.append(1)
            clock.encoder.append(between - began)
            clock.decision.append(time.process_time() - between)
            seen, _, terminated, truncated, _ = env.step(decision.action)
            over = terminated or truncated
    return clock


def stack(
    seen: list[dict[str, NDArray[np.uint8]]], name: str, lanes: list[int] | range
) -> NDArray[np.uint8]:
    """Pictures of some lanes, one array."""
    return np.stack([seen[lane][name] for lane in lanes])


def main() -> None:
    """Plays and prints."""
    torch.set_num_threads(1)
    for world, model in MODELS.items():
        trained = Trained.load(shipped_model(model))
        play(trained, 4)  # warms up
        for objects in (4, 7):
            for way, played in (("side by side", play), ("one robot", play_alone)):
                clocks = [played(trained, objects) for _ in range(REPEATS)]
                title = f"{world}, {objects} objects, {way}"
                print(functools.reduce(Clock.least, clocks).say(title), flush=True)


if __name__ == "__main__":
    main()
