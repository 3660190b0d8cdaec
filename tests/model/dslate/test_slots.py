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


def test_of_a_crowd_those_stay_that_have_a_cell_to_themselves(attention: SlotAttention) -> None:
    cells, crowd = make_inputs(attention, n_slots=6)
    settled = attention(cells, crowd, 3)
    owned_BK = settled.share.amax(dim=2)
    others_BK = owned_BK > owned_BK.amin(dim=1, keepdim=True)
    expected = attention(cells, settled.slot[others_BK].view(2, 5, -1), 1).slot
    torch.testing.assert_close(attention.thin(cells, crowd, 5), expected)
    assert attention.thin(cells, crowd, 2).shape == (2, 2, 8)


def test_two_slots_on_one_thing_are_thinned_to_one(attention: SlotAttention) -> None:
    with torch.no_grad():
        attention.query.weight.mul_(100)  # attention as sharp as it is after training
    cells, start = make_inputs(attention, n_slots=9)
    settled = attention(cells, start, 20)
    owner_B = settled.share[0].argmax(dim=0).unique()  # slots that have a cell
    alone = settled.slot[:1, owner_B]
    twice = torch.cat([alone, alone], dim=1)
    kept = attention.thin(cells[:1], twice, len(owner_B))
    share = attention(cells[:1], kept, 1).share[0]
    assert len(share.argmax(dim=0).unique()) == len(owner_B) > 1


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
