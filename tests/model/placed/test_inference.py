import torch

from ncs.model.placed.inference import Attempt, explained, improve, poll, take


def make_attempt(place: list[list[float]], alive: list[bool], cost: list[float]) -> Attempt:
    batch, slots = len(cost), len(alive)
    return Attempt(
        kind=torch.full((batch, slots, 2), cost[0]),
        place=torch.tensor(place).expand(batch, -1, -1),
        colour=torch.zeros(batch, slots, 3),
        tried=torch.ones(batch, slots, dtype=torch.bool),
        alive=torch.tensor(alive).expand(batch, -1),
        image=torch.zeros(batch, 3, 4, 4),
        cost=torch.tensor(cost),
    )


def test_the_cheaper_attempt_is_kept_image_by_image() -> None:
    old = make_attempt([[0.5, 0.5]], [False], [2.0, 4.0, 3.0, 9.0])
    new = make_attempt([[0.0, 0.0]], [True], [1.0, 5.0, 3.0])
    best = improve(old, torch.arange(3), new)
    assert best.cost.tolist() == [1.0, 4.0, 3.0, 9.0]
    assert best.alive[:, 0].tolist() == [True, False, False, False]
    assert best.place[:, 0, 0].tolist() == [0.0, 0.5, 0.5, 0.5]
    assert old.cost.tolist() == [2.0, 4.0, 3.0, 9.0]


def test_rows_of_a_record_are_rows_of_its_tensors() -> None:
    attempt = make_attempt([[0.5, 0.5]], [True], [2.0, 4.0, 3.0])
    assert take(attempt, torch.tensor([2, 0])).cost.tolist() == [3.0, 2.0]


def test_attempts_agree_that_have_the_same_slots_in_any_order() -> None:
    best = make_attempt([[0.0, 0.0], [0.8, 0.8], [9.0, 9.0]], [True, True, False], [0.0])
    same = make_attempt([[0.81, 0.8], [7.0, 7.0], [0.05, 0.0]], [True, False, True], [0.0])
    other = make_attempt([[0.8, 0.8], [0.0, 0.0], [0.3, 0.3]], [True, False, False], [0.0])
    made = [(torch.tensor([0]), attempt) for attempt in (best, same, other)]
    votes, agreed, count = poll(best, made, radius=0.2)
    assert votes.tolist()[0][:2] == [2.0, 3.0]
    assert agreed.tolist() == [2.0]
    assert count.tolist() == [3.0]


def test_an_attempt_with_one_slot_more_does_not_agree() -> None:
    best = make_attempt([[0.0, 0.0], [0.8, 0.8]], [True, False], [0.0])
    more = make_attempt([[0.0, 0.0], [0.8, 0.8]], [True, True], [0.0])
    assert poll(best, [(torch.tensor([0]), more)], radius=0.2)[1].tolist() == [0.0]


def test_a_slot_explains_what_the_picture_gets_right_of_what_differs() -> None:
    image, picture = torch.full((1, 3, 4, 4), 0.1), torch.zeros(1, 3, 4, 4)
    mask = torch.full((1, 2, 4, 4), 0.5)
    mask[:, 1] = 0
    share = explained(image, picture, torch.full((3, 4, 4), 0.3), mask)
    torch.testing.assert_close(share, torch.tensor([[0.75, 1.0]]))
