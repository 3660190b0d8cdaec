from collections.abc import Callable

import pytest
import torch
from torch import Tensor
from torch.nn import functional

from ncs.model.dslate import chunked
from ncs.model.dslate.noise import Noise


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Several chunks and an uneven last one, even for small matrices."""
    monkeypatch.setattr(chunked, "CHUNK_NUMBERS", 90)
    monkeypatch.setattr(chunked, "HIDDEN_NUMBERS", 70)


def agree(ours: Callable[..., Tensor], plain: Callable[..., Tensor], *inputs: Tensor) -> None:
    """Same value and same gradients of all inputs."""
    results = []
    for function in (ours, plain):
        leaves = [value.clone().requires_grad_() for value in inputs]
        out = function(*leaves)
        pull = torch.linspace(-1, 1, out.numel()).view(out.shape)
        results.append([out, *torch.autograd.grad((out * pull).sum(), leaves)])
    for left, right in zip(*results, strict=True):
        torch.testing.assert_close(left, right, rtol=1e-4, atol=1e-5)


def randoms(*shapes: tuple[int, ...]) -> list[Tensor]:
    generator = torch.Generator().manual_seed(0)
    return [torch.randn(shape, generator=generator) for shape in shapes]


def test_relax_is_the_gumbel_softmax_and_its_product() -> None:
    gumbel = torch.empty(23, 30)
    seed = torch.Generator().manual_seed(7)
    noise = Noise(torch.Generator().manual_seed(7))
    for chunk in chunked.chunks(gumbel, 30):
        noise.fill_gumbel(gumbel[chunk])

    def ours(feature: Tensor, head: Tensor, bias: Tensor, entry: Tensor) -> Tensor:
        return chunked.relax(feature, head, bias, entry, 0.7, Noise(seed.manual_seed(7)))[0]

    def plain(feature: Tensor, head: Tensor, bias: Tensor, entry: Tensor) -> Tensor:
        logit = functional.linear(feature, head, bias)
        return ((logit + gumbel) / 0.7).softmax(dim=1) @ entry.T

    inputs = randoms((23, 5), (30, 5), (30,), (6, 30))
    agree(ours, plain, *inputs)
    token = chunked.relax(*inputs, 0.7, Noise(seed.manual_seed(7)))[1]
    logit = functional.linear(*inputs[:3])
    assert torch.equal(token, (logit + gumbel).argmax(dim=1))


def test_cross_entropy_is_the_weighted_sum_of_the_usual_one() -> None:
    token = torch.arange(23) % 30
    weight = torch.linspace(0, 1, 23)

    def ours(feature: Tensor, head: Tensor) -> Tensor:
        return chunked.cross_entropy(feature, head, token, weight)[0]

    def plain(feature: Tensor, head: Tensor) -> Tensor:
        each = functional.cross_entropy(feature @ head.T, token, reduction="none")
        return (each * weight).sum()

    agree(ours, plain, *randoms((23, 5), (30, 5)))


def test_cross_entropy_stays_finite_where_the_chance_underflows() -> None:
    feature, head = torch.eye(2) * 500, torch.eye(2)
    total, each = chunked.cross_entropy(feature, head, torch.tensor([1, 0]), torch.ones(2))
    assert torch.allclose(each, torch.tensor([500.0, 500.0]))
    assert total == 1000


def test_feed_forward_is_two_linear_layers_with_a_relu() -> None:
    def plain(value: Tensor, widen: Tensor, bias: Tensor, narrow: Tensor, last: Tensor) -> Tensor:
        hidden = functional.linear(value, widen, bias).relu()
        return functional.linear(hidden, narrow, last)

    agree(chunked.feed_forward, plain, *randoms((23, 5), (20, 5), (20,), (5, 20), (5,)))


def test_argmax_finds_the_largest_entry_of_any_width() -> None:
    for columns in (7, 64, 256):
        (value,) = randoms((9, columns))
        assert torch.equal(chunked.argmax(value), value.argmax(dim=1))


def test_half_precision_is_near_full_precision() -> None:
    inputs = randoms((23, 5), (20, 5), (20,), (5, 20), (5,))
    with torch.autocast("cpu", torch.bfloat16):
        half = chunked.feed_forward(*inputs)
    torch.testing.assert_close(half, chunked.feed_forward(*inputs), rtol=0.1, atol=0.1)
