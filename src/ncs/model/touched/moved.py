"""What the moves of clips changed, end by end, and what they say of other frames.

Legend: B clips, M moves, H height, W width.
"""

from dataclasses import dataclass

from torch import Tensor

LIKE = 0.5  # of how much a pixel changed: what differs by less from it looks like it


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
    image: Tensor | None = None  # (B, M + 1, C, H, W) where looks tell more than change does

    def still(self, move: int, frame: int) -> Tensor:
        """Pixels (B, H, W) that did not change between a move and a frame.

        Or that look in the frame much as they did, beside what the move changed in them.
        """
        between = slice(frame, move) if frame <= move else slice(move + 1, frame)
        still_BHW: Tensor = ~self.changed[:, between].any(dim=1)
        if self.image is None:
            return still_BHW
        then_BCHW = self.image[:, move if frame <= move else move + 1]
        away_BHW: Tensor = (self.image[:, frame] - then_BCHW).norm(dim=1)
        change_BHW = (self.image[:, move + 1] - self.image[:, move]).norm(dim=1)
        alike_BHW: Tensor = away_BHW < LIKE * change_BHW
        return still_BHW | alike_BHW

    def claim(self, move: int, frame: int) -> Tensor:
        """Pixels (B, H, W) of a frame that are the thing's of a move, as far as is known."""
        side = 0 if frame <= move else 1
        here = (self.before, self.after)[side][:, move]
        return here & self.still(move, frame) & self.sure[:, move, side, None, None]
