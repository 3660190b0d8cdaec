"""Units of length: what a header says, and how many metres that is."""

import re

from ncs.records import DataError

METRES = {"m": 1.0, "cm": 0.01, "mm": 0.001, "in": 0.0254}
# As in "pick_x", "pick_x_cm", "Pick X [cm]" or "pick x (cm)".
COLUMN = re.compile(
    r"^\s*(pick|place)[ _.-]*([xyz])[ _.-]*(?:[\[(]?\s*(m|cm|mm|in)\s*[\])]?)?\s*$", re.IGNORECASE
)
AXES = ("pick_x", "pick_y", "pick_z", "place_x", "place_y", "place_z")


def metres_of(unit: str) -> float:
    """Metres in a unit; 1 where there is none; an unknown one is refused."""
    if unit and unit not in METRES:
        raise DataError(f"unit: there is no {unit!r}, choose one of {', '.join(METRES)}")
    return METRES[unit] if unit else 1.0


def read_header(header: list[str], name: str) -> tuple[dict[str, int], str]:
    """Which column holds which coordinate, and the unit they share ("" where none is named)."""
    places: dict[str, int] = {}
    units = set()
    for index, text in enumerate(header):
        if found := COLUMN.match(text):
            places[f"{found[1]}_{found[2]}".lower()] = index
            units.add((found[3] or "").lower())
    missing = [axis for axis in AXES if axis not in places and not axis.endswith("z")]
    if missing:
        raise DataError(
            f"{name}: has no column {missing[0]}; its first line must name pick_x, pick_y, "
            "place_x, place_y and may name pick_z, place_z, each with a unit such as pick_x_cm"
        )
    if len(units) > 1:
        raise DataError(f"{name}: names several units ({', '.join(sorted(units))}); use one")
    return places, units.pop()
