import torch
from torch import Tensor

from ncs.model.placed.config import PlacedConfig
from ncs.model.placed.decoder import Painter, Picture

CONFIG = PlacedConfig(size=16, cell=4, window=5, type_width=3, decoder_width=8)


def make_painter() -> Painter:
    torch.manual_seed(0)
    return Painter(CONFIG)


def draw(slots: int = 3, batch: int = 2) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    generator = torch.Generator().manual_seed(1)
    kind = torch.randn(batch, slots, 3, generator=generator)
    place = torch.rand(batch, slots, 2, generator=generator) - 0.5
    alive = torch.ones(batch, slots, dtype=torch.bool)
    return kind, place, alive, torch.rand(3, 16, 16, generator=generator)


def test_a_pixel_further_in_place_is_a_pixel_further_in_the_picture() -> None:
    painter = make_painter()
    kind, place, alive, _ = draw()
    black = torch.zeros(3, 16, 16)
    here = painter(kind, place, alive, black).image
    there = painter(kind, place + torch.tensor([2 / 16, -4 / 16]), alive, black).image
    torch.testing.assert_close(there[..., 2:12, 2:14], here[..., 4:14, 1:13])


def test_pasting_is_linear_interpolation_pixel_by_pixel() -> None:
    painter = make_painter()
    kind, place, alive, black = draw(slots=1, batch=1)
    picture = painter(kind, place, alive, black * 0)
    patch = painter.paint(kind).view(5, 4, 5).detach()
    expected = torch.zeros(16, 16)
    x, y = ((place[0, 0] + 1) * 8 - 0.5).tolist()
    for row in range(5):
        for column in range(5):
            for h in range(16):
                for w in range(16):
                    near_h = max(0.0, 1 - abs(h - (y + row - 2)))
                    near_w = max(0.0, 1 - abs(w - (x + column - 2)))
                    expected[h, w] += patch[row, 3, column].sigmoid() * near_h * near_w
    torch.testing.assert_close(picture.total[0], expected)


def test_slots_can_stand_in_any_order() -> None:
    painter = make_painter()
    kind, place, alive, background = draw()
    order = torch.tensor([2, 0, 1])
    one = painter(kind, place, alive, background)
    two = painter(kind[:, order], place[:, order], alive[:, order], background)
    torch.testing.assert_close(one.image, two.image)
    torch.testing.assert_close(
        painter.masks(one, place)[:, order], painter.masks(two, place[:, order])
    )


def test_masks_leave_the_rest_to_the_background() -> None:
    painter = make_painter()
    kind, place, alive, background = draw(slots=6)
    mask = painter.masks(painter(kind, place * 0, alive, background), place * 0)
    assert mask.min() >= 0
    assert mask.sum(dim=1).max() <= 1 + 1e-6
    assert mask.sum(dim=1).max() > 0.99  # six half-opaque windows on top of one another


def test_dead_slots_paint_nothing() -> None:
    painter = make_painter()
    kind, place, alive, background = draw()
    picture: Picture = painter(kind, place, alive & False, background)
    assert torch.equal(picture.image, background.expand(2, -1, -1, -1))
    assert not painter.masks(picture, place).any()


def test_a_window_over_the_border_is_cut() -> None:
    painter = make_painter()
    kind, place, alive, background = draw()
    picture = painter(kind, torch.ones_like(place), alive, background)
    assert torch.equal(picture.image[..., :8, :8], background[:, :8, :8].expand(2, -1, -1, -1))
