"""The way from node to node.

Legend: M nodes.
"""

from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra


def next_node(weight_MM: csr_array, start: int, goal: int) -> int | None:
    """The node after the start on a shortest path; None where no path leads to the goal.

    Args:
        weight_MM: Length of each edge, positive; where none is stored there is no edge.
        start: Node to leave.
        goal: Node to reach; the start itself needs no path.
    """
    if start == goal:
        return None
    _, previous_1M = dijkstra(weight_MM, indices=[start], return_predecessors=True)
    previous_M = previous_1M[0]
    node = goal
    while previous_M[node] >= 0 and previous_M[node] != start:
        node = int(previous_M[node])
    return node if previous_M[node] == start else None
