"""Moves and goals drawn from clips."""

import torch

from ncs.baselines.hindsight import draw_moves, future_frames

CLIPS, FRAMES = 200, 5


def numbered_clips():
    """Clips whose every pixel says which clip and frame it is of, and actions likewise."""
    number = torch.arange(CLIPS)[:, None] * 10 + torch.arange(FRAMES)
    return number[:, :, None, None, None].expand(-1, -1, 2, 2, 3), number[:, :-1, None].expand(
        -1, -1, 6
    )


def test_a_move_is_two_successive_frames_and_the_action_between():
    frame, action = numbered_clips()
    moves = draw_moves(frame, action, torch.Generator().manual_seed(0))
    expected = torch.arange(CLIPS) * 10 + moves.first
    assert torch.equal(moves.frame[:, 0, 0, 0], expected)
    assert torch.equal(moves.after[:, 1, 1, 2], expected + 1)
    assert torch.equal(moves.action[:, 5], expected)
    assert set(moves.first.tolist()) == set(range(FRAMES - 1))


def test_future_frames_are_every_one_that_follows_and_no_other():
    first = torch.arange(FRAMES - 1).repeat(200)
    later = future_frames(first, FRAMES, torch.Generator().manual_seed(0))
    seen = set(zip(first.tolist(), later.tolist(), strict=True))
    assert seen == {(i, j) for i in range(FRAMES - 1) for j in range(i + 1, FRAMES)}
