"""Algorithm 1: isolate, cluster and bind turn experience into a graph.

Legend: N moves, X states (2N: those before moves, then those after), M nodes, S state channels,
P mask cells.
"""

from collections.abc import Iterable
from typing import Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from ncs.graph.bind import bind
from ncs.graph.cluster import Initialisation, cluster, means
from ncs.graph.count import choose_count
from ncs.graph.distances import Doubles, Floats, Metric
from ncs.graph.edges import EdgeRule, tag_edges
from ncs.graph.isolate import Experience, Moves, gather, join
from ncs.graph.places import ends, fit_world, node_offsets, node_positions
from ncs.graph.whiten import fit_whitening
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
    """The graph of a buffer, whole or batch by batch; time grows in step with the clips.

    Args:
        experience: One record, or several that are read once, one after another.
        config: Settings.
        rng: Places the first centroids.
        checkpoint: Hash of the weights that saw the experience.
    """
    batches = [experience] if isinstance(experience, Experience) else experience
    moves = join([gather(batch, config.representation, config.isolate_metric) for batch in batches])
    return connect(moves, config, rng, checkpoint)


def connect(
    moves: Moves, config: GraphConfig, rng: np.random.Generator, checkpoint: str = ""
) -> Graph:
    """The graph of moves that are already isolated; an empty graph where there are none."""
    node_MS = place_nodes(moves, config, rng)
    n_nodes = len(node_MS)
    from_N = bind(moves.before, node_MS, config.bind_metric)
    to_N = bind(moves.after, node_MS, config.bind_metric)
    node_X = np.concatenate([from_N, to_N])
    edges = tag_edges(from_N, to_N, moves.action, n_nodes, config.edges)
    fit = fit_world(moves)
    end_X3 = ends(moves.action)
    mask_XP = np.concatenate([moves.mask_before, moves.mask_after])
    return Graph(
        node=node_MS.astype(np.float32),
        action=edges.action,
        count=edges.count,
        spread=edges.spread,
        mask=mean_masks(mask_XP, node_X, n_nodes),
        representation=config.representation,
        isolate_metric=config.isolate_metric,
        bind_metric=config.bind_metric,
        checkpoint=checkpoint,
        pick=node_positions(end_X3[: len(moves)], from_N, n_nodes),
        place=node_positions(end_X3[len(moves) :], to_N, n_nodes),
        world=fit.coefficient,
        offset=node_offsets(fit, node_X, n_nodes).astype(np.float32),
        whiten=fit_whitening(moves.kind_before, moves.kind_after).astype(np.float32),
        still=still_threshold(moves),
        gap=float(np.quantile(moves.apart, 0.05)) if len(moves.apart) else 0.0,
        error=fit.error,
        outliers=fit.outliers,
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
    clusters = cluster(
        state_XS, n_nodes, config.cluster_metric, rng, config.initialisation, config.restarts
    )
    return clusters.centroid


def mean_masks(mask_XP: Floats, node_X: NDArray[np.int64], n_nodes: int) -> NDArray[np.float32]:
    """The mean mask (M, P) of the states in each node; zero where no state was bound."""
    nothing_MP = np.zeros((n_nodes, mask_XP.shape[1]))
    return means(np.asarray(mask_XP, np.float64), node_X, nothing_MP).astype(np.float32)


def still_threshold(moves: Moves) -> float:
    """The state change that best tells an entity at rest from one that was moved.

    It lies, in proportion, midway between nearly the largest change seen at rest and nearly the
    smallest seen in a move, and is never less than a tenth of such a move: a state that is read
    without a miss in the buffer may yet be misread by a pixel in a fuller scene.
    """
    if len(moves) == 0:
        return 0.0
    least = float(np.quantile(moves.change, 0.05))
    if len(moves.rest) == 0:
        return least / 2  # nothing was seen at rest
    return max(float(np.sqrt(least * np.quantile(moves.rest, 0.95))), least / 10)
