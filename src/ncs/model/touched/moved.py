"""What the moves of clips changed, end by end, and what they say of other frames.

Legend: B clips, M moves, H height, W width.
"""

from dataclasses import dataclass

from torch import Tensor


@dataclass(frozen=True)
class Moved:
    """What the moves of clips changed."""

    changed: Tensor  # (B, M, H, W) bool
    before: Tensor  # (B, M, H, W) bool: the moved thing's pixels before
    after: Tensor  # (B, M, H, W) bool
    apart: Tensor  # (B, M, 2, H, W) bool: pixels that only the other end's thing cannot cover
    away: Tensor  # (B, M, H, W) bool: what changed far from both ends
    worked: Tensor  # (B, M) bool: both ends show
    sure: Tensor  # (B, M, 2) bool: what changed at this end is the moved thing
    on_floor: Tensor  # (B, M, 2) bool: nothing was below the thing at this end
    start: Tensor  # (B, M, 3) scaled places
    end: Tensor  # (B, M, 3)
    who: Tensor  # (B, M) the first move of the same thing

    def still(self, move: int, frame: int) -> Tensor:
        """Pixels (B, H, W) that did not change between a move and a frame."""
        between = slice(frame, move) if frame <= move else slice(move + 1, frame)
        return ~self.changed[:, between].any(dim=1)

    def claim(self, move: int, frame: int) -> Tensor:
        """Pixels (B, H, W) of a frame that are the thing's of a move, as far as is known."""
        side = 0 if frame <= move else 1
        here = (self.before, self.after)[side][:, move]
        return here & self.still(move, frame) & self.sure[:, move, side, None, None]
