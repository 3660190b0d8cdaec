"""Settings of a graph by world."""

import pytest

from ncs.graph import GraphConfig


@pytest.mark.parametrize(
    ("world", "representation", "n_nodes", "isolate", "cluster", "bind"),
    [
        ("block-rearrange", "alpha", 30, "cosine", "iou", "cosine"),
        ("robogym-rearrange", "state", 45, "cosine", "sqeuclidean", "sqeuclidean"),
    ],
)
def test_the_paper_preset_is_the_papers_table(
    world, representation, n_nodes, isolate, cluster, bind
):
    config = GraphConfig.paper(world)
    assert config.representation == representation
    assert config.n_nodes == n_nodes
    assert config.isolate_metric == isolate
    assert config.cluster_metric == cluster
    assert config.bind_metric == bind
    assert config.initialisation == "forgy"
    assert config.edges == "last"
    assert not config.nodes_from_data


def test_a_world_that_the_paper_does_not_have_gets_the_usual_settings():
    assert GraphConfig.paper("kitchen") == GraphConfig(
        initialisation="forgy", restarts=1, max_states=10**9
    )
    assert GraphConfig.best("kitchen").nodes_from_data
