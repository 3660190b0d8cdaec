"""How unlike the pictures of its buffer a picture is: the warning before confident nonsense.

Pictures are reduced to a few cells. A basis of the buffer's own explains them; what it leaves
unexplained, or explains in a way never seen, is measured against what the buffer's own pictures
leave. Half of them make the basis, the other half the measure.

Legend: N pictures, H height, W width, F numbers of a reduced picture, R directions.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from scipy.linalg import svd

from ncs.bounded import Expected, check_finite
from ncs.data.buffer import Buffer
from ncs.records import DataError
from ncs.storage import read_arrays, write_arrays

CELLS = 12  # a side: fine enough for a thing of the size of a hand, too coarse for noise
DIRECTIONS = 24
CLIPS = 300
UNLIKE = 1.75  # times what one in a hundred of the buffer's own pictures reaches
FILE = "familiar.safetensors"
ARRAYS = {
    "middle": Expected("f", ("F",)),
    "direction": Expected("f", ("R", "F")),
    "spread": Expected("f", ("R",)),
    "usual": Expected("f", (2,)),
    "size": Expected("i", (2,)),
}


@dataclass(frozen=True)
class Familiar:
    """What the pictures of a buffer have in common."""

    middle: NDArray[np.float32]  # (F,) their mean
    direction: NDArray[np.float32]  # (R, F) in which they differ, each of length one
    spread: NDArray[np.float32]  # (R,) how much
    usual: NDArray[np.float32]  # (2,) what one in a hundred leaves unexplained, and goes astray
    size: NDArray[np.int32]  # (2,) height and width

    def unlikeness(self, picture: NDArray[np.uint8]) -> float:
        """How unlike the buffer's a picture (H, W, 3) is: up to about 1 for one of its own."""
        return float((self._strangeness(reduce(picture)[None]) / self.usual).max())

    def _strangeness(self, cell_NF: NDArray[np.float32]) -> NDArray[np.float32]:
        return strangeness(cell_NF - self.middle, self.direction, self.spread)


def strangeness(
    off_NF: NDArray[np.float32], direction_RF: NDArray[np.float32], spread_R: NDArray[np.float32]
) -> NDArray[np.float32]:
    """What is left unexplained, and how far the explanation goes astray: (N, 2)."""
    along_NR = off_NF @ direction_RF.T
    left_N = np.linalg.norm(off_NF - along_NR @ direction_RF, axis=1)
    astray_N = np.sqrt(((along_NR / spread_R) ** 2).mean(axis=1))
    return np.stack([left_N, astray_N], axis=1).astype(np.float32)


def reduce(picture: NDArray[np.uint8]) -> NDArray[np.float32]:
    """A picture (H, W, 3) as the mean colours of a few cells, in [0, 1]: (F,)."""
    small = Image.fromarray(picture).resize((CELLS, CELLS), Image.Resampling.BOX)
    return np.asarray(small, np.float32).ravel() / np.float32(255)


def directions(off_NF: NDArray[np.float32]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """In which directions (R, F) pictures differ, and how much (R,), the most first.

    In double precision and by QR iteration: the quicker way does not converge everywhere.
    """
    _, length_R, direction_RF = svd(
        off_NF.astype(np.float64), full_matrices=False, lapack_driver="gesvd"
    )
    return length_R, direction_RF


def get_to_know(buffer: Buffer) -> Familiar:
    """What the first clips of a buffer look like."""
    frame_BTHWC = buffer.clips(np.arange(min(CLIPS, len(buffer)))).frame
    picture_NHWC = frame_BTHWC.reshape(-1, *frame_BTHWC.shape[2:])
    cell_NF = np.stack([reduce(picture) for picture in picture_NHWC])
    half = max(1, len(cell_NF) // 2)
    middle_F = cell_NF[:half].mean(axis=0)
    length_R, direction_RF = directions(cell_NF[:half] - middle_F)
    kept = min(DIRECTIONS, int((length_R > 1e-4 * length_R[0]).sum())) or 1
    spread_R = np.maximum(length_R[:kept] / np.sqrt(half), 1 / 255).astype(np.float32)
    kept_RF = direction_RF[:kept].astype(np.float32)
    strange_N2 = strangeness(cell_NF[half:] - middle_F, kept_RF, spread_R)
    usual_2 = np.maximum(np.quantile(strange_N2, 0.99, axis=0), 1 / 255).astype(np.float32)
    size_2 = np.array(picture_NHWC.shape[1:3], np.int32)
    return Familiar(middle_F, kept_RF, spread_R, usual_2, size_2)


def save_familiar(folder: Path, familiar: Familiar) -> None:
    """Writes what a model's pictures look like into its folder."""
    arrays = {name: getattr(familiar, name) for name in ARRAYS}
    write_arrays(folder / FILE, arrays, {"format": FILE})


def load_familiar(folder: Path) -> Familiar | None:
    """What a model's pictures look like; None where nobody wrote it down."""
    path = folder / FILE
    if not path.exists():
        return None
    arrays, _ = read_arrays(path, ARRAYS)
    check_finite(path, arrays)
    if len(arrays["middle"]) != 3 * CELLS**2 or (arrays["size"] < 1).any():
        raise DataError(f"{path}: is not of this version; make it again with 'ncs graph'")
    if (arrays["spread"] <= 0).any() or (arrays["usual"] <= 0).any():
        raise DataError(f"{path}: has spreads that are none; make it again with 'ncs graph'")
    return Familiar(**arrays)


def warn_unlike(
    familiar: Familiar | None, pictures: Mapping[str, NDArray[np.uint8]]
) -> tuple[dict[str, float], str]:
    """How unlike the known ones pictures are, by name, and a warning where one is too unlike."""
    if familiar is None:
        return {}, ""
    score = {name: round(familiar.unlikeness(picture), 2) for name, picture in pictures.items()}
    worst = max(score, key=lambda name: score[name])
    if score[worst] <= UNLIKE:
        return score, ""
    return score, (
        f"{worst}: is unlike the pictures this model learned from ({score[worst]:.1f} times as "
        f"strange as its strangest in a hundred; up to {UNLIKE} is usual), so what is seen in it "
        "may be nonsense"
    )
