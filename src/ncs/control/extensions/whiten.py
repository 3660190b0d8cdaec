"""Types are compared in the metric learned from moved pairs."""

from dataclasses import replace

from ncs.control.algorithm import Steps
from ncs.control.decision import Pairs, Problem
from ncs.records import Entities


def extend(steps: Steps) -> Steps:
    """Steps that align by what one object's type keeps from place to place."""

    def align(problem: Problem) -> Pairs:
        known = problem.graph.calibration
        if known is None:
            return steps.align(problem)

        def whitened(entities: Entities) -> Entities:
            return replace(entities, kind=entities.kind @ known.whiten)

        return steps.align(replace(problem, now=whitened(problem.now), goal=whitened(problem.goal)))

    return replace(steps, align=align)
