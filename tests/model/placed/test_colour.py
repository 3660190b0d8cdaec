import torch

from ncs.model.placed.colour import alike, alike_hues, hues


def test_colours_are_alike_however_strong_they_are() -> None:
    colour = torch.tensor([[[0.1, 0.0, 0.0], [0.9, 0.1, 0.0], [0.0, 0.5, 0.0]]])
    expected = torch.tensor([[True, True, False], [True, True, False], [False, False, True]])
    assert torch.equal(alike(colour, colour, 0.9)[0], expected)
    assert alike(colour, colour, 0.0).all()


def test_hues_may_be_found_beforehand() -> None:
    colour = torch.rand(2, 6, 3, generator=torch.Generator().manual_seed(0)) - 0.5
    assert torch.equal(alike(colour, colour, 0.8), alike_hues(hues(colour), hues(colour), 0.8))
