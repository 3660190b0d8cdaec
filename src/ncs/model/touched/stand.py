"""Heights by what things stand on: where levels are things on things, nothing hangs in the air.

A pixel shows a place on every level. The eyes tell which; a thing that would then stand on nothing,
and on something one level further up or down, is there.

Legend: N pictures, K things, L levels.
"""

from torch import Tensor

from ncs.model.touched.measures import Measures

ALIKE = 0.2  # of the distance that things keep: levels so far from it are no things on things
UPON = 0.6  # of that distance: what is beside a thing by less stands on it


def are_piles(measures: Measures) -> bool:
    """Whether levels are as far from one another as things are when they touch."""
    gap = measures.number("gap") / float(measures.scale)
    step = measures.known_levels.diff()
    return len(step) > 0 and bool(((step - gap).abs() < ALIKE * gap).all())


def stand(place_LNK3: Tensor, height_NK: Tensor, present_NK: Tensor, measures: Measures) -> Tensor:
    """Scaled places (N, K, 3), each the one of its levels at which it stands on something.

    Args:
        place_LNK3: Where a thing is if it is on a level.
        height_NK: What the eyes say.
        present_NK: Which things there are.
        measures: Of the world.
    """
    away_LNK = (height_NK - measures.known_levels[:, None, None]).abs()
    level_NK = away_LNK.argmin(dim=0)
    reach = UPON * measures.number("gap") / float(measures.scale)
    for n, present_K in enumerate(present_NK):
        there = present_K.nonzero()[:, 0]
        if len(there):
            found_K = _settle(place_LNK3[:, n, there], away_LNK[:, n, there], reach)
            level_NK[n, there] = found_K
    return place_LNK3.gather(0, level_NK[None, ..., None].expand(1, -1, -1, 3))[0]


def _settle(place_LK3: Tensor, away_LK: Tensor, reach: float) -> Tensor:
    """The level (K,) of each thing of a picture."""
    level_K = away_LK.argmin(dim=0)
    for _ in range(len(level_K)):
        changed = False
        for thing in level_K.argsort().tolist():
            now = int(level_K[thing])
            if now == 0 or _meets(place_LK3, level_K, thing, now, now - 1, reach):
                continue
            others = [
                level
                for level in (now - 1, now + 1)
                if 0 < level < len(place_LK3)
                and _meets(place_LK3, level_K, thing, level, level - 1, reach)
                and not _meets(place_LK3, level_K, thing, level, level, reach)
            ]
            if others:
                level_K[thing] = min(others, key=lambda level: float(away_LK[level, thing]))
                changed = True
        if not changed:
            break
    return level_K


def _meets(
    place_LK3: Tensor, level_K: Tensor, thing: int, level: int, other: int, reach: float
) -> bool:
    """Whether something is on another level where a thing is if it is on a level."""
    away_K = (place_LK3[other, :, :2] - place_LK3[level, thing, :2]).norm(dim=1)
    near_K = (away_K < reach) & (level_K == other)
    near_K[thing] = False
    return bool(near_K.any())
