"""Algorithm 2: a scene, a goal and a graph become an action and the reason for it.

Legend: K entities of the goal, M nodes, S state channels.
"""

from dataclasses import replace

import numpy as np

from ncs.control.align import align
from ncs.control.config import ControlConfig
from ncs.control.decision import Attempt, Decision, Memory, Pair
from ncs.control.doubt import second_thought
from ncs.control.intend import Intent, intend
from ncs.control.order import find_blockers
from ncs.control.review import one_more, review
from ncs.control.room import Room
from ncs.control.steps import Caution, Step, find_step
from ncs.control.view import View, differences, look, nodes_in_use, overrule
from ncs.graph.arena import Arena, idle_action, random_action
from ncs.graph.places import locate
from ncs.records import Entities, Graph


def decide(
    now: Entities,
    goal: Entities,
    graph: Graph,
    config: ControlConfig,
    memory: Memory,
    rng: np.random.Generator,
    arena: Arena,
) -> Decision:
    """The next action towards the goal, with its reason and what to remember.

    A random action is taken where nothing better is known, as in the paper.
    """
    memory = review(memory, now, graph, config)
    view = look(now, goal, graph, config, memory)
    memory = replace(memory, tracks=view.now.tracks, goal_tracks=view.goal.tracks, goal=goal)
    if len(view.matched) == 0:
        return without_pairs(view, memory, rng, arena)
    settled = settled_goals(view, graph)
    if len(settled) == len(view.matched) and may_doubt(config, memory):
        view, memory = reconsider(view, graph, memory)
        settled = settled_goals(view, graph)
    blockers = find_blockers(view, graph)
    intent = intend(view, graph, config, memory, blockers, settled, rng)
    caution = Caution(
        distrusted=memory.distrusted,
        vain=memory.failures.get(intent.goal, 0),
        in_use=nodes_in_use(view, graph, intent.entity) if config.order else None,
        room=room_around(view, graph, intent.entity, arena) if config.room else None,
    )
    state_S = view.now.state[intent.entity]
    step = find_step(graph, state_S, intent.target, config, caution, rng)
    pairs = list_pairs(view, settled, blockers)
    return conclude(view, graph, intent, step, pairs, memory, rng, arena)


def room_around(view: View, graph: Graph, mover: int, arena: Arena) -> Room | None:
    """What stands around an entity; None where states do not tell where they are."""
    if len(graph.world) == 0:
        return None
    others_J = view.now.present & (np.arange(len(view.now.present)) != mover)
    return Room(locate(view.now.state[others_J], graph.world)[:, :2], arena)


def may_doubt(config: ControlConfig, memory: Memory) -> bool:
    """Whether the matching may be questioned once all seems done.

    Costs must be calibrated and identities kept, and a second look comes first: something the
    goal shows may have been overlooked.
    """
    able = config.doubt and config.whiten and config.remember
    return able and (bool(memory.looks) or not config.settled)


def settled_goals(view: View, graph: Graph) -> frozenset[int]:
    """Goals whose partner differs from them by no more than an entity at rest does."""
    return frozenset(int(k) for k in view.matched if view.distance[k] <= graph.still)


def reconsider(view: View, graph: Graph, memory: Memory) -> tuple[View, Memory]:
    """View and memory under the next likeliest matching, or the likeliest when none is left."""
    rejected = memory.rejected | {tuple(int(entity) for entity in view.match.slot)}
    cheapest = align(view.cost, view.goal.present, view.now.present)
    matching = second_thought(view.cost, cheapest.slot, view.now.present, rejected)
    match = overrule(cheapest, view.cost, matching, view.now.present)
    distance_K = differences(view.goal, view.now, match, graph.isolate_metric)
    memory = replace(memory, rejected=rejected, matching=matching)
    return replace(view, match=match, distance=distance_K), memory


def list_pairs(
    view: View, settled: frozenset[int], blockers: dict[int, tuple[int, ...]]
) -> tuple[Pair, ...]:
    """The matched pairs in terms of slots."""
    return tuple(
        Pair(
            goal=int(view.goal.slot[goal]),
            now=int(view.now.slot[view.match.slot[goal]]),
            cost=float(view.match.cost[goal]),
            distance=float(view.distance[goal]),
            settled=int(goal) in settled,
            blockers=tuple(int(view.now.slot[entity]) for entity in blockers[int(goal)]),
        )
        for goal in view.matched
    )


def conclude(
    view: View,
    graph: Graph,
    intent: Intent,
    step: Step | None,
    pairs: tuple[Pair, ...],
    memory: Memory,
    rng: np.random.Generator,
    arena: Arena,
) -> Decision:
    """The decision that carries out an intention, and the memory of having tried."""
    if intent.purpose == "recheck":
        memory = replace(memory, looks=one_more(memory.looks, intent.goal))
    target_S = intent.target
    if step is not None and step.node_to != step.node_goal:
        target_S = graph.node[step.node_to]
    attempt = Attempt(
        kind=step.kind if step else "random",
        node_from=step.node_from if step else -1,
        node_to=step.node_to if step else -1,
        goal=intent.goal,
        before=view.now.state[intent.entity],
        target=target_S,
    )
    return Decision(
        action=step.action if step else random_action(arena, rng),
        kind=attempt.kind,
        purpose=intent.purpose,
        reason=f"{intent.why}; {how(step)}",
        pairs=pairs,
        chosen=int(np.flatnonzero(view.matched == intent.goal)[0]),
        moved=int(view.now.slot[intent.entity]),
        node_from=step.node_from if step else None,
        node_to=step.node_to if step else None,
        node_goal=step.node_goal if step else None,
        support=step.support if step else 0,
        memory=replace(memory, last=attempt),
    )


def how(step: Step | None) -> str:
    """A step in plain words."""
    if step is None:
        return "the graph knows no trusted way there, so the action is random"
    between = f"node {step.node_from} to node {step.node_to}"
    return {
        "edge": f"the edge from {between} was seen {step.support} times",
        "composed": f"no edge from {between} was seen, so pick and place are joined",
        "path": f"no edge leads to node {step.node_goal}, the shortest path begins from {between}",
        "residual": f"aimed at the exact places, from {between}",
    }[step.kind]


def without_pairs(view: View, memory: Memory, rng: np.random.Generator, arena: Arena) -> Decision:
    """The decision when nothing can be matched: rest if nothing is asked, else stir the scene."""
    asked = bool(view.goal.present.any())
    return Decision(
        action=random_action(arena, rng) if asked else idle_action(arena),
        kind="random" if asked else "done",
        purpose="nothing",
        reason="no entity is seen in the scene, so the action is random"
        if asked
        else "the goal shows no entity, so there is nothing to do",
        pairs=(),
        chosen=None,
        moved=None,
        node_from=None,
        node_to=None,
        node_goal=None,
        support=0,
        memory=replace(memory, last=None),
    )
