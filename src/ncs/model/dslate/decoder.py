"""Autoregressive token decoder: slots to the tokens of a picture, one after another.

Legend: R pictures, M sets of slots, N tokens of a picture, K slots, D width, S slot width,
V vocabulary.
"""

from dataclasses import dataclass
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from ncs.model.dslate.chunked import cross_entropy
from ncs.model.dslate.noise import Noise
from ncs.model.dslate.transformer import Block, Past


@dataclass(frozen=True)
class Scored:
    """How well slots explain pictures."""

    total: Tensor  # scalar, differentiable: the weighted sum
    cross_entropy: Tensor  # (M,) summed over a picture's tokens; carries no gradient


class TokenEmbedding(nn.Module):
    """Tokens with their positions; the decoder reads them, and so may slot attention."""

    def __init__(self, vocabulary: int, n_tokens: int, width: int) -> None:
        super().__init__()
        self.table = nn.Embedding(vocabulary + 1, width)  # entry 0 begins a picture
        self.position_ND = nn.Parameter(torch.empty(n_tokens + 1, width))
        nn.init.trunc_normal_(self.position_ND)

    def forward(self, token_RN: Tensor, noise: Noise | None = None) -> Tensor:
        """The beginning and all tokens embedded, (R, N + 1, D)."""
        entry_RN = functional.pad(token_RN + 1, (1, 0))
        value_RND = self.table(entry_RN) + self.position_ND
        return value_RND if noise is None else noise.drop(value_RND)

    def at(self, token_M: Tensor | None, position: int, count: int) -> Tensor:
        """The embedding of one token a picture, or of the beginning, (M, 1, D)."""
        if token_M is None:
            entry_M = torch.zeros(count, dtype=torch.long, device=self.position_ND.device)
        else:
            entry_M = token_M + 1
        value_MD: Tensor = self.table(entry_M) + self.position_ND[position]
        return value_MD.unsqueeze(1)


class TokenDecoder(nn.Module):
    """Transformer that predicts each token from the tokens before it and the slots."""

    def __init__(
        self, vocabulary: int, width: int, slot_width: int, layers: int, heads: int
    ) -> None:
        super().__init__()
        self.slot = nn.Linear(slot_width, width, bias=False)
        self.blocks = nn.ModuleList(
            Block(width, heads, layers, norm_stream=number == 0) for number in range(layers)
        )
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, vocabulary, bias=False)
        nn.init.xavier_uniform_(self.slot.weight)
        nn.init.xavier_uniform_(self.head.weight)

    def forward(
        self,
        embedded_RND: Tensor,
        slot_MKS: Tensor,
        picture_M: Tensor,
        noise: Noise | None = None,
    ) -> Tensor:
        """The features (M, N, D) from which token logits follow, given the true past.

        ``embedded_RND`` is the beginning and all tokens but the last; ``picture_M`` says which
        picture each set of slots is to explain. Several may explain the same one: what the first
        block does before it sees slots is done once a picture.
        """
        memory_MKD = self.slot(slot_MKS)
        first, *rest = cast(list[Block], list(self.blocks))
        stream_RND = first.read_itself(embedded_RND, True, noise)
        stream_MND = first.read_memory(stream_RND[picture_M], memory_MKD, noise)
        for block in rest:
            stream_MND = block(stream_MND, memory_MKD, True, noise)
        normed: Tensor = self.norm(stream_MND)
        return normed

    def score(self, feature_MND: Tensor, token_MN: Tensor, weight_M: Tensor) -> Scored:
        """Cross-entropy of the true tokens, and its sum with a weight for each set of slots."""
        weight_MN = weight_M[:, None].expand_as(token_MN)
        total, each = cross_entropy(
            feature_MND.flatten(0, 1), self.head.weight, token_MN.flatten(), weight_MN.flatten()
        )
        return Scored(total, each.view_as(token_MN).sum(dim=1))

    @torch.no_grad()
    def generate(self, embedding: TokenEmbedding, slot_MKS: Tensor) -> Tensor:
        """The likeliest next token, again and again, until the picture is full: (M, N)."""
        memory_MKD = self.slot(slot_MKS)
        pasts: list[Past | None] = [None] * len(self.blocks)
        tokens: list[Tensor] = []
        for position in range(len(embedding.position_ND) - 1):
            last_M = tokens[-1] if tokens else None
            stream_M1D = embedding.at(last_M, position, len(slot_MKS))
            for number, block in enumerate(cast(list[Block], list(self.blocks))):
                stream_M1D, pasts[number] = block.step(stream_M1D, memory_MKD, pasts[number])
            tokens.append(self.head(self.norm(stream_M1D[:, 0])).argmax(dim=-1))
        return torch.stack(tokens, dim=1)
