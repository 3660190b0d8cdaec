"""What a few moves of a new world teach eyes that stay as they are: where things are, what votes.

The moves say where things were picked and put; the eyes say where they see them. The fit between
the two is made anew, with or without what the eyes learned to add to it, whichever errs less on
clips that were left out.

Legend: B clips, T frames, C channels, H height, W width, N pictures, M labels of a picture,
K things seen, L labelled things that were seen, F terms of a thing.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ncs.model.touched.detect import Things, find_things
from ncs.model.touched.geometry import solve
from ncs.model.touched.labels import Labels, label, read_moves
from ncs.model.touched.measures import Measures
from ncs.model.touched.network import TERMS, Describer, Eyes, aside
from ncs.records import DataError

FEWEST = 16  # things seen that a fit of eight numbers a coordinate rests on
SEEN = 0.2  # of the labelled things: eyes that see fewer are of no use here
FAINTEST = 2.0  # votes below which nothing is ever a thing
SMALLEST = 0.02  # quantile of votes that still counts as a thing's
SHARE = 0.3  # of the smallest thing's votes that must be there for it to be seen
FOLDS = 5
TURNS = 3  # of fitting, and of looking again which thing is where the fit says
Doubles = NDArray[np.float64]


@dataclass(frozen=True)
class View:
    """One frame of every clip: what moves say of it, and what the eyes do."""

    labels: Labels
    things: Things
    term: Tensor  # (B, K, 8) terms of pixels, and how far pixels lie beside votes
    shift: Tensor  # (B, K, 3) what the eyes add to the fit, scaled


@dataclass(frozen=True)
class Sights:
    """Things whose place is known, as the eyes see them."""

    term: Tensor  # (L, 8)
    shift: Tensor  # (L, 3)
    place: Tensor  # (L, 3) scaled
    votes: Tensor  # (L,)
    clip: Tensor  # (L,)


@dataclass(frozen=True)
class Refit:
    """What the moves say beside the measurements."""

    to_place: Doubles  # (6, 3)
    aside: Doubles  # (2, 3) in place of the shifts that the eyes learned, where those do not hold
    keep_shift: bool
    least: float  # votes that make a thing
    seen: float  # share of the labelled things that the eyes see
    error: float  # of places of clips left out, as a share of how near things come

    @property
    def merit(self) -> float:
        """How much of what moves speak of is seen, and seen where it is."""
        return self.seen * (1 - self.error)


def refit(
    eyes: Eyes, describer: Describer, measures: Measures, image_BTCHW: Tensor, action: Tensor
) -> Refit:
    """The fit from what eyes see to places, and the votes that make a thing."""
    views = _views(eyes, describer, measures, image_BTCHW, action)
    labelled = sum(int(view.labels.known.sum()) for view in views)
    near = [_by_pixel(view, measures) for view in views]
    for _ in range(TURNS):
        sights = _pair(views, near)
        if len(sights.clip) < max(FEWEST, SEEN * labelled):
            raise DataError(
                f"buffer: the model sees {len(sights.clip)} of {labelled} things that its moves "
                "speak of; train it on clips of this world instead"
            )
        errors = {keep: _left_out_error(sights, keep, measures) for keep in (True, False)}
        keep = errors[True] <= errors[False]
        coefficient_F3 = _fit(sights, np.ones(len(sights.clip), bool), keep)
        near = [_by_place(view, coefficient_F3, keep, measures) for view in views]
    lowest = float(np.quantile(sights.votes.cpu().numpy(), SMALLEST))
    return Refit(
        to_place=coefficient_F3[:TERMS],
        aside=coefficient_F3[TERMS:],
        keep_shift=keep,
        least=max(FAINTEST, SHARE * lowest),
        seen=len(sights.clip) / max(1, labelled),
        error=min(errors.values()) * float(measures.scale) / measures.number("gap"),
    )


def _views(
    eyes: Eyes, describer: Describer, measures: Measures, image_BTCHW: Tensor, action: Tensor
) -> list[View]:
    """Every frame, with the faintest things that there may be."""
    moved, usual = read_moves(image_BTCHW, action, measures), measures.number("least")
    views = []
    for frame in range(image_BTCHW.shape[1]):
        labels, image_BCHW = label(moved, (frame,), measures), image_BTCHW[:, frame]
        maps = eyes(image_BCHW)
        measures.take({"least": FAINTEST})
        things = find_things(maps, 2 * labels.known.shape[1], measures)
        measures.take({"least": usual})
        summary = describer.pool(maps, image_BCHW, things.mask)
        term = measures.pixel_terms(things.pixel)
        both = torch.cat([term, aside(summary, term)], dim=-1)
        views.append(View(labels, things, both, describer.shifts(summary, term)))
    return views


def _by_pixel(view: View, measures: Measures) -> Tensor:
    """Which thing (B, M) is seen where each label's place should be; -1 where none is near."""
    gap_BMK = torch.cdist(measures.project(view.labels.place), view.things.pixel)
    return _nearest(gap_BMK, view, measures.number("apart") / 2)


