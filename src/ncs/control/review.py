"""Whether the last action did what it was meant to, as far as the new picture shows."""

from collections.abc import Mapping
from dataclasses import replace

from ncs.control.config import ControlConfig
from ncs.control.decision import Memory
from ncs.control.view import near, present, states
from ncs.graph.distances import paired, pairwise
from ncs.records import Entities, Graph


def review(memory: Memory, now: Entities, graph: Graph, config: ControlConfig) -> Memory:
    """Memory that distrusts the last action's edge if its entity is not where it was sent.

    Only places are compared: something must stand at the target and nothing where it was taken
    from. A random action promised nothing, and a move too short to see proves nothing.
    """
    last = memory.last
    if not config.distrust or last is None or last.kind == "random":
        return memory
    radius, metric = near(graph), graph.isolate_metric
    if paired(last.before, last.target, metric) <= radius:
        return memory
    seen_JS = states(now, graph)[present(now, config)]
    if len(seen_JS) == 0:
        return memory
    arrived = bool((pairwise(seen_JS, last.target[None], metric) <= radius).any())
    stayed = bool((pairwise(seen_JS, last.before[None], metric) <= radius).any())
    if arrived and not stayed:
        return memory
    edge = (last.kind, last.node_from, last.node_to)
    failures = one_more(memory.failures, last.goal)
    return replace(memory, distrusted=memory.distrusted | {edge}, failures=failures)


def one_more(count: Mapping[int, int], key: int) -> dict[int, int]:
    """A tally with one more for a key."""
    return {**count, key: count.get(key, 0) + 1}
