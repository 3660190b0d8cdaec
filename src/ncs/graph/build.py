"""Algorithm 1: isolate, cluster and bind turn experience into a graph.

Legend: N moves, X states (2N: those before moves, then those after), M nodes, S state channels,
P mask cells.
"""

from collections.abc import Iterable
from typing import Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from ncs.graph.calibration import calibrate
from ncs.graph.cluster import Initialisation, cluster, means
from ncs.graph.count import choose_count
from ncs.graph.distances import Doubles, Metric
from ncs.graph.edges import EdgeRule, tag_edges
from ncs.graph.isolate import Experience, Moves, isolate, join
from ncs.graph.nearest import bind
from ncs.records import Graph
from ncs.registry import facts_of
from ncs.settings import Settings


class GraphConfig(Settings):
    """How experience becomes a graph."""

    representation: Literal["alpha", "state"] = "state"  # what a node stands for; alpha: the mask
    n_nodes: int = Field(30, ge=1, le=4096)  # the paper's for its first world, about two a place
    isolate_metric: Metric = "euclidean"  # a place has no direction, so not the paper's cosine
    cluster_metric: Metric = "sqeuclidean"  # the one the mean belongs to
    bind_metric: Metric = "sqeuclidean"  # as cluster, so that a state binds where it was clustered
    initialisation: Initialisation = "kmeans++"  # the paper's forgy often leaves places out
    restarts: int = Field(10, ge=1, le=1000)  # K-means stops at the nearest optimum: try several
    max_states: int = Field(20_000, ge=1)  # that place the nodes; more only take longer
    # Extensions
    nodes_from_data: bool = False  # n_nodes is then the most that may be chosen
    edges: EdgeRule = "last"  # the paper overwrites; the median survives a wrong isolation

    @classmethod
    def paper(cls, world: str) -> Self:
        """The paper's settings for a world."""
        # One run over everything, as the paper's K-means does it.
        once = {"initialisation": "forgy", "restarts": 1, "max_states": 10**9}
        return cls(**{**once, **facts_of(world).graph})

    @classmethod
    def best(cls, world: str) -> Self:
        """Every extension on, for states that are places."""
        return cls(n_nodes=facts_of(world).most_nodes, nodes_from_data=True, edges="median")


def build(
    experience: Experience | Iterable[Experience],
    config: GraphConfig,
    rng: np.random.Generator,
    checkpoint: str = "",
) -> Graph:
    """Algorithm 1: the graph of a buffer, an empty one where nothing moved.

    Args:
        experience: What the model saw: one record, or several that are read once, in turn.
        config: Settings.
        rng: Places the first centroids.
        checkpoint: Hash of the weights that saw the experience.
    """
    batches = [experience] if isinstance(experience, Experience) else experience
    # Which entity changed in each transition?
    moves = join([isolate(b, config.representation, config.isolate_metric) for b in batches])
    # Partition the states before and after moves; each part's centroid is a node.
    node_MS = place_nodes(moves, config, rng)
    # Infer the nodes that each move leads from and to.
    from_N = bind(moves.before, node_MS, config.bind_metric)
    to_N = bind(moves.after, node_MS, config.bind_metric)
    # Tag the edge between them with the action.
    edges = tag_edges(from_N, to_N, moves.action, len(node_MS), config.edges)
    return Graph(
        node=node_MS.astype(np.float32),
        action=edges.action,
        count=edges.count,
        spread=edges.spread,
        mask=mean_masks(moves, from_N, to_N, len(node_MS)),
        representation=config.representation,
        isolate_metric=config.isolate_metric,
        bind_metric=config.bind_metric,
        checkpoint=checkpoint,
        calibration=calibrate(moves, from_N, to_N, len(node_MS)),
    )


def place_nodes(moves: Moves, config: GraphConfig, rng: np.random.Generator) -> Doubles:
    """Centroids (M, S) of the states before and after moves."""
    n_nodes = config.n_nodes
    if config.nodes_from_data:
        n_nodes = choose_count(
            moves.before, moves.after, moves.action, n_nodes, config.cluster_metric, rng
        )
    state_XS = np.concatenate([moves.before, moves.after])
    if len(state_XS) > config.max_states:
        state_XS = state_XS[rng.permutation(len(state_XS))[: config.max_states]]
    return cluster(
        state_XS, n_nodes, config.cluster_metric, rng, config.initialisation, config.restarts
    ).centroid


def mean_masks(
    moves: Moves, from_N: NDArray[np.int64], to_N: NDArray[np.int64], n_nodes: int
) -> NDArray[np.float32]:
    """The mean mask (M, P) of the states in each node; zero where no state was bound."""
    mask_XP = np.concatenate([moves.mask_before, moves.mask_after]).astype(np.float64)
    nothing_MP = np.zeros((n_nodes, mask_XP.shape[1]))
    return means(mask_XP, np.concatenate([from_N, to_N]), nothing_MP).astype(np.float32)
