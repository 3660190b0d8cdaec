"""How experience becomes a graph: the paper's settings of a world, or every extension on."""

from typing import Literal, Self

from pydantic import Field

from ncs.graph.cluster import Initialisation
from ncs.graph.distances import Metric
from ncs.graph.edges import EdgeRule
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
    rules: bool = False  # moves that failed are told apart, and why they failed is learned
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
        return cls(
            n_nodes=facts_of(world).most_nodes, nodes_from_data=True, edges="median", rules=True
        )
