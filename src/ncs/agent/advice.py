"""A decision as advice for a person or a robot: a pick and a place in their own unit.

Legend: H height, W width.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ncs.agent.recorder import as_look
from ncs.analysis.trace import draw_step
from ncs.control.decision import Decision
from ncs.control.explain import describe
from ncs.data.importing.units import metres_of


@dataclass(frozen=True)
class Advice:
    """What to do next."""

    holds: bool  # the goal holds as far as can be seen
    pick: list[float]  # x, y, z
    place: list[float]  # x, y, z
    unit: str
    reason: str
    seen: int  # things in the scene
    wanted: int  # things in the goal


def advise(decision: Decision, unit: str) -> Advice:
    """A decision in a user's unit."""
    scale = 1 / metres_of(unit)
    pick_3 = decision.action[:3].astype(np.float64)
    place_3 = pick_3 + decision.action[3:]
    return Advice(
        holds=decision.holds,
        pick=[round(float(value) * scale, 4) for value in pick_3],
        place=[round(float(value) * scale, 4) for value in place_3],
        unit=unit,
        reason=decision.reason,
        seen=int(decision.problem.now.presence.sum()),
        wanted=int(decision.problem.goal.presence.sum()),
    )


def draw_advice(
    decision: Decision, now: NDArray[np.uint8], goal: NDArray[np.uint8]
) -> NDArray[np.uint8]:
    """What was seen in two pictures (H, W, 3), how it was matched, and the move as an arrow."""
    problem = decision.problem
    here, there = as_look(now, problem.now), as_look(goal, problem.goal)
    return draw_step(here, there, describe(decision), problem.graph.mask, "now")
