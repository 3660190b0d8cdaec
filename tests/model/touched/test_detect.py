"""Votes become things: peaks, masks and places of hand-made maps."""

import torch

from ncs.model.touched.detect import blur, cell_masks, count_votes, find_things
from ncs.model.touched.measures import Measures
from ncs.model.touched.network import Maps, pixels


def measures_of(apart: float, least: float, height: int = 32, width: int = 48) -> Measures:
    measures = Measures()
    measures.take({"apart": apart, "least": least, "height": height, "width": width})
    return measures


def draw(squares: list[tuple[int, int, int]], height: int = 32, width: int = 48) -> Maps:
    """Maps in which squares (x, y, side) vote for their middles."""
    logit = torch.full((1, height, width), -9.0)
    vote = pixels(height, width, torch.zeros(1)).clone()[None]
    for x, y, side in squares:
        logit[0, y : y + side, x : x + side] = 9.0
        middle = torch.tensor([x + side / 2, y + side / 2])
        vote[0, :, y : y + side, x : x + side] = middle[:, None, None]
    return Maps(logit, vote, torch.zeros(1, 4, height // 2, width // 2))


def test_things_are_found_where_pixels_vote_the_largest_first() -> None:
    things = find_things(draw([(4, 4, 4), (30, 10, 6)]), 5, measures_of(8, 4))
    assert things.present.tolist() == [[True, True, False, False, False]]
    assert torch.allclose(things.pixel[0, :2], torch.tensor([[33.0, 13.0], [6.0, 6.0]]))
    assert things.mask[0, 0].gt(0).sum() == 36
    assert things.mask[0, 1].gt(0).sum() == 16


def test_too_few_votes_make_no_thing() -> None:
    things = find_things(draw([(4, 4, 2), (30, 10, 6)]), 5, measures_of(8, 10))
    assert things.present.sum() == 1


def test_things_that_touch_stay_two() -> None:
    things = find_things(draw([(10, 10, 6), (16, 10, 6)]), 5, measures_of(6, 4))
    assert things.present.sum() == 2
    assert (things.mask[0].gt(0).sum(dim=0) <= 1).all()


def test_middles_that_are_almost_one_are_told_apart_on_a_finer_board() -> None:
    maps = draw([(10, 10, 4)])
    generator = torch.Generator().manual_seed(0)
    maps.vote[0, 1, 10:12, 10:14] = 9.6  # what stands on the lower half of the square
    maps.vote[:] += 0.3 * torch.randn(maps.vote.shape, generator=generator)
    things = find_things(maps, 5, measures_of(2, 3))
    assert things.present.sum() == 2
    assert set(things.pixel[0, :2, 1].round().int().tolist()) == {10, 12}
    board = count_votes(maps, measures_of(2, 3))
    assert board.fine == 4
    assert board.votes.shape == (1, 128, 192)


def test_two_pieces_that_vote_for_one_middle_are_one_thing() -> None:
    maps = draw([(4, 10, 4), (16, 10, 4)])
    maps.vote[0, :, 10:14, 4:20] = torch.tensor([12.0, 12.0])[:, None, None]
    things = find_things(maps, 5, measures_of(8, 4))
    assert things.present.sum() == 1
    assert things.mask[0, 0].gt(0).sum() == 32


def test_an_empty_picture_has_no_things() -> None:
    things = find_things(draw([]), 3, measures_of(8, 4))
    assert not things.present.any()
    assert not things.mask.any()


def test_a_vote_counts_one_where_it_falls() -> None:
    board = torch.zeros(1, 9, 9)
    board[0, 4, 4] = 1
    assert blur(board, 1.5)[0, 4, 4] == 1


def test_votes_outside_the_picture_fall_on_its_border() -> None:
    maps = draw([(4, 4, 4)])
    maps.vote[:] = -5.0
    assert count_votes(maps, measures_of(8, 4)).peak[0, 0, 0]


def test_masks_on_cells_share_each_cell_out() -> None:
    mask = torch.zeros(1, 2, 32, 48)
    mask[0, 0, :8, :12] = 1
    mask[0, 1, 8:16, :1] = 1
    cells = cell_masks(mask, 4).view(2, 4, 4)
    assert cells[0, 0, 0] == 1
    assert 0 < cells[1, 1, 0] < 0.5
    assert (cells.sum(dim=0) <= 1 + 1e-6).all()
