"""Things on places that depend on each other: the fewest moves from one arrangement to another.

Knows neither worlds nor pictures. Bit q of a mask stands for place q; an arrangement is the place
of each thing, a goal the place each should have, ``ANYWHERE`` where it does not matter.
"""

from ncs.puzzle.outlook import Outlook
from ncs.puzzle.places import ANYWHERE, Arrangement, Move, Puzzle, bits
from ncs.puzzle.search import solve

__all__ = ["ANYWHERE", "Arrangement", "Move", "Outlook", "Puzzle", "bits", "solve"]
