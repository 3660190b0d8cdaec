"""How right the pixels are that moves label, beside the simulator's own segmentation.

    python benchmarks/right_labels.py --styles plain arm real --clips 120

Once by what changed alone, once as the model learns: where something else changed too, a thing's
pixels are those that look the same at both ends of its move. A thing is learned wrongly if less
than half of its pixels are its own.

Legend: B clips, M moves, H height, W width.
"""

import argparse
from collections.abc import Sequence
from contextlib import nullcontext
from unittest import mock

import numpy as np
import torch
from torch import Tensor

from ncs.envs import make_env
from ncs.model.touched import labels
from ncs.model.touched.change import as_image
from ncs.model.touched.measure import measure
from ncs.model.touched.measures import Measures

WORLDS = ("block-rearrange", "robogym-rearrange")
OBJECTS = 4
SEED = 5000
Clips = tuple[Tensor, Tensor, Tensor]


def play(world: str, style: str, clips: int) -> Clips:
    """Free play: pictures, actions, and for each frame which pixels show the thing of each move."""
    env = make_env(world, n_objects=OBJECTS, goal="none", style=style)
    frames, actions, shown = [], [], []
    for number in range(clips):
        rng = np.random.default_rng(SEED + number)
        seen = [env.reset(seed=SEED + number)[0]["image"]]
        segments, moves, order = [env.segment()], [], rng.permutation(OBJECTS)
        for thing in order:
            moves.append(env.random_move(int(thing), rng))
            seen.append(env.step(moves[-1])[0]["image"])
            segments.append(env.segment())
        frames.append(np.stack(seen))
        actions.append(np.stack(moves))
        shown.append(np.stack([np.stack(segments) == thing + 1 for thing in order], axis=1))
    return tuple(torch.from_numpy(np.stack(parts)) for parts in (frames, actions, shown))  # type: ignore[return-value]


def score(clips: Clips, measures: Measures, by_change: bool) -> str:
    """How much of the labels is right, and how much of the things is labelled."""
    frame_BTHWC, action_BMA, shown_BTMHW = clips
    only = mock.patch.object(labels, "_tell_passing", lambda image, moved, measures: moved)
    with only if by_change else nullcontext():
        moved = labels.read_moves(as_image(frame_BTHWC, measures.shape), action_BMA, measures)
        n_frames = range(frame_BTHWC.shape[1])
        told = labels.label(moved, n_frames, measures)
    true = shown_BTMHW.transpose(0, 1).flatten(0, 1)
    right = (told.thing & true).sum(dim=(2, 3)).float()
    own = (right / told.thing.sum(dim=(2, 3)).clamp(min=1))[told.known]
    found = (right / true.sum(dim=(2, 3)).clamp(min=1))[told.known]
    numbers = (told.known.float().mean(), own.mean(), found.mean(), (own < 0.5).float().mean())
    return " | ".join(f"{float(number):.3f}" for number in numbers)


def main(words: Sequence[str] | None = None) -> None:
    """Prints a line for each world, style and way."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--styles", nargs="+", default=["plain", "arm", "shadow", "real"])
    parser.add_argument("--clips", type=int, default=120)
    options = parser.parse_args(words)
    torch.set_num_threads(1)
    print("| world | style | by | things labelled | own pixels | pixels labelled | wrong things |")
    print("|---|---|---|---|---|---|---|")
    for world in WORLDS:
        for style in options.styles:
            clips, measures = play(world, style, options.clips), Measures()
            measures.take(measure(clips[0], clips[1], 128))
            for by_change, name in ((True, "change"), (False, "change and looks")):
                line = score(clips, measures, by_change)
                print(f"| {world} | {style} | {name} | {line} |", flush=True)


if __name__ == "__main__":
    main()
