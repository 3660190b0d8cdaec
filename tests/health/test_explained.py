"""Pictures of votes show why something was or was not taken for a thing."""

import numpy as np
import torch

from ncs.agent import shipped_model
from ncs.envs import make_env
from ncs.health.explained import LEFT, TAKEN, draw_explanation, explained_rows
from ncs.model.contract import Explaining, Explanation
from ncs.training.checkpoint import load_model


def test_peaks_with_votes_enough_are_the_things_that_are_seen() -> None:
    model = load_model(shipped_model("blocks-fast-0"))
    assert isinstance(model, Explaining)
    frame = make_env("block-rearrange", n_objects=5).reset(seed=1)[0]["image"][None]
    why = model.explain(torch.from_numpy(frame))
    seen = model.encode(torch.from_numpy(frame), 8).presence.sum()
    assert (why.height >= why.least).sum() == seen == 5
    assert (why.height.diff(dim=1) <= 0).all()
    assert why.chance.shape == why.votes.shape == (1, 64, 64)


def test_a_peak_has_a_ring_that_says_whether_it_is_a_thing() -> None:
    votes = torch.zeros(1, 32, 32)
    peaks = torch.tensor([[[8.5, 8.5], [24.5, 24.5], [16.5, 4.5]]])
    why = Explanation(votes, votes, peaks, torch.tensor([[9.0, 3.0, 0.0]]), least=5.0)
    over, board = draw_explanation(why, 0, np.zeros((64, 64, 3), np.uint8))
    assert over.shape == board.shape == (64, 64, 3)
    assert (board[10:26, 10:26] == TAKEN).all(axis=2).any()
    assert (board[42:58, 42:58] == LEFT).all(axis=2).any()
    assert not board[:16, 26:42].any()  # no votes, no ring


def test_a_model_that_gives_no_reasons_gets_no_rows() -> None:
    model = load_model(shipped_model("blocks-cpu-0"))
    assert explained_rows(model, np.zeros((1, 2, 64, 64, 3), np.uint8)) == []
