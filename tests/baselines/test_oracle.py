"""The oracle solves every lane in the fewest moves."""

import numpy as np
import pytest

from ncs.baselines.oracle import Oracle
from ncs.data.rollout import Start, rollout
from ncs.envs import make_env


@pytest.mark.parametrize("n_objects", [1, 7, 12])
@pytest.mark.parametrize("goal", ["complete", "partial"])
def test_it_solves_in_the_fewest_moves(n_objects: int, goal: str) -> None:
    settings = {"n_objects": n_objects, "goal": goal, "n_constrained": min(2, n_objects)}
    envs = [make_env("block-rearrange", **settings) for _ in range(5)]  # type: ignore[arg-type]
    tasks = [envs[0].draw_task(np.random.default_rng(i)) for i in range(5)]
    for episode in rollout(envs, Oracle(envs), [Start(task, ()) for task in tasks]):
        assert episode.satisfied[-1] == episode.n_constraints
        assert len(episode.action) == episode.task.minimum_moves
