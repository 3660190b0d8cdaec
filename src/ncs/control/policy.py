"""The agent: Algorithm 2 behind the judge's protocol, many episodes side by side.

Legend: B lanes, H height, W width, C colours.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ncs.control.algorithm import Steps, decide
from ncs.control.config import ControlConfig
from ncs.control.decision import Decision, Problem
from ncs.graph.arena import Arena
from ncs.graph.goals import Encode, GoalCache
from ncs.records import Graph


class GraphPolicy:
    """Neural constraint satisfaction as a policy.

    The latest decision of every lane stays readable in ``decisions``.
    """

    def __init__(self, encode: Encode, graph: Graph, config: ControlConfig, arena: Arena) -> None:
        """Joins eyes, map and manner.

        Args:
            encode: Turns pictures (B, H, W, C) of the given lanes into entities, one per picture.
            graph: Built with the same weights that encode.
            config: How to decide.
            arena: Where random actions may reach.
        """
        self.decisions: dict[int, Decision] = {}
        self._encode = encode
        self._graph = graph
        self._config = config
        self._arena = arena
        self._goals = self._cache()
        self._steps: dict[int, Steps] = {}
        self._rng: list[np.random.Generator] = []

    def begin(self, seed_B: Sequence[Sequence[int]]) -> None:
        """Forgets the past and starts one episode per lane, each with a generator of its own."""
        self._rng = [np.random.default_rng(seed) for seed in seed_B]
        self._goals = self._cache()
        self._steps = {}
        self.decisions = {}

    def _cache(self) -> GoalCache:
        return GoalCache(self._encode, anew=self._config.goals == "anew")

    def act(
        self, image_BHWC: NDArray[np.uint8], goal_BHWC: NDArray[np.uint8], lane_B: Sequence[int]
    ) -> NDArray[np.float32]:
        """One action (B, 6) for each of the given lanes."""
        if len(lane_B) == 0:
            return np.zeros((0, 6), np.float32)
        for lane in self._goals.refresh(goal_BHWC, lane_B):
            self._steps[lane] = self._config.steps()  # extensions begin anew with every goal
        for lane, now in zip(lane_B, self._encode(image_BHWC, lane_B), strict=True):
            goal, rng = self._goals.entities[lane], self._rng[lane]
            problem = Problem(now, goal, self._graph, self._arena, rng)
            self.decisions[lane] = decide(problem, self._steps[lane])
        return np.stack([self.decisions[lane].action for lane in lane_B])
