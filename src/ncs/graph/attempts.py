"""Experience becomes attempts: what was to be moved where, what stood around, whether it worked.

Legend: C clips, T frames, N transitions, K slots, X states, M nodes, S state channels,
3 coordinates, metres.
"""

import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ncs.graph.calibration import locate
from ncs.graph.distances import Doubles, Floats, paired, pairwise
from ncs.graph.isolate import Experience
from ncs.graph.nearest import bind, states
from ncs.graph.rules import Attempts
from ncs.records import Calibration, Graph

GRAPHS = 8  # of which what stays the same from decision to decision is kept


def attempts_of(experience: Experience, graph: Graph, known: Calibration) -> Attempts:
    """The attempts of a batch of clips.

    The thing that was to be moved is the one nearest to where the action picks.
    """
    state_CTKS = states(experience, graph.representation)
    before_NKS, after_NKS = _flat(state_CTKS, 0), _flat(state_CTKS, 1)
    present_NK = _flat(experience.presence, 0) & _flat(experience.presence, 1)
    kept = np.flatnonzero(present_NK.any(1))
    if before_NKS.shape[-1] == 3 and known.gap:  # where height tells things apart
        clear_N = _picks_something(before_NKS, present_NK, experience, graph, known)
        kept = kept[(clear_N & _sees_all(experience.presence, present_NK))[kept]]
    before_NKS, after_NKS, present_NK = before_NKS[kept], after_NKS[kept], present_NK[kept]
    action_N6 = experience.action.reshape(-1, 6)[kept].astype(np.float64)
    here_NK3 = where(before_NKS, graph, known)
    there_NK3 = where(after_NKS, graph, known)
    here_NK3[~present_NK] = np.nan
    away_NK = np.linalg.norm(here_NK3 - action_N6[:, None, :3], axis=-1)
    row, thing_N = np.arange(len(kept)), np.where(present_NK, away_NK, np.inf).argmin(1)
    change_NK = np.where(present_NK, paired(before_NKS, after_NKS, graph.isolate_metric), 0.0)
    worked_N = change_NK[row, thing_N] > known.still
    change_NK[row, thing_N] = 0.0
    others_NK3 = here_NK3.copy()
    others_NK3[row, thing_N] = np.nan
    return Attempts(
        thing=here_NK3[row, thing_N],
        place=action_N6[:, :3] + action_N6[:, 3:],
        others=others_NK3,
        landed=there_NK3[row, thing_N],
        stirred=np.asarray((change_NK > known.near).any(1)),  # by more than the eye may slip
        worked=worked_N,
    )


def _picks_something(
    state_NKS: Floats,
    present_NK: NDArray[np.bool_],
    experience: Experience,
    graph: Graph,
    known: Calibration,
) -> NDArray[np.bool_]:
    """Whether (N,) a thing is seen where the action picks: if none is, the eyes missed it."""
    pick_N3 = experience.action.reshape(-1, 6)[:, :3].astype(np.float64)
    away_NK = np.linalg.norm(where(state_NKS, graph, known) - pick_N3[:, None], axis=-1)
    return np.asarray((present_NK & (away_NK < known.gap / 2)).any(1))


def _sees_all(presence_CTK: NDArray[np.bool_], present_NK: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether (N,) as many things are seen before and after as in two frames of the clip.

    Nothing comes or goes: where fewer are seen, one is hidden, and it may be what matters.
    """
    count_CT = np.sort(presence_CTK.sum(axis=2), axis=1)
    usual_N = np.repeat(count_CT[:, -2], presence_CTK.shape[1] - 1)
    return np.asarray(present_NK.sum(axis=1) >= usual_N)


def where(state_XS: Floats, graph: Graph, known: Calibration) -> Doubles:
    """World positions (..., 3) of states: by the regression, put right by what nodes know."""
    flat_XS = np.asarray(state_XS, np.float64).reshape(-1, state_XS.shape[-1])
    node_X = bind(flat_XS, graph.node, graph.bind_metric)
    assert known.world is not None
    place_X3 = locate(flat_XS, known.world) + known.offset[node_X]
    return np.asarray(place_X3.reshape(*state_XS.shape[:-1], 3))


@functools.lru_cache(maxsize=GRAPHS)
def node_places(graph: Graph, known: Calibration) -> Doubles:
    """World positions (M, 3) of a graph's nodes."""
    place_M3 = where(graph.node, graph, known)
    place_M3.flags.writeable = False
    return place_M3


@functools.lru_cache(maxsize=GRAPHS)
def metres_per_state(graph: Graph, known: Calibration) -> float:
    """How many metres a difference of one between states makes, by the graph's nodes."""
    place_M3 = node_places(graph, known)
    state_MM = pairwise(graph.node, graph.node, graph.isolate_metric)
    place_MM = pairwise(place_M3, place_M3, "euclidean")
    upper = np.triu_indices(len(state_MM), 1)
    apart = state_MM[upper] > 0
    return float(np.median(place_MM[upper][apart] / state_MM[upper][apart])) if apart.any() else 0.0


def _flat(array: NDArray[Any], shift: int) -> NDArray[Any]:
    """Frames t (shift 0) or t + 1 (shift 1) of all transitions, (N, K, ...)."""
    part = array[:, shift : array.shape[1] - 1 + shift]
    return part.reshape(-1, *part.shape[2:])
