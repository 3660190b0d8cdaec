"""How well dSLATE's slots settle from one start, by how the start is drawn.

Run ``python benchmarks/dslate_starts.py checkpoints/blocks-cpu-0 BUFFER --objects 4 7``; one row a
variant. Nothing is trained: weights stay, and only what slots are before the first look changes.

Legend: B pictures, K slots, N cells, S slot width.
"""

import argparse
import functools
from collections.abc import Callable
from pathlib import Path

import torch
from torch import Tensor
from torch.nn import functional

from ncs.data.buffer import open_buffer
from ncs.health.examiner import Examiner, Options
from ncs.model.dslate.settle import Read
from ncs.model.dslate.slots import CROWD
from ncs.model.dslate.world import Dslate
from ncs.training.checkpoint import load_model

FIGURES = ("found", "found_frames", "found_alone", "isolate", "type_matching")
SHARPNESS = 0.3  # of the draw of the next cell, in logits
Start = Callable[[Dslate, Read, int, object], Tensor]


def gaussian(model: Dslate, read: Read, n_slots: int, noise: object, width: float = 1.0) -> Tensor:
    """The paper's, or one as many times as wide."""
    drawn_BKS = model.slots.start(len(read.token), n_slots, noise)
    return model.slots.mean_S + width * (drawn_BKS - model.slots.mean_S)


def orthogonal(model: Dslate, read: Read, n_slots: int, noise: object) -> Tensor:
    """Draws that are at right angles to one another."""
    deviation_S = model.slots.log_deviation_S.exp()
    unit_BKS = (gaussian(model, read, n_slots, noise) - model.slots.mean_S) / deviation_S
    axes_BSK, _ = torch.linalg.qr(unit_BKS.mT)
    return model.slots.mean_S + deviation_S * axes_BSK.mT * unit_BKS.shape[-1] ** 0.5


def on_cells(model: Dslate, read: Read, slot_BKS: Tensor, cell_BK: Tensor) -> Tensor:
    """Slots that have read one cell each."""
    share_BKN = functional.one_hot(cell_BK, read.prepared.shape[1]).float()
    return model.slots._update(read.prepared, slot_BKS, share_BKN)


def far_apart(model: Dslate, read: Read, n_slots: int, noise: object) -> Tensor:
    """Slots on cells that are drawn by how far they are from those before, as in K-means++."""
    value_BNI, cells = read.prepared, []
    apart_BN = torch.ones(value_BNI.shape[:2])
    for _ in range(n_slots):
        cells.append(torch.multinomial(apart_BN + 1e-9, 1))
        here_B1I = value_BNI.gather(1, cells[-1][..., None].expand(-1, -1, value_BNI.shape[2]))
        distance_BN = (value_BNI - here_B1I).square().sum(dim=-1)
        apart_BN = distance_BN if len(cells) == 1 else torch.minimum(apart_BN, distance_BN)
    slot_BKS = gaussian(model, read, n_slots, noise)
    return on_cells(model, read, slot_BKS, torch.cat(cells, dim=1))


def least_claimed(model: Dslate, read: Read, n_slots: int, noise: object) -> Tensor:
    """Slots on cells that those before claim least, against what any slot would claim of them."""
    slot_BKS = gaussian(model, read, n_slots, noise)
    usual_BN = claims(model, read, gaussian(model, read, 16, noise)).mean(dim=1)
    for k in range(n_slots):
        weight_BN = torch.ones_like(usual_BN)
        if k > 0:
            claimed_BN = claims(model, read, slot_BKS[:, :k]).amax(dim=1) - usual_BN
            weight_BN = (-claimed_BN / SHARPNESS).softmax(dim=1)
        cell_B1 = torch.multinomial(weight_BN, 1)
        slot_BKS[:, k : k + 1] = on_cells(model, read, slot_BKS[:, k : k + 1], cell_B1)
    return slot_BKS


def thinned(model: Dslate, read: Read, n_slots: int, noise: object, times: float = CROWD) -> Tensor:
    """``network.initial=thinned``: more slots than asked for, less those without a cell."""
    crowd_BKS = gaussian(model, read, round(times * n_slots), noise)
    return model.slots.thin(read.prepared, crowd_BKS, n_slots)


def claims(model: Dslate, read: Read, slot_BKS: Tensor) -> Tensor:
    """Logits (B, K, N) with which slots would compete for cells."""
    query_BKS = model.slots.query(model.slots.slot_norm(slot_BKS)) * slot_BKS.shape[-1] ** -0.5
    return (query_BKS @ model.slots.key.weight) @ read.prepared.mT


VARIANTS: dict[str, tuple[Start, int, tuple[str, ...]]] = {  # start, iterations, additions
    "Gaussian": (gaussian, 7, ()),
    "3 iterations": (gaussian, 3, ()),
    "20 iterations": (gaussian, 20, ()),
    "deviation times 0.3": (functools.partial(gaussian, width=0.3), 7, ()),
    "deviation times 2.5": (functools.partial(gaussian, width=2.5), 7, ()),
    "at right angles": (orthogonal, 7, ()),
    "on cells far apart": (far_apart, 7, ()),
    "on cells claimed least": (least_claimed, 7, ()),
    "thinned out of half as many again": (functools.partial(thinned, times=1.5), 7, ()),
    "thinned out of twice as many": (thinned, 7, ()),
    "thinned out of three times as many": (functools.partial(thinned, times=3.0), 7, ()),
    "best of several": (gaussian, 7, ("starts",)),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("buffer", type=Path)
    parser.add_argument("--objects", nargs="+", type=int, default=[4, 7])
    parser.add_argument("--clips", type=int, default=60)
    parser.add_argument("--only", nargs="+", default=list(VARIANTS), choices=list(VARIANTS))
    options = parser.parse_args()
    torch.set_num_threads(1)
    buffer, clips = open_buffer(options.buffer, verify=False), {}
    print(f"| start | objects | {' | '.join(FIGURES)} |\n|---|---|{'---|' * len(FIGURES)}")
    for name in options.only:
        start, iterations, additions = VARIANTS[name]
        model = load_model(options.model).seeing(additions)
        assert isinstance(model, Dslate)
        model.config = model.config.model_copy(update={"inference_iterations": iterations})
        if not additions:
            model._start = functools.partial(start, model)  # type: ignore[method-assign]
        torch.manual_seed(0)
        examiner = Examiner(model, options.model, buffer, Options(options.clips, None, 0))
        for n_objects in options.objects:
            if n_objects not in clips:
                clips[n_objects] = examiner.clips(n_objects)
            figures = examiner.examine(clips[n_objects], n_objects).figures
            row = " | ".join(f"{figures[figure]:.3f}" for figure in FIGURES)
            print(f"| {name} | {n_objects} | {row} |", flush=True)


if __name__ == "__main__":
    main()
