"""A start for dSLATE in one world, made from its weights in another; nothing is known of either.

Run ``python benchmarks/dslate_transfer.py MODEL ITS_BUFFER BUFFER START``, then ``ncs train --start
START`` with the same settings. Slot attention, dynamics and decoder keep their weights. The input
becomes cells of four pixels, whose features learn to be what the old table of tokens has for their
colour, and colours that are in nearly every picture are to the new model what the commonest token
was to the old. Each new word takes the old token of its colour.

Legend: R pictures, X patches or words, P numbers of a patch, C colour, V words, N cells.
"""

import argparse
import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from ncs.data.buffer import Buffer, open_buffer
from ncs.model.dslate.dvae import common_patches, from_patches, to_patches, to_unit
from ncs.model.dslate.noise import Noise
from ncs.model.dslate.world import Dslate
from ncs.training.checkpoint import Snapshot, load_model, to_arrays, write_checkpoint
from ncs.training.fit import fit_settings
from ncs.training.learner import new_model
from ncs.training.presets import altered, preset

SETTINGS = ("network.input=cnn", "network.dvae_words=true", "network.dvae_rate=0.0001")
OLD_PATCH = 8
CLIPS, FITTED = 300, 400  # clips of the words, pictures that features are fitted to
NEARLY_EVERY = 0.8  # picture has a colour that is no thing's
COVERED = 0.2  # share of other pixels from which on a patch shows a thing
DRAW_STEPS, FEATURE_STEPS, BATCH = 400, 500, 12
NEW = ("dvae.", "embedding.table", "decoder.head")


@dataclass(frozen=True)
class Dictionary:
    """Which token of the old model stands for a patch of the new world."""

    old: Dslate
    background: int  # the old model's commonest token
    steady: Tensor  # (4096,) whether a colour is in nearly every picture of the new world

    @torch.no_grad()
    def tokens(self, patch_XP: Tensor) -> Tensor:
        """The old token (X,) of the colour of what a patch shows."""
        pixel_XUC = patch_XP.unflatten(1, (-1, 3))
        steady_XU = self.steady[colour_bins((255 * pixel_XUC).round().clamp(0, 255))]
        other_XU1 = (~steady_XU).float()[..., None]
        count_X1 = other_XU1.sum(dim=1)
        colour_XC = (pixel_XUC * other_XU1).sum(dim=1) / count_X1.clamp(min=1)
        side = self.old.config.image_size // OLD_PATCH
        plain_XP = colour_XC.repeat(1, OLD_PATCH**2)
        spare = -len(plain_XP) % side**2
        cut = functional.pad(plain_XP, (0, 0, 0, spare)).unflatten(0, (-1, side, side))
        frame_RHWC = (255 * from_patches(cut, OLD_PATCH)).round().to(torch.uint8)
        token_X = self.old.dvae.encode(frame_RHWC).flatten()[: len(patch_XP)]
        shows_X = count_X1[:, 0] / pixel_XUC.shape[1] > COVERED
        return torch.where(shows_X, token_X, self.background)


