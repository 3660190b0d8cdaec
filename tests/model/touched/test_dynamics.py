"""Actions move what is near the picked point, and nothing else."""

import torch

from ncs.model.touched.dynamics import Mover
from ncs.model.touched.measures import Measures

PLACE = torch.tensor([[[0.0, 0.0], [0.5, 0.0], [0.0, 0.5]]])
HERE = torch.ones(1, 3, dtype=torch.bool)


def measures() -> Measures:
    kept = Measures()
    kept.take({"gap": 0.2})
    return kept


def act(x: float, y: float, right: float, up: float, present: torch.Tensor = HERE) -> torch.Tensor:
    mover = Mover(solid=True)
    with torch.no_grad():
        mover.sharpness.fill_(4.0)
    action = torch.tensor([[x, y, 0.0, right, up, 0.0]])
    return mover(PLACE, present, action, measures()).detach() - PLACE


def test_the_thing_at_the_point_goes_by_as_much_as_the_action_says() -> None:
    moved = act(0.5, 0.01, -0.25, 0.25)
    assert torch.allclose(moved[0, 1], torch.tensor([-0.25, 0.25]), atol=1e-2)
    assert moved[0, [0, 2]].abs().max() < 1e-2


def test_a_pick_of_nothing_moves_nothing() -> None:
    assert act(0.25, 0.25, 0.2, 0.2).abs().max() < 1e-2


def test_an_absent_thing_is_not_moved() -> None:
    present = torch.tensor([[True, False, True]])
    assert act(0.5, 0.0, 0.2, 0.2, present).abs().max() < 1e-2


def test_nothing_is_put_onto_another_thing() -> None:
    assert act(0.5, 0.0, -0.5, 0.5).abs().max() < 1e-2


def test_the_reach_is_learned_from_what_moved() -> None:
    mover = Mover(solid=True)
    optimiser = torch.optim.Adam(mover.parameters(), 0.05)
    gap = torch.tensor([0.05, 0.1, 0.15, 1.0, 1.4, 2.0])
    moved = torch.tensor([True, True, True, False, False, False])
    for _ in range(200):
        optimiser.zero_grad()
        mover.loss(gap, moved).backward()
        optimiser.step()
    assert 0.15 < float(mover.reach.detach().exp()) < 1.0
    assert ((mover.picks(gap) > 0) == moved).all()
