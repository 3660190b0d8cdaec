"""Where the world is seen is found out from changes, heights too."""

import numpy as np
import torch

from ncs.model.touched.calibrate import calibrate
from ncs.model.touched.geometry import terms

MOVES, SIDE = 300, 64


def seen_at(place_N3: np.ndarray) -> np.ndarray:
    """Pixels of places, from the front: x to the right, height up."""
    return np.stack([32 + 10 * place_N3[:, 0], 48 - 9 * place_N3[:, 2]], axis=1)


def test_heights_are_found_where_most_things_stand_on_the_floor() -> None:
    rng = np.random.default_rng(0)
    place_E3 = np.zeros((2 * MOVES, 3))
    place_E3[:, 0] = rng.integers(-2, 3, 2 * MOVES)
    place_E3[:, 2] = rng.choice(4, 2 * MOVES, p=[0.55, 0.25, 0.15, 0.05])
    worked_N = rng.random(MOVES) < 0.5
    changed_NHW = torch.zeros(MOVES, SIDE, SIDE, dtype=torch.bool)
    for end, (x, y) in enumerate(seen_at(place_E3).astype(int)):
        if worked_N[end % MOVES]:
            changed_NHW[end % MOVES, y - 4 : y + 4, x - 4 : x + 4] = True
    found = calibrate(changed_NHW, place_E3)
    pixel_E2 = terms(torch.from_numpy(place_E3)).numpy() @ found.to_pixel
    assert np.abs(pixel_E2 - seen_at(place_E3)).max() < 1.0
    assert abs(found.plain - worked_N.mean()) < 0.05
