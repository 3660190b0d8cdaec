"""Takes numbers of places and objects, counts trajectories: the paper's Appendix D."""

from math import comb

from ncs.records import ConfigError


def count_trajectories(places: int, objects: int, steps: int) -> int:
    """Trajectories over object configurations: C(S, k) starts, and k (S - k) moves at each step.

    Args:
        places: Cells an object can stand in, |S|.
        objects: Indistinct objects, k.
        steps: Moves, t; a complete goal needs at least k of them.
    """
    if not 0 <= objects <= places:
        raise ConfigError(f"objects: must be from 0 to the {places} places, got {objects}")
    if steps < 0:
        raise ConfigError(f"steps: must not be negative, got {steps}")
    moves: int = (objects * (places - objects)) ** steps
    return comb(places, objects) * moves
