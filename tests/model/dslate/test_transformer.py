"""Decoder blocks: the shortcuts give what the plain formulas give, and nobody sees the future."""

import pytest
import torch
from torch.nn import functional

from ncs.model.dslate.transformer import Block, CrossAttention, Past, SelfAttention

WIDTH, HEADS = 12, 3


def draw(*shape: int) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(sum(shape)))


@pytest.fixture(params=[False, True])
def block(request: pytest.FixtureRequest) -> Block:
    torch.manual_seed(0)
    made = Block(WIDTH, HEADS, layers=2, norm_stream=request.param).eval()
    for parameter in made.parameters():
        parameter.data += 0.1 * torch.randn_like(parameter)
    return made


def test_positions_one_by_one_give_what_all_at_once_do(block: Block) -> None:
    stream, memory = draw(2, 5, WIDTH), draw(2, 4, WIDTH)
    past: Past | None = None
    steps = []
    for position in range(5):
        out, past = block.step(stream[:, position : position + 1], memory, past)
        steps.append(out)
    torch.testing.assert_close(torch.cat(steps, dim=1), block(stream, memory, causal=True))


def test_what_comes_later_changes_nothing_before(block: Block) -> None:
    stream, memory = draw(2, 5, WIDTH), draw(2, 4, WIDTH)
    other = stream.clone()
    other[:, 3:] *= -1
    before, after = (block(value, memory, causal=True) for value in (stream, other))
    torch.testing.assert_close(before[:, :3], after[:, :3])
    assert not torch.allclose(before[:, 3:], after[:, 3:])
    everywhere = block(other, memory, causal=False) - block(stream, memory, causal=False)
    assert (everywhere.abs().amax(dim=(0, 2)) > 1e-4).all()


def test_reading_the_memory_is_plain_attention_of_several_heads() -> None:
    torch.manual_seed(1)
    attention = CrossAttention(WIDTH, HEADS, gain=1.0)
    value, memory = draw(2, 5, WIDTH), draw(2, 4, WIDTH)
    split = [
        layer(source).unflatten(-1, (HEADS, -1)).transpose(1, 2)
        for layer, source in (
            (attention.query, value),
            (attention.key, memory),
            (attention.value, memory),
        )
    ]
    read = functional.scaled_dot_product_attention(*split).transpose(1, 2).flatten(2)
    torch.testing.assert_close(attention(value, memory), attention.out(read))


def test_without_an_order_positions_are_a_set() -> None:
    torch.manual_seed(2)
    attention, value, order = SelfAttention(WIDTH, HEADS, 1.0), draw(2, 5, WIDTH), [3, 0, 4, 1, 2]
    straight = attention(value, causal=False)
    torch.testing.assert_close(attention(value[:, order], causal=False), straight[:, order])
