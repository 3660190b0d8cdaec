"""Decisions in words and as JSON: which pair, how sure, which edge, what it rests on."""

from typing import TYPE_CHECKING, Any

import numpy as np

from ncs.graph.calibration import locate
from ncs.graph.distances import pairwise
from ncs.records import Entities

if TYPE_CHECKING:
    from ncs.control.decision import Choice, Decision

TIMES = 10  # as alike as the next by this factor, there is no next
CLEAR = 1.5  # below this factor two things look about the same


def describe(decision: "Decision") -> dict[str, Any]:
    """A decision as plain values that JSON can hold, its explanation with them."""
    choice, pairs = decision.choice, decision.pairs
    bound = decision.node_from >= 0
    apart_N = say_apart(decision)
    return {
        "action": [float(number) for number in decision.action],
        "kind": decision.kind,
        "purpose": decision.purpose,
        "reason": reason(decision),
        "why": say_why(decision),
        "holds": decision.holds,
        "pairs": [
            {
                "goal": int(pairs.goal[n]),
                "now": int(pairs.now[n]),
                "cost": float(pairs.cost[n]),
                "distance": float(pairs.distance[n]),
                "apart": apart_N[n],
                "settled": bool(pairs.distance[n] <= decision.problem.still),
            }
            for n in range(len(pairs))
        ],
        "chosen": None if choice is None else pair_of(decision, choice),
        "moved": None if choice is None else choice.entity,
        "node_from": decision.node_from if bound else None,
        "node_to": decision.node_to if bound else None,
        "support": support(decision),
    }


def reason(decision: "Decision") -> str:
    """What an action is for and where it comes from, in two sentences at most."""
    return " ".join(say_why(decision)[-2:])


def say_why(decision: "Decision") -> list[str]:
    """Why a decision was taken, sentence by sentence: the match, the purpose, the action."""
    choice = decision.choice
    if choice is not None:
        return [
            say_match(decision, choice),
            say_purpose(decision, choice),
            say_action(decision, choice),
        ]
    if decision.kind == "idle":
        return ["The goal shows no entity, so there is nothing to do."]
    return ["No entity is seen in the scene, so the action is random."]


def say_match(decision: "Decision", choice: "Choice") -> str:
    """Which two slots are taken for one object, and how clearly."""
    problem, n = decision.problem, pair_of(decision, choice)
    goal, now = choice.goal, int(decision.pairs.now[n])
    type_1D = problem.goal.kind[goal : goal + 1]
    likeness_J = pairwise(type_1D, problem.now.kind, "euclidean")[0]
    others_J = problem.now.presence & (np.arange(len(likeness_J)) != now)
    rival = float(likeness_J[others_J].min()) if others_J.any() else None
    sure = min(confidence(problem.now, now), confidence(problem.goal, goal))
    return (
        f"Goal slot {goal} is matched with scene slot {now}: "
        f"{say_likeness(float(likeness_J[now]), rival)}; the model is {sure:.0%} sure of what it "
        "sees in both."
    )


def say_likeness(own: float, rival: float | None) -> str:
    """How clearly a match by type stands out from the next likeliest one."""
    if rival is None:
        return "there is no other to confuse it with"
    if own <= 0 or rival >= TIMES * own:
        return "by type no other comes near"
    ratio = rival / own
    if ratio >= CLEAR:
        times = {2: "twice", 3: "three times"}.get(round(ratio), f"{round(ratio)} times")
        return f"by type it is {times} as alike as the next"
    if ratio >= 1:
        return "by type it is hardly more alike than the next, so the two may be mixed up"
    return "by type another is more alike, but that one fits another goal better"


def say_purpose(decision: "Decision", choice: "Choice") -> str:
    """What the action is for."""
    distance_N, still = decision.pairs.distance, decision.problem.still
    n, unmet = pair_of(decision, choice), int((distance_N > still).sum())
    name, apart = f"goal slot {choice.goal}", say_apart(decision)[n]
    if choice.purpose == "park":
        return (
            f"No open goal can be served yet, so scene slot {choice.entity} is put aside to make "
            f"way for {name}."
        )
    if choice.purpose != "constraint":
        return f"Scene slot {choice.entity} is moved to {choice.purpose}, for {name}."
    if decision.holds:
        return f"Every constraint seems to hold; {name}, {apart} off, is put right."
    if distance_N[n] <= still:
        return f"What {name} asks for seems to hold, and nothing forbids choosing it all the same."
    if unmet == 1:
        return f"What {name} asks for is {apart} away, all that does not hold."
    return f"What {name} asks for is {apart} away, one of {unmet} that do not hold."


def say_apart(decision: "Decision") -> list[str]:
    """How far each pair's two states are apart: on the table, where moves tell where states are."""
    problem, pairs = decision.problem, decision.pairs
    known = problem.graph.calibration
    if known is None or known.world is None:
        return [number(distance) for distance in pairs.distance]
    place_N3, goal_N3 = (
        locate(state_KS[index_N], known.world)
        for state_KS, index_N in ((problem.now_state, pairs.now), (problem.goal_state, pairs.goal))
    )
    return [length(metres) for metres in np.linalg.norm(place_N3 - goal_N3, axis=1)]


def say_action(decision: "Decision", choice: "Choice") -> str:
    """Where the action comes from, or why it is random."""
    i, j, times = decision.node_from, decision.node_to, support(decision)
    between = f"from node {i} to node {j}"
    never = f"no move {between} was ever seen"
    seen = f"the edge {between} was seen {times} times" if times else never
    if decision.kind != "random":
        return {
            "edge": f"The action is the edge's: {seen}.",
            "composed": f"As {seen}, it picks as moves from the one do and places as moves to the "
            "other do.",
            "residual": f"The action aims at the exact places of both; {seen}.",
            "leeway": "The action aims beside places where a move failed before.",
        }.get(decision.kind, f"The action comes from {decision.kind}; {seen}.")
    if i < 0:
        return "The graph has no nodes, so the action is random."
    if choice.failures or times:
        return f"The move {between} failed before, so the action is random."
    if i == j:
        return f"Both places fall into node {i}, so no edge joins them: the action is random."
    return f"{never[:1].upper()}{never[1:]}, so the action is random."


def pair_of(decision: "Decision", choice: "Choice") -> int:
    """The pair that a choice serves."""
    return int(np.flatnonzero(decision.pairs.goal == choice.goal)[0])


def support(decision: "Decision") -> int:
    """Moves that were seen along the edge of a decision."""
    if decision.node_from < 0:
        return 0
    return int(decision.problem.graph.count[decision.node_from, decision.node_to])


def confidence(entities: Entities, slot: int) -> float:
    """How sure a slot is, in [0, 1]; full confidence where the model does not say."""
    return float(entities.confidence[slot]) if len(entities.confidence) else 1.0


def length(metres: float) -> str:
    """A length as people say it."""
    if metres >= 1:
        return f"{metres:.1f} m"
    return f"{100 * metres:.0f} cm" if metres >= 0.01 else f"{1000 * metres:.0f} mm"


def number(value: float) -> str:
    """Three digits that people read at a glance."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
