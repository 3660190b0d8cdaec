"""Algorithm 1: isolate, cluster and bind turn experience into a graph.

Legend: N moves, X states (2N: those before moves, then those after), M nodes, S state channels,
P mask cells.
"""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from ncs.graph.calibration import calibrate
from ncs.graph.cluster import cluster, means
from ncs.graph.config import GraphConfig
from ncs.graph.count import choose_count
from ncs.graph.distances import Doubles
from ncs.graph.edges import tag_edges
from ncs.graph.induce import learn_failures
from ncs.graph.isolate import Experience, Moves, isolate, join, leave_out_failures
from ncs.graph.nearest import bind
from ncs.records import Graph


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
    if config.rules:
        batches = list(batches)  # they are looked at again, for what failed
    # Which entity changed in each transition?
    moves = join([isolate(b, config.representation, config.isolate_metric) for b in batches])
    if config.rules:
        moves = leave_out_failures(moves)
    # Partition the states before and after moves; each part's centroid is a node.
    node_MS = cluster_states(moves, config, rng)
    # Infer the nodes that each move leads from and to.
    from_N = bind(moves.before, node_MS, config.bind_metric)
    to_N = bind(moves.after, node_MS, config.bind_metric)
    # Tag the edge between them with the action.
    edges = tag_edges(from_N, to_N, moves.action, len(node_MS), config.edges)
    graph = Graph(
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
    return learn_failures(graph, batches, rng) if config.rules else graph


def cluster_states(moves: Moves, config: GraphConfig, rng: np.random.Generator) -> Doubles:
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
