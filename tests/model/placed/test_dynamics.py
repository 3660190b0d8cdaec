import torch
from torch import Tensor

from ncs.model.placed.config import PlacedConfig
from ncs.model.placed.dynamics import ARENA, Mover


def make_mover(solid: bool = True) -> Mover:
    """A mover that has learned its world: places are metres by the arena, y turned over."""
    torch.manual_seed(0)
    mover = Mover(PlacedConfig(spacing=0.3, pick_radius=0.25, solid=solid))
    with torch.no_grad():
        mover.straight.weight.copy_(torch.tensor([[1.0, 0.0, 0.0], [0.0, -1.0, 0.0]]))
        mover.straight.bias.zero_()
        mover.bent[2].weight.zero_()
        mover.bent[2].bias.zero_()
        mover.sharpness.fill_(5.0)
    return mover


def action(start: list[float], move: list[float]) -> Tensor:
    """One action, given in places."""
    turn = torch.tensor([ARENA, -ARENA])
    height = torch.zeros(1)
    return torch.cat([torch.tensor(start) * turn, height, torch.tensor(move) * turn, height])[None]


PLACE = torch.tensor([[[-0.5, -0.5], [0.5, 0.5], [0.5, -0.5]]])
ALL = torch.ones(1, 3, dtype=torch.bool)


def test_the_slot_nearest_the_pick_moves_and_no_other() -> None:
    later = make_mover()(PLACE, ALL, action([-0.45, -0.55], [0.0, 0.9]))
    expected = PLACE + torch.tensor([[[0.0, 0.9], [0.0, 0.0], [0.0, 0.0]]])
    torch.testing.assert_close(later, expected, atol=1e-3, rtol=0)


def test_a_pick_of_empty_ground_moves_nothing() -> None:
    later = make_mover()(PLACE, ALL, action([0.0, 0.0], [0.3, 0.3]))
    torch.testing.assert_close(later, PLACE, atol=1e-3, rtol=0)


def test_absent_slots_are_neither_picked_nor_in_the_way() -> None:
    alive = torch.tensor([[True, False, True]])
    mover = make_mover()
    torch.testing.assert_close(mover(PLACE, alive, action([0.5, 0.5], [-0.9, 0.0])), PLACE)
    later = mover(PLACE, alive, action([-0.5, -0.5], [1.0, 1.0]))
    torch.testing.assert_close(later[0, 0], torch.tensor([0.5, 0.5]), atol=1e-3, rtol=0)


def test_nothing_moves_onto_another_thing_where_things_are_solid() -> None:
    onto = action([-0.5, -0.5], [1.0, 1.0])
    assert torch.equal(make_mover()(PLACE, ALL, onto), PLACE)
    assert not torch.equal(make_mover(solid=False)(PLACE, ALL, onto), PLACE)


def test_a_permuted_scene_gives_permuted_predictions() -> None:
    order = torch.tensor([2, 0, 1])
    move = action([0.5, 0.5], [-0.9, 0.1])
    mover = make_mover()
    torch.testing.assert_close(mover(PLACE[:, order], ALL, move), mover(PLACE, ALL, move)[:, order])


def test_a_perfect_mover_has_no_loss_and_any_number_of_axes_may_stand_in_front() -> None:
    mover = make_mover()
    move = action([-0.5, -0.5], [0.0, 0.9])
    later = PLACE + torch.tensor([[[0.0, 0.9], [0.0, 0.0], [0.0, 0.0]]])
    assert mover.loss(PLACE, later, ALL, move) < 1e-4
    stacked = mover(PLACE.expand(4, 5, -1, -1), ALL.expand(4, 5, -1), move.expand(4, 5, -1))
    assert stacked.shape == (4, 5, 3, 2)


def test_clips_that_count_for_nothing_leave_a_loss_of_zero() -> None:
    loss = make_mover().loss(PLACE, PLACE + 1, ALL & False, action([0.0, 0.0], [0.1, 0.1]))
    assert loss == 0
