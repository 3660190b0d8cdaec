import pytest
import torch
from torch import Tensor

from ncs.model.dslate.noise import Noise
from ncs.model.dslate.slots import FeatureNet, SlotAttention


@pytest.fixture
def attention() -> SlotAttention:
    torch.manual_seed(0)
    return SlotAttention(input_width=12, slot_width=8, hidden=16)


def make_inputs(attention: SlotAttention, n_slots: int = 4) -> tuple[Tensor, Tensor]:
    torch.manual_seed(1)
    cells = attention.prepare(torch.randn(2, 9, 12))
    return cells, attention.start(2, n_slots, Noise(torch.Generator().manual_seed(0)))


def test_slots_permute_with_their_start(attention: SlotAttention) -> None:
    cells, start = make_inputs(attention)
    order = [2, 0, 3, 1]
    straight = attention(cells, start, 3)
    permuted = attention(cells, start[:, order], 3)
    torch.testing.assert_close(permuted.slot, straight.slot[:, order])
    torch.testing.assert_close(permuted.share, straight.share[:, order])


@pytest.mark.parametrize("n_slots", [1, 4, 9])
def test_every_cell_is_shared_out_whole_among_any_number_of_slots(
    attention: SlotAttention, n_slots: int
) -> None:
    attended = attention(*make_inputs(attention, n_slots), 2)
    assert attended.share.shape == (2, n_slots, 9)
    torch.testing.assert_close(attended.share.sum(dim=1), torch.ones(2, 9))


def test_the_order_of_cells_does_not_matter(attention: SlotAttention) -> None:
    cells, start = make_inputs(attention)
    turned = attention(cells.flip(1), start, 3)
    torch.testing.assert_close(turned.slot, attention(cells, start, 3).slot)


def test_implicit_gradients_change_no_value_and_do_not_reach_the_start(
    attention: SlotAttention,
) -> None:
    cells, start = make_inputs(attention)
    start = start.detach().requires_grad_()
    implicit = attention(cells, start, 3, "implicit").slot
    torch.testing.assert_close(implicit, attention(cells, start, 3).slot)
    (grad,) = torch.autograd.grad(implicit.sum(), start)
    assert (grad == 0).all()


def test_unrolled_gradients_reach_the_shared_start(attention: SlotAttention) -> None:
    attention(*make_inputs(attention), 3).slot.square().sum().backward()
    assert attention.mean_S.grad is not None
    assert attention.mean_S.grad.abs().sum() > 0
    assert attention.log_deviation_S.grad is not None


def test_features_have_a_row_for_every_cell() -> None:
    net = FeatureNet(image_size=16, patch=4, width=12)
    frame = torch.zeros(2, 16, 16, 3, dtype=torch.uint8)
    assert net(frame).shape == (2, 16, 12)


def test_what_a_cell_looks_like_weighs_as_much_as_where_it_is() -> None:
    torch.manual_seed(0)
    features = FeatureNet(32, 4, 64)
    frame = torch.full((4, 32, 32, 3), 255, dtype=torch.uint8)
    colours = ((255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 0))
    for picture, colour in zip(frame, colours, strict=True):
        picture[8:18, 8:18] = torch.tensor(colour, dtype=torch.uint8)
    look = features(frame) - features.position_NI
    spread, place = look.std(dim=(0, 1)).mean(), features.position_NI.std(dim=0).mean()
    assert spread > place / 4  # before it was a twentieth, and slots never left their places
