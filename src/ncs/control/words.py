"""A decision in plain sentences: which pair, how sure, which edge, what it rests on.

Legend: K slots, S state channels.
"""

import numpy as np

from ncs.control.align import type_costs
from ncs.control.config import ControlConfig
from ncs.control.decision import Decision, Pair
from ncs.control.view import confidence, present, states
from ncs.graph.bind import bind
from ncs.records import Entities, Graph


def say_why(
    decision: Decision, now: Entities, goal: Entities, graph: Graph, config: ControlConfig
) -> list[str]:
    """Why a decision was taken, sentence by sentence."""
    if decision.chosen is None:
        return [f"{decision.reason[:1].upper()}{decision.reason[1:]}."]
    pair = decision.pairs[decision.chosen]
    return [
        _say_match(pair, now, goal, graph, config),
        _say_purpose(decision, pair, config),
        _say_edge(decision, pair, now, goal, graph),
    ]


def _say_match(
    pair: Pair, now: Entities, goal: Entities, graph: Graph, config: ControlConfig
) -> str:
    """Which two slots are taken for one object, and how clearly."""
    if pair.now < 0 or pair.goal < 0:
        return (
            f"Goal slot {_name(pair.goal)} is matched with scene slot {_name(pair.now)}; one of "
            "them is hidden now and was seen before."
        )
    whiten_DD = graph.whiten if config.whiten and graph.whiten.size else None
    cost_K = type_costs(goal.kind[pair.goal : pair.goal + 1], now.kind, whiten_DD)[0]
    others_K = present(now, config) & (np.arange(len(cost_K)) != pair.now)
    rival = _number(cost_K[others_K].min()) if others_K.any() else "nothing"
    sure = min(confidence(now)[pair.now], confidence(goal)[pair.goal])
    return (
        f"Goal slot {pair.goal} is matched with scene slot {pair.now}: their types differ by "
        f"{_number(pair.cost)}, the next likeliest slot's by {rival}; the model is "
        f"{sure:.0%} sure of what it sees in both."
    )


def _number(value: float) -> str:
    """Three digits that people read at a glance."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _name(slot: int) -> str:
    return "?" if slot < 0 else str(slot)


def _say_purpose(decision: Decision, pair: Pair, config: ControlConfig) -> str:
    """What the action is for."""
    open_pairs = sum(not other.settled for other in decision.pairs)
    if decision.purpose == "park":
        return (
            f"Every open goal is occupied, so scene slot {_name(decision.moved or 0)} is put aside "
            "on a spare node."
        )
    if decision.purpose == "recheck":
        return "Every constraint seems to hold; this one is the least certain, so it is put right."
    if pair.settled:
        return "It stands where it should, and nothing forbids choosing it all the same."
    how = "the largest first" if config.choice == "argmax" else "drawn in proportion to distance"
    if open_pairs == 1:
        return f"It is {pair.distance:.3g} from its goal, the only constraint that does not hold."
    return (
        f"It is {pair.distance:.3g} from its goal, one of {open_pairs} constraints that do not "
        f"hold ({how})."
    )


def _say_edge(decision: Decision, pair: Pair, now: Entities, goal: Entities, graph: Graph) -> str:
    """Where the action comes from, or why it is random."""
    if decision.kind == "random":
        return _say_random(decision, pair, now, goal, graph)
    between = f"from node {decision.node_from} to node {decision.node_to}"
    seen = (
        f"the edge {between} was seen {decision.support} times"
        if decision.support
        else f"no move {between} was ever seen"
    )
    return {
        "edge": f"Its action is the edge's: {seen}.",
        "composed": f"As {seen}, it picks as moves from the one and places as moves to the other.",
        "path": f"No edge leads to node {decision.node_goal}; on the shortest way there {seen}.",
        "residual": f"The action aims at the exact places of both, {between}; {seen}.",
    }[decision.kind]


def _say_random(decision: Decision, pair: Pair, now: Entities, goal: Entities, graph: Graph) -> str:
    """Why no action was known."""
    if len(graph.node) == 0:
        return "The graph has no nodes, so the action is random."
    if pair.now < 0 or pair.goal < 0:
        return "The graph knows no trusted way there, so the action is random."
    ends_2S = np.stack([states(now, graph)[pair.now], states(goal, graph)[pair.goal]])
    first, last = (int(node) for node in bind(ends_2S, graph.node, graph.bind_metric))
    if first == last and graph.count[first, last] == 0:
        return f"Both places fall into node {first}, so no edge joins them: the action is random."
    if graph.count[first, last] == 0:
        return f"No move from node {first} to node {last} was ever seen, so the action is random."
    return f"The edge from node {first} to node {last} failed before, so the action is random."
