"""Where points of a world appear in a picture, and what one camera sees of it.

Points of a picture are in half heights from its middle, x to the right and y up.
Legend: 2 picture, 3 world coordinates; any axes may stand in front.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Eye:
    """A pinhole camera."""

    position: NDArray[np.float64]  # (3,)
    axes: NDArray[np.float64]  # (3, 3) columns: right, up, backwards
    reach: float  # half of the picture's height at distance 1

    def project(self, point_3: NDArray[np.float64]) -> NDArray[np.float64]:
        """Where points are in the picture, (..., 2)."""
        seen = (point_3 - self.position) @ self.axes
        shown: NDArray[np.float64] = seen[..., :2] / (-seen[..., 2:] * self.reach)
        return shown

    def scale(self, point_3: NDArray[np.float64]) -> NDArray[np.float64]:
        """How long a metre is in the picture, at points (...)."""
        distance = -((point_3 - self.position) @ self.axes[:, 2])
        return np.asarray(1 / (distance * self.reach))

    def unproject(
        self, picture_2: NDArray[np.float64], distance: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """The points (..., 3) that lie so far ahead at these places of the picture."""
        aside = picture_2 * (self.reach * distance)[..., None]
        seen = np.concatenate([aside, -distance[..., None]], axis=-1)
        return np.asarray(self.position + seen @ self.axes.T)


def look_from(
    position_3: NDArray[np.float64],
    at_3: NDArray[np.float64],
    up_3: NDArray[np.float64],
    reach: float,
) -> Eye:
    """A camera at one point that looks at another, with a third direction upwards."""
    back_3 = (position_3 - at_3) / np.linalg.norm(position_3 - at_3)
    right_3 = np.cross(up_3, back_3)
    right_3 /= np.linalg.norm(right_3)
    axes_33 = np.stack([right_3, np.cross(back_3, right_3), back_3], axis=1)
    return Eye(position_3, axes_33, reach)


def view_matrix(eye: Eye) -> list[float]:
    """OpenGL's matrix from the world to a camera, column by column."""
    matrix = np.eye(4)
    matrix[:3, :3] = eye.axes.T
    matrix[:3, 3] = -eye.axes.T @ eye.position
    return [float(number) for number in matrix.T.ravel()]
