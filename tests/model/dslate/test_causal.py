import pytest
import torch
from torch import Tensor

from ncs.model.dslate import causal
from ncs.model.dslate.noise import Noise


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Several blocks and an uneven last one, even for short sequences."""
    monkeypatch.setattr(causal, "QUERY_BLOCK", 4)
    monkeypatch.setattr(causal, "GROUP_NUMBERS", 200)


def masks(length: int, dropout: float) -> Tensor:
    """The dropout masks that the blocks will draw, as one (6, N, N) matrix."""
    noise = Noise(torch.Generator().manual_seed(0), dropout)
    whole = torch.zeros(3, 2, length, length)
    for group in causal.groups(3, 2, length):
        for start in range(0, length, 4):
            end = min(start + 4, length)
            part = whole[group, :, start:end, :end]
            part.copy_((noise.signs(part.shape) > 0).float())
    return whole / (1 - dropout)


def plain(mixed: Tensor, mask: Tensor | None) -> Tensor:
    length = mixed.shape[1]
    query, key, value = mixed.view(3, length, 3, 2, 5).permute(2, 0, 3, 1, 4)
    later = torch.ones(length, length, dtype=torch.bool).triu(1)
    weight = (query @ key.mT * 5**-0.5).masked_fill(later, -torch.inf).softmax(dim=-1)
    if mask is not None:
        weight = weight * mask
    return (weight @ value).transpose(1, 2).flatten(2)


@pytest.mark.parametrize("length", [1, 4, 11])
@pytest.mark.parametrize("dropout", [0.0, 0.4])
def test_it_is_masked_attention_with_the_same_gradient(length: int, dropout: float) -> None:
    first = torch.randn(3, length, 30, generator=torch.Generator().manual_seed(1))
    second = first.clone().requires_grad_()
    first.requires_grad_()
    noise = Noise(torch.Generator().manual_seed(0), dropout)
    ours = causal.causal_attention(first, 2, noise)
    theirs = plain(second, masks(length, dropout) if dropout else None)
    torch.testing.assert_close(ours, theirs)
    pull = torch.linspace(-1, 1, ours.numel()).view(ours.shape)
    (ours * pull).sum().backward()
    (theirs * pull).sum().backward()
    torch.testing.assert_close(first.grad, second.grad, rtol=1e-4, atol=1e-5)


def test_nothing_later_is_read() -> None:
    mixed = torch.randn(1, 9, 30)
    changed = mixed.clone()
    changed[:, 6:] += 1
    before, after = causal.causal_attention(mixed, 2), causal.causal_attention(changed, 2)
    assert torch.equal(before[:, :6], after[:, :6])
    assert not torch.equal(before[:, 6:], after[:, 6:])