def colour_bins(pixel: Tensor) -> Tensor:
    """Which of 16³ colours each pixel (..., C) of bytes has."""
    level = (pixel // 16).long()
    return level[..., 0] * 256 + level[..., 1] * 16 + level[..., 2]


def steady_colours(frame_RHWC: Tensor) -> Tensor:
    """Whether each of the colours (4096,) is in nearly every picture."""
    bin_RX = colour_bins(frame_RHWC).flatten(1)
    seen_RC = torch.zeros(len(bin_RX), 4096, dtype=torch.bool).scatter_(1, bin_RX, True)
    return seen_RC.float().mean(dim=0) > NEARLY_EVERY


def frames(buffer: Buffer, clips: int) -> Tensor:
    """All pictures of some clips, (R, H, W, C)."""
    return torch.from_numpy(buffer.clips(np.arange(clips) * 3).frame).flatten(0, 1)


@torch.no_grad()
def take_over(new: Dslate, old: Dslate, dictionary: Dictionary, word_VP: Tensor) -> None:
    """Fills the new model with the old one's weights, words by way of the dictionary."""
    mine = dict(new.named_parameters())
    for name, value in old.named_parameters():
        if not name.startswith(NEW):
            mine[name].copy_(value)
    token_V = dictionary.tokens(word_VP)
    table, head = new.embedding.table.weight, new.decoder.head.weight
    table[1:] = old.embedding.table.weight[1 + token_V] + 0.1 * table[1:]
    table[0] = old.embedding.table.weight[0]
    head.copy_(old.decoder.head.weight[token_V] + 0.02 * torch.randn_like(head))
    side = old.config.image_size // OLD_PATCH
    place_1DGG = old.embedding.position_ND[1:].T.unflatten(1, (side, side))[None]
    finer = functional.interpolate(place_1DGG, scale_factor=2, mode="bilinear")
    new.features.position_NI.copy_(finer[0].flatten(1).T)
    for convolution in new.features.convolutions:
        convolution.weight.mul_(0.1)
        convolution.bias.zero_()


def learn_to_draw(new: Dslate, frame_RHWC: Tensor, generator: torch.Generator) -> None:
    """Trains the autoencoder's way back alone: words stay what they are."""
    ways = ("entry", "stages", "exit")
    parameters = [p for name, p in new.dvae.named_parameters() if name.startswith(ways)]
    optimiser = torch.optim.Adam(parameters)
    for step in range(DRAW_STEPS):
        for group in optimiser.param_groups:
            group["lr"] = 3e-3 * min(1, (step + 1) / 20) * falling(step, DRAW_STEPS)
        row_B = torch.randint(len(frame_RHWC), (BATCH,), generator=generator)
        error = new.dvae(frame_RHWC[row_B], 0.1, Noise(generator)).error
        optimiser.zero_grad()
        error.backward()
        optimiser.step()
    print(f"autoencoder: squared error {error.item():.0f} a picture")


def learn_to_see(new: Dslate, dictionary: Dictionary, frame_RHWC: Tensor) -> None:
    """Fits the features of cells to the old table; positions stay."""
    generator = torch.Generator().manual_seed(0)
    frame_RHWC = frame_RHWC[torch.randperm(len(frame_RHWC), generator=generator)[:FITTED]]
    patch_RGGP = to_unit(to_patches(frame_RHWC, new.config.input_patch))
    token_RN = dictionary.tokens(patch_RGGP.flatten(0, 2)).view(len(frame_RHWC), -1)
    target_RND = dictionary.old.embedding.table.weight[1 + token_RN].detach()
    weight_RN = torch.where(token_RN == dictionary.background, 0.1, 1.0)
    place_NI = new.features.position_NI.requires_grad_(False)
    optimiser = torch.optim.Adam(p for p in new.features.parameters() if p.requires_grad)
    for step in range(FEATURE_STEPS):
        for group in optimiser.param_groups:
            group["lr"] = 2e-3 * falling(step, FEATURE_STEPS)
        row_B = torch.randint(len(frame_RHWC), (BATCH,), generator=generator)
        gap = new.features(frame_RHWC[row_B]) - place_NI - target_RND[row_B]
        loss = (gap.square().mean(dim=-1) * weight_RN[row_B]).sum() / weight_RN[row_B].sum()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    place_NI.requires_grad_(True)
    print(f"features: {loss.item():.2f} left of a variance of {target_RND.var().item():.2f}")


def falling(step: int, steps: int) -> float:
    """A cosine from 1 to 0."""
    return 0.5 * (1 + math.cos(math.pi * step / steps))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path, help="dSLATE of the 'cpu' preset")
    parser.add_argument("old_buffer", type=Path, help="of the world that it knows")
    parser.add_argument("buffer", type=Path, help="of the new world")
    parser.add_argument("out", type=Path)
    options = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    old, buffer = load_model(options.model), open_buffer(options.buffer, verify=False)
    assert isinstance(old, Dslate)
    config = fit_settings(altered(preset("cpu"), {}, SETTINGS), buffer)
    new, frame_RHWC = new_model(config), frames(buffer, CLIPS)
    assert isinstance(new, Dslate)
    new.prepare(frame_RHWC[None], torch.empty(0))
    known_RN = old.dvae.encode(frames(open_buffer(options.old_buffer, verify=False), 20))
    background = int(known_RN.flatten().mode().values)
    dictionary = Dictionary(old, background, steady_colours(frame_RHWC))
    word_VP = common_patches(frame_RHWC, config.network.patch, config.network.vocabulary)
    take_over(new, old, dictionary, word_VP)
    learn_to_draw(new, frame_RHWC, torch.Generator().manual_seed(3))
    learn_to_see(new, dictionary, frame_RHWC)
    options.out.mkdir(parents=True, exist_ok=True)
    about = {"hash": buffer.hash, "world": buffer.world, "clips": len(buffer)}
    about["objects"] = buffer.manifest["objects"]
    write_checkpoint(options.out, Snapshot(0, config, about, to_arrays(new.state_dict()), {}))


if __name__ == "__main__":
    main()
