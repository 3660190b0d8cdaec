"""How well a model sees things that stand on one another, by what is on and under them.

    python benchmarks/seen_in_towers.py MODEL BUFFER --first 400

Only clips from ``--first`` on are looked at: leave those out that the model was trained on. A thing
is seen if a slot is nearer to it than half of how near things come to one another.

Legend: N things, K slots, 3 coordinates, metres.
"""

import argparse
from collections import defaultdict
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from ncs.data.buffer import open_buffer, open_truth
from ncs.model.touched.world import Touched
from ncs.training.checkpoint import load_model

SPARE = 8  # slots beyond the things that there are
Doubles = NDArray[np.float64]


def columns(place_N3: Doubles, gap: float) -> list[str]:
    """For each thing, on how many others it stands and whether another stands on it."""
    offset_NN3 = place_N3[None] - place_N3[:, None]
    near_NN = np.linalg.norm(offset_NN3[..., :2], axis=-1) < gap / 2
    above_N = (near_NN & (offset_NN3[..., 2] > gap / 2)).any(1)
    below_N = (near_NN & (offset_NN3[..., 2] < -gap / 2)).sum(1)
    return [
        f"on {below or 'the floor'}, {'under another' if above else 'free'}"
        for above, below in zip(above_N, below_N, strict=True)
    ]


def main() -> None:
    """Prints, for each kind of place, how many things were seen, and how far off."""
    parser = argparse.ArgumentParser()
    parser.add_argument("model", type=Path)
    parser.add_argument("buffer", type=Path)
    parser.add_argument("--first", type=int, required=True)
    parser.add_argument("--clips", type=int, default=100)
    asked = parser.parse_args()
    torch.set_num_threads(1)
    model = load_model(asked.model).eval()
    assert isinstance(model, Touched)
    buffer, truth = open_buffer(asked.buffer), open_truth(asked.buffer)
    misses: dict[str, list[float]] = defaultdict(list)
    surplus, gap = [], model.measures.number("gap")
    for clip in range(asked.first, min(len(buffer), asked.first + asked.clips)):
        frame_THWC = torch.from_numpy(buffer.clips(np.array([clip])).frame[0])
        position_TN3 = truth.position(clip).astype(np.float64)
        slots = model.encode(frame_THWC, position_TN3.shape[1] + SPARE)
        for t, place_N3 in enumerate(position_TN3):
            seen_K3 = slots.state[t][slots.presence[t]].numpy()
            away_NK = np.linalg.norm(place_N3[:, None] - seen_K3[None], axis=-1)
            surplus.append(len(seen_K3) - len(place_N3))
            for name, away_K in zip(columns(place_N3, gap), away_NK, strict=True):
                misses[name].append(away_K.min(initial=np.inf))
    for name in sorted(misses, reverse=True):
        away = np.array(misses[name])
        share, middle = float((away < gap / 2).mean()), 1000 * float(np.median(away))
        print(f"{name}: {share:.3f} of {len(away)} seen, off by {middle:.0f} mm (median)")
    print(f"slots too many or few in a picture: {np.abs(surplus).mean():.3f}")


if __name__ == "__main__":
    main()
