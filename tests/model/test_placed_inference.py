import torch

from ncs.model.placed_inference import Attempt, agreement, explained


def make_attempt(place: list[list[float]], alive: list[bool], cost: list[float]) -> Attempt:
    batch, slots = len(cost), len(alive)
    return Attempt(
        kind=torch.full((batch, slots, 2), cost[0]),
        place=torch.tensor(place).expand(batch, -1, -1),
        alive=torch.tensor(alive).expand(batch, -1),
        mask=torch.full((batch, slots, 4, 4), 0.5),
        image=torch.zeros(batch, 3, 4, 4),
        cost=torch.tensor(cost),
    )


def test_the_cheaper_attempt_is_kept_image_by_image() -> None:
    one = make_attempt([[0.0, 0.0]], [True], [1.0, 5.0, 3.0])
    two = make_attempt([[0.5, 0.5]], [False], [2.0, 4.0, 3.0])
    best = one.or_better(two)
    assert best.cost.tolist() == [1.0, 4.0, 3.0]
    assert best.alive[:, 0].tolist() == [True, False, False]
    assert best.place[:, 0, 0].tolist() == [0.0, 0.5, 0.5]
    assert one.or_better(None) is one


def test_a_slot_is_as_sure_as_attempts_agree_on_it() -> None:
    best = make_attempt([[0.0, 0.0], [0.8, 0.8]], [True, True], [0.0])
    other = make_attempt([[0.81, 0.8], [0.05, 0.0]], [True, False], [0.0])
    assert agreement(best, [best, other], radius=0.2).tolist() == [[0.5, 1.0]]


def test_a_slot_explains_what_the_picture_gets_right_of_what_differs() -> None:
    attempt = make_attempt([[0.0, 0.0], [0.0, 0.0]], [True, False], [0.0])
    share = explained(torch.full((1, 3, 4, 4), 0.1), attempt, torch.full((3, 4, 4), 0.3))
    torch.testing.assert_close(share, torch.tensor([[0.75, 0.0]]))
