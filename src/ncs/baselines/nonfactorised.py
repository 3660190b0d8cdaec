"""NF: a graph whose nodes are whole scenes, searched with Dijkstra's algorithm.

It shares weights and centroids with the factorised graph. A scene is bound to a node only if the
node holds exactly the same states, so most scenes are bound to none and the action is random. A
scene that has not changed is not looked at again: a second look could bind it, which is rare, and
would take most of the time.

Legend: B lanes, C clips, T frames, K slots, Z scenes seen, E edges.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from ncs.graph.arena import Arena, random_action
from ncs.graph.distances import Floats
from ncs.graph.goals import Encode, GoalCache
from ncs.graph.isolate import Experience
from ncs.graph.nearest import bind, states
from ncs.records import Entities, Graph

Scene = tuple[int, ...]


@dataclass(frozen=True)
class SetGraph:
    """Transitions between whole scenes, each the sorted nodes of all its entities."""

    scene: tuple[Scene, ...]  # Z of them, in the order they were first seen
    edge: NDArray[np.int64]  # (E, 2) from, to
    action: NDArray[np.float32]  # (E, 6)

    @cached_property
    def index(self) -> dict[Scene, int]:
        """The node of each scene."""
        return {scene: node for node, scene in enumerate(self.scene)}

    @cached_property
    def row(self) -> dict[tuple[int, int], int]:
        """The row of each edge."""
        return {(int(i), int(j)): row for row, (i, j) in enumerate(self.edge)}

    @cached_property
    def weight(self) -> csr_array:
        """Every edge as one step, (Z, Z)."""
        size = len(self.scene)
        ones_E = np.ones(len(self.edge))
        return csr_array((ones_E, (self.edge[:, 0], self.edge[:, 1])), shape=(size, size))


def scene_of(state_KS: Floats, present_K: NDArray[np.bool_], graph: Graph) -> Scene:
    """The sorted nodes of a scene's entities; the same places in any slots are the same scene."""
    return tuple(sorted(int(n) for n in bind(state_KS[present_K], graph.node, graph.bind_metric)))


def build_sets(
    experience: Experience | Iterable[Experience], graph: Graph, presence: bool = False
) -> SetGraph:
    """The graph of scenes of a buffer; a later action overwrites an earlier one, as in the paper.

    Args:
        experience: What the factorised graph was built from.
        graph: Gives the centroids.
        presence: Leave out slots that stand for nothing; the paper knows no such slots.
    """
    batches = [experience] if isinstance(experience, Experience) else experience
    index: dict[Scene, int] = {}
    edges: dict[tuple[int, int], NDArray[np.float32]] = {}
    for batch in batches:
        state_CTKS = states(batch, graph.representation)
        taken = batch.presence if presence else np.ones_like(batch.presence)
        for state_TKS, taken_TK, action_T6 in zip(state_CTKS, taken, batch.action, strict=True):
            scenes = [scene_of(*frame, graph) for frame in zip(state_TKS, taken_TK, strict=True)]
            nodes = [index.setdefault(scene, len(index)) for scene in scenes]
            for here, there, action_6 in zip(nodes[:-1], nodes[1:], action_T6, strict=True):
                if here != there:
                    edges[here, there] = np.asarray(action_6, np.float32)
    return SetGraph(
        scene=tuple(index),
        edge=np.array(list(edges), np.int64).reshape(-1, 2),
        action=np.array(list(edges.values()), np.float32).reshape(-1, 6),
    )


def next_node(weight_ZZ: csr_array, start: int, goal: int) -> int | None:
    """The node after the start on a shortest path; None where no path leads to the goal.

    Args:
        weight_ZZ: Length of each edge, positive; where none is stored there is no edge.
        start: Node to leave.
        goal: Node to reach; the start itself needs no path.
    """
    if start == goal:
        return None
    _, previous_1Z = dijkstra(weight_ZZ, indices=[start], return_predecessors=True)
    previous_Z = previous_1Z[0]
    node = goal
    while previous_Z[node] >= 0 and previous_Z[node] != start:
        node = int(previous_Z[node])
    return node if previous_Z[node] == start else None


def plan(sets: SetGraph, now: Scene, goal: Scene) -> NDArray[np.float32] | None:
    """The first action (6,) of a shortest path between two scenes; None where there is none."""
    if now not in sets.index or goal not in sets.index:
        return None
    start = sets.index[now]
    node = next_node(sets.weight, start, sets.index[goal])
    return None if node is None else sets.action[sets.row[start, node]]


class SetGraphPolicy:
    """The non-factorised rival as a policy."""

    def __init__(
        self, encode: Encode, sets: SetGraph, graph: Graph, arena: Arena, presence: bool = False
    ) -> None:
        """Joins eyes and map.

        Args:
            encode: Turns pictures (B, H, W, C) of the given lanes into entities, one per picture.
            sets: Transitions between scenes.
            graph: Gives the centroids that scenes are made of.
            arena: Where random actions may reach.
            presence: As the sets were built.
        """
        self._encode = encode
        self._sets = sets
        self._graph = graph
        self._arena = arena
        self._presence = presence
        self._goals = GoalCache(encode)
        self._scenes = GoalCache(encode)
        self._rng: list[np.random.Generator] = []

    def begin(self, seed_B: Sequence[Sequence[int]]) -> None:
        """Forgets the past and starts one episode per lane."""
        self._rng = [np.random.default_rng(seed) for seed in seed_B]
        self._goals = GoalCache(self._encode)
        self._scenes = GoalCache(self._encode)  # most steps leave the scene as it was

    def act(
        self, image_BHWC: NDArray[np.uint8], goal_BHWC: NDArray[np.uint8], lane_B: Sequence[int]
    ) -> NDArray[np.float32]:
        """One action (B, 6) for each of the given lanes."""
        if len(lane_B) == 0:
            return np.zeros((0, 6), np.float32)
        self._goals.refresh(goal_BHWC, lane_B)
        self._scenes.refresh(image_BHWC, lane_B)
        actions = []
        for lane in lane_B:
            now, goal = self._scenes.entities[lane], self._goals.entities[lane]
            planned = plan(self._sets, self._scene(now), self._scene(goal))
            actions.append(
                random_action(self._arena, self._rng[lane]) if planned is None else planned
            )
        return np.stack(actions)

    def _scene(self, entities: Entities) -> Scene:
        state_KS = states(entities, self._graph.representation)
        all_K = np.ones_like(entities.presence)
        return scene_of(state_KS, entities.presence if self._presence else all_K, self._graph)
