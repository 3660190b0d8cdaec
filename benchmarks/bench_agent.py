"""What a decision costs beside the encoder's own forward pass, measured in one run."""

import time

import numpy as np
import torch

from ncs.agent import Trained, control_preset, shipped_model
from ncs.envs import make_env

LANES = 25
OBJECTS = 7
ROUNDS = 7


def main() -> None:
    torch.set_num_threads(1)
    trained = Trained.load(shipped_model("blocks-fast-0"))
    envs = [make_env("block-rearrange", n_objects=OBJECTS) for _ in range(LANES)]
    seen = [env.reset(seed=seed)[0] for seed, env in enumerate(envs)]
    image, goal = (np.stack([o[name] for o in seen]) for name in ("image", "goal"))
    n_slots = trained.slots_for(OBJECTS)
    policy = trained.policy(control_preset("best"), n_slots)
    policy.begin([(seed,) for seed in range(LANES)])
    policy.act(image, goal, range(LANES))  # goals are looked at once an episode, here
    rounds = []
    for turn in range(ROUNDS):
        generator = torch.Generator().manual_seed(turn)
        began = time.perf_counter()
        trained.model.encode(torch.from_numpy(image), n_slots, generator)
        between = time.perf_counter()
        policy.act(image, goal, range(LANES))
        rounds.append((between - began, time.perf_counter() - between))
    encoder, decision = np.array(rounds).T
    ratio = np.median(decision / encoder)
    print(f"encoder  {1000 * np.median(encoder) / LANES:6.2f} ms a picture, {OBJECTS} objects")
    print(f"decision {1000 * np.median(decision) / LANES:6.2f} ms, the encoder's part included")
    print(f"a decision costs {ratio:.2f} times the encoder's forward pass (wanted: at most 1.3)")


if __name__ == "__main__":
    main()
