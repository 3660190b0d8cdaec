import pytest
import torch

from ncs.model.dslate.dynamics import Dynamics, run_filter
from ncs.model.dslate.noise import Noise
from ncs.model.dslate.slots import SlotAttention

LOW, HIGH = (-1.0, -2.0, 0.0, -2.0, -4.0, 0.0), (1.0, 2.0, 0.0, 2.0, 4.0, 0.0)


@pytest.fixture(params=[False, True], ids=["normed", "residual"])
def dynamics(request: pytest.FixtureRequest) -> Dynamics:
    torch.manual_seed(0)
    return Dynamics(8, layers=2, heads=2, action_low=LOW, action_high=HIGH, residual=request.param)


def test_permuted_states_give_permuted_predictions(dynamics: Dynamics) -> None:
    state, action = torch.randn(3, 5, 8), torch.randn(3, 6)
    order = [4, 2, 0, 1, 3]
    torch.testing.assert_close(
        dynamics(state[:, order], action), dynamics(state, action)[:, order], rtol=1e-4, atol=1e-5
    )


def test_any_number_of_slots_may_move(dynamics: Dynamics) -> None:
    for n_slots in (1, 5, 9):
        assert dynamics(torch.randn(2, n_slots, 8), torch.randn(2, 6)).shape == (2, n_slots, 8)


def test_actions_are_scaled_to_their_bounds_and_height_is_ignored(dynamics: Dynamics) -> None:
    bounds = torch.tensor([LOW, HIGH])
    scaled = (bounds - dynamics.middle_A) * dynamics.scale_A
    assert scaled.tolist() == [[-1, -1, 0, -1, -1, 0], [1, 1, 0, 1, 1, 0]]
    state, action = torch.randn(1, 5, 8), torch.randn(1, 6)
    higher = action + torch.tensor([0, 0, 9.0, 0, 0, 9.0])
    assert torch.equal(dynamics(state, higher), dynamics(state, action))


def test_the_action_moves_states(dynamics: Dynamics) -> None:
    state = torch.randn(1, 5, 8)
    assert not torch.allclose(dynamics(state, torch.ones(1, 6)), dynamics(state, -torch.ones(1, 6)))


def test_the_filter_copies_types_to_the_bit_and_permutes_with_its_start(dynamics: Dynamics) -> None:
    attention = SlotAttention(input_width=12, slot_width=14, hidden=8)
    cells, action = attention.prepare(torch.randn(2, 3, 9, 12)), torch.randn(2, 2, 6)
    start = attention.start(2, 5, Noise(torch.Generator().manual_seed(0)))
    order = [3, 1, 4, 0, 2]
    straight = run_filter(attention, dynamics, cells, action, start, 2)
    permuted = run_filter(attention, dynamics, cells, action, start[:, order], 2)
    assert torch.equal(straight.predicted[..., :6], straight.corrected[:, :-1, :, :6])
    torch.testing.assert_close(
        permuted.predicted, straight.predicted[:, :, order], rtol=1e-4, atol=1e-5
    )
    torch.testing.assert_close(
        permuted.corrected, straight.corrected[:, :, order], rtol=1e-4, atol=1e-5
    )