def _by_place(view: View, coefficient_F3: Doubles, keep: bool, measures: Measures) -> Tensor:
    """Which thing (B, M) is at each label's place; -1 where none is near."""
    fitted = view.term.double() @ torch.from_numpy(coefficient_F3).to(view.term.device)
    seen = fitted + view.shift * keep
    width = measures.state_width
    gap_BMK = torch.cdist(view.labels.place[..., :width].double(), seen[..., :width])
    return _nearest(gap_BMK, view, measures.number("gap") / 2 / float(measures.scale))


def _nearest(gap_BMK: Tensor, view: View, most: float) -> Tensor:
    near_BM, which_BM = gap_BMK.masked_fill(~view.things.present[:, None], torch.inf).min(dim=2)
    return which_BM.masked_fill(~view.labels.known | (near_BM > most), -1)


def _pair(views: Sequence[View], near: Sequence[Tensor]) -> Sights:
    """The labelled things of all frames that are seen."""
    parts = []
    for view, which_BM in zip(views, near, strict=True):
        clip_L, row_L = (which_BM >= 0).nonzero(as_tuple=True)
        thing_L = which_BM[clip_L, row_L]
        sights = Sights(
            term=view.term[clip_L, thing_L],
            shift=view.shift[clip_L, thing_L],
            place=view.labels.place[clip_L, row_L],
            votes=view.things.votes[clip_L, thing_L],
            clip=clip_L,
        )
        parts.append(sights)
    return Sights(
        **{f.name: torch.cat([getattr(part, f.name) for part in parts]) for f in fields(Sights)}
    )


def _both_sides(sights: Sights, keep: bool) -> tuple[Doubles, Doubles]:
    """Terms (L, F) and the places that they alone must give."""
    term_LF = sights.term.double().cpu().numpy()
    if keep:
        term_LF = term_LF * (np.arange(term_LF.shape[1]) < TERMS)
    return term_LF, (sights.place - sights.shift * keep).double().cpu().numpy()


def _fit(sights: Sights, used_L: NDArray[np.bool_], keep: bool) -> Doubles:
    """Coefficients (F, 3) from things that are used."""
    term_LF, place_L3 = _both_sides(sights, keep)
    return solve(term_LF[used_L], place_L3[used_L])


def _left_out_error(sights: Sights, keep: bool, measures: Measures) -> float:
    """The mean error of places of clips that the fit has not seen, cut where it is no longer one.

    Folds are of clips: the same thing is in several frames of one.
    """
    term_LF, place_L3 = _both_sides(sights, keep)
    fold_L = sights.clip.cpu().numpy() % FOLDS
    misses = []
    for fold in np.unique(fold_L):
        used_L = fold_L != fold
        if used_L.sum() < FEWEST // 2:
            return np.inf
        miss_L3 = term_LF[~used_L] @ _fit(sights, used_L, keep) - place_L3[~used_L]
        misses.append(np.linalg.norm(miss_L3[:, : measures.state_width], axis=1))
    most = measures.number("gap") / float(measures.scale)
    return float(np.minimum(np.concatenate(misses), most).mean())
