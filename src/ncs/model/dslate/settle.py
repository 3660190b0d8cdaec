"""Additions to how slots are inferred in use: the picture says which of them to believe.

The paper draws one start and keeps every slot. Here several starts may be compared, and slots
taken away, by how well the decoder explains the picture's tokens from what is left.

Legend: B pictures, R those still looked at, C slots that may go, M pictures times such slots,
K slots, L slots left, N tokens, P attention cells, I input width, D decoder width, S slot width.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from ncs.model.dslate.config import DslateConfig
from ncs.model.dslate.decoder import TokenDecoder
from ncs.model.dslate.slots import Attended, SlotAttention

FEWEST = 2  # a background and an object


@dataclass(frozen=True)
class Read:
    """Pictures as attention and decoder read them."""

    prepared: Tensor  # (B, P, I)
    embedded: Tensor  # (B, N + 1, D) the beginning and all tokens
    token: Tensor  # (B, N)

    def rows(self, index: Tensor | slice) -> "Read":
        """Some of the pictures."""
        return Read(self.prepared[index], self.embedded[index], self.token[index])


def unexplained(decoder: TokenDecoder, read: Read, slot_MKS: Tensor, picture_M: Tensor) -> Tensor:
    """Nats (M,) that sets of slots leave of the pictures they are to explain."""
    feature_MND = decoder(read.embedded[:, :-1], slot_MKS, picture_M)
    weight_M = torch.ones(len(picture_M), device=slot_MKS.device)
    return decoder.score(feature_MND, read.token[picture_M], weight_M).cross_entropy


def best_start(
    slots: SlotAttention,
    decoder: TokenDecoder,
    read: Read,
    start_ABKS: Sequence[Tensor],
    config: DslateConfig,
) -> Tensor:
    """Of several starts, for each picture the one whose slots come to explain it best.

    A slot that settled on two objects, or two on one, leaves tokens that it cannot tell.
    """
    if len(start_ABKS) == 1:
        return start_ABKS[0]
    picture_B = torch.arange(len(read.token), device=read.token.device)
    left_AB = []
    for start_BKS in start_ABKS:
        seen = slots(read.prepared, start_BKS, config.inference_iterations)
        left_AB.append(unexplained(decoder, read, seen.slot, picture_B))
    best_B = torch.stack(left_AB).argmin(dim=0)
    return torch.stack(list(start_ABKS))[best_B, picture_B]


def keep_needed(
    slots: SlotAttention, decoder: TokenDecoder, read: Read, seen: Attended, config: DslateConfig
) -> Attended:
    """The slots that a picture needs, settled among themselves; others are zero, and own no cell.

    Each round takes away the slot that is missed least, as long as that is less than its price.
    """
    needed_BK = torch.ones(seen.slot.shape[:2], dtype=torch.bool, device=seen.slot.device)
    row_R = torch.arange(len(seen.slot), device=seen.slot.device)
    left_R = unexplained(decoder, read, seen.slot, row_R)
    slot_BKS, share_BKP = seen.slot.clone(), seen.share.clone()
    for count in range(seen.slot.shape[1], FEWEST, -1):
        some = read.rows(row_R)
        index_RL = needed_BK[row_R].nonzero()[:, 1].view(len(row_R), count)
        slot_RLS = slot_BKS[row_R[:, None], index_RL]
        loss_RC = without_each(decoder, some, slot_RLS) - left_R[:, None]
        least_R = loss_RC.argmin(dim=1)
        goes_R = loss_RC.amin(dim=1) < config.slot_price
        if not goes_R.any():
            break
        row_R, least_R, index_RL = row_R[goes_R], least_R[goes_R], index_RL[goes_R]
        needed_BK[row_R, index_RL.gather(1, least_R[:, None])[:, 0]] = False
        stays_RL = functional.one_hot(least_R, count) == 0
        index_RL = index_RL[stays_RL].view(len(row_R), count - 1)
        some = some.rows(goes_R)
        again = slots(some.prepared, slot_BKS[row_R[:, None], index_RL], config.iterations)
        slot_BKS[row_R], share_BKP[row_R] = 0.0, 0.0
        slot_BKS[row_R[:, None], index_RL] = again.slot
        share_BKP[row_R[:, None], index_RL] = again.share
        every_R = torch.arange(len(row_R), device=row_R.device)
        left_R = unexplained(decoder, some, again.slot, every_R)
    return Attended(slot_BKS, share_BKP)


def without_each(decoder: TokenDecoder, read: Read, slot_RKS: Tensor) -> Tensor:
    """Nats (R, K) that are left of each picture without each of its slots."""
    pictures, count, _ = slot_RKS.shape
    others_CL = torch.arange(count, device=slot_RKS.device).expand(count, count)
    others_CL = others_CL[~torch.eye(count, dtype=torch.bool, device=slot_RKS.device)]
    slot_MLS = slot_RKS[:, others_CL.view(count, count - 1)].flatten(0, 1)
    picture_M = torch.arange(pictures, device=slot_RKS.device).repeat_interleave(count)
    return unexplained(decoder, read, slot_MLS, picture_M).view(pictures, count)
