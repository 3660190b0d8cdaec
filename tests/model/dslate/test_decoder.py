import pytest
import torch
from torch import Tensor
from torch.nn import functional

from ncs.model.dslate.decoder import TokenDecoder, TokenEmbedding

VOCABULARY, TOKENS = 13, 9


@pytest.fixture
def embedding() -> TokenEmbedding:
    torch.manual_seed(0)
    return TokenEmbedding(VOCABULARY, TOKENS, width=16)


@pytest.fixture
def decoder() -> TokenDecoder:
    torch.manual_seed(1)
    return TokenDecoder(VOCABULARY, width=16, slot_width=10, layers=3, heads=2)


def make_tokens(count: int = 2) -> Tensor:
    return torch.randint(VOCABULARY, (count, TOKENS), generator=torch.Generator().manual_seed(2))


def make_slots(count: int = 2) -> Tensor:
    return torch.randn(count, 4, 10, generator=torch.Generator().manual_seed(3))


def test_a_token_changes_nothing_at_or_before_its_place(
    embedding: TokenEmbedding, decoder: TokenDecoder
) -> None:
    token, slot, picture = make_tokens(), make_slots(), torch.arange(2)
    changed = token.clone()
    changed[:, 5] = (changed[:, 5] + 1) % VOCABULARY
    first = decoder(embedding(token)[:, :-1], slot, picture)
    second = decoder(embedding(changed)[:, :-1], slot, picture)
    torch.testing.assert_close(first[:, :6], second[:, :6])
    assert not torch.allclose(first[:, 6], second[:, 6])


def test_the_order_of_slots_does_not_matter(
    embedding: TokenEmbedding, decoder: TokenDecoder
) -> None:
    past, slot, picture = embedding(make_tokens())[:, :-1], make_slots(), torch.arange(2)
    torch.testing.assert_close(decoder(past, slot.flip(1), picture), decoder(past, slot, picture))


def test_two_sets_of_slots_explain_one_picture_as_each_would_alone(
    embedding: TokenEmbedding, decoder: TokenDecoder
) -> None:
    past, slot = embedding(make_tokens(1))[:, :-1], make_slots(2)
    together = decoder(past, slot, torch.tensor([0, 0]))
    alone = [decoder(past, slot[i : i + 1], torch.tensor([0])) for i in range(2)]
    torch.testing.assert_close(together, torch.cat(alone))


def test_generation_picks_what_teacher_forcing_rates_highest(
    embedding: TokenEmbedding, decoder: TokenDecoder
) -> None:
    slot = make_slots()
    token = decoder.generate(embedding, slot)
    assert token.shape == (2, TOKENS)
    logit = decoder.head(decoder(embedding(token)[:, :-1], slot, torch.arange(2)))
    assert torch.equal(logit.argmax(dim=-1), token)


def test_the_score_is_the_cross_entropy_of_the_true_tokens(
    embedding: TokenEmbedding, decoder: TokenDecoder
) -> None:
    token = make_tokens()
    feature = decoder(embedding(token)[:, :-1], make_slots(), torch.arange(2))
    scored = decoder.score(feature, token, torch.tensor([0.25, 0.75]))
    logit = decoder.head(feature).transpose(1, 2)
    each = functional.cross_entropy(logit, token, reduction="none").sum(dim=1)
    torch.testing.assert_close(scored.cross_entropy, each)
    torch.testing.assert_close(scored.total, 0.25 * each[0] + 0.75 * each[1])
    assert not scored.cross_entropy.requires_grad
