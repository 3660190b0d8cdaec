"""dSLATE: the paper's object-centric world model, pixels to slots to tokens, as one filter.

Legend: B clips, T frames, R pictures (B·T), M sets of slots, H height, W width, N tokens,
P attention cells, I input width, K slots, S slot width, A action numbers.
"""

import copy
from collections.abc import Collection
from typing import Self

import torch
from torch import Tensor, nn

from ncs.model.contract import Loss, ParameterGroup, Slots, WorldModel
from ncs.model.dslate.config import DslateConfig
from ncs.model.dslate.decoder import Scored, TokenDecoder, TokenEmbedding
from ncs.model.dslate.dvae import Dvae, common_patches, projected
from ncs.model.dslate.dynamics import Dynamics, Filtered, run_filter
from ncs.model.dslate.noise import Noise, PictureNoise, start_noise
from ncs.model.dslate.settle import Read, best_start, keep_needed
from ncs.model.dslate.slots import CROWD, FeatureNet, SlotAttention
from ncs.model.randomness import Randomness
from ncs.registry import ModelClasses


class Dslate(WorldModel):
    """Slots inferred by slot attention, carried on by the dynamics, trained to give tokens."""

    config: DslateConfig
    # Of several starts the best is kept; slots that the picture does not need are absent.
    additions = ("starts", "presence")

    def __init__(self, config: DslateConfig) -> None:
        super().__init__()
        self.config = config
        self.in_use = frozenset(self.additions)
        c = config
        sizes = (c.image_size, c.patch, c.vocabulary, c.dvae_width)
        self.dvae = Dvae(*sizes, c.dvae_norm, c.dvae_upsampling, c.dvae_palette)
        self.embedding = TokenEmbedding(c.vocabulary, c.n_tokens, c.decoder_width)
        if c.input == "cnn":
            self.features = FeatureNet(c.image_size, c.input_patch, c.decoder_width)
        self.slots = SlotAttention(c.decoder_width, c.slot_width, c.slot_hidden)
        self.dynamics = Dynamics(
            c.state_width,
            c.dynamics_layers,
            c.dynamics_heads,
            *c.action_bounds,
            c.dynamics_residual,
        )
        self.decoder = TokenDecoder(
            c.vocabulary, c.decoder_width, c.slot_width, c.decoder_layers, c.decoder_heads
        )

    @torch.no_grad()
    def prepare(self, frame_BTHWC: Tensor, action_BTA: Tensor) -> None:
        """Takes the words of the autoencoder from clips, where the settings say so."""
        if not self.config.dvae_words:
            return
        frame_RHWC = frame_BTHWC.flatten(0, 1)
        word_VP = common_patches(frame_RHWC, self.config.patch, self.config.vocabulary)
        self.dvae.take_words(word_VP)
        self.embedding.table.weight[1:] = projected(word_VP, self.config.decoder_width)

    @property
    def trained_slots(self) -> int:
        """How many slots it is trained with."""
        return self.config.n_slots

    @property
    def picture_size(self) -> tuple[int, int]:
        """Height and width of the pictures it can look at."""
        return (self.config.image_size, self.config.image_size)

    def seeing(self, additions: Collection[str]) -> Self:
        """The same weights, with only those additions to the paper's way of inferring slots."""
        twin = copy.copy(self)
        twin.in_use = frozenset(additions) & frozenset(self.additions)
        return twin

    @torch.no_grad()
    def encode(
        self, frame_BHWC: Tensor, n_slots: int, generator: Randomness | None = None
    ) -> Slots:
        """The entities of single images (uint8), with the iterations used for the graph."""
        noise = start_noise(generator, frame_BHWC.device)
        read, iterations = self._read(frame_BHWC), self.config.inference_iterations
        start_BKS = self._start(read, n_slots, noise)
        seen = self.slots(read.prepared, start_BKS, iterations)
        if "presence" in self.in_use and self.config.slot_price > 0:
            seen = keep_needed(self.slots, self.decoder, read, seen, self.config)
        return self._describe(seen.slot, seen.share)

    @torch.no_grad()
    def follow(
        self,
        frame_BTHWC: Tensor,
        action_BTA: Tensor,
        n_slots: int,
        generator: Randomness | None = None,
    ) -> Slots:
        """The entities of clips (B, T, K, ...), slot k the same entity in every frame."""
        batch, frames = frame_BTHWC.shape[:2]
        noise = start_noise(generator, frame_BTHWC.device)
        read = self._read(frame_BTHWC.flatten(0, 1))
        prepared_BTPI = read.prepared.view(batch, frames, *read.prepared.shape[1:])
        first = read.rows(slice(None, None, frames))
        filtered = run_filter(
            self.slots,
            self.dynamics,
            prepared_BTPI,
            action_BTA,
            self._start(first, n_slots, noise),
            self.config.inference_iterations,
        )
        return self._describe(filtered.corrected, filtered.share)

    def _read(self, frame_BHWC: Tensor) -> Read:
        token_BN = self.dvae.encode(frame_BHWC)
        embedded_BND = self.embedding(token_BN)
        return Read(self._prepare(frame_BHWC, embedded_BND), embedded_BND, token_BN)

    def _start(self, first: Read, n_slots: int, noise: Noise | PictureNoise) -> Tensor:
        """Slots before any look: one draw, as in the paper, or the best of several."""
        starts = self.config.attempts if "starts" in self.in_use else 1
        drawn_ABKS = [self._draw(first.prepared, n_slots, noise) for _ in range(starts)]
        return best_start(self.slots, self.decoder, first, drawn_ABKS, self.config)

    def _draw(self, prepared_BPI: Tensor, n_slots: int, noise: Noise | PictureNoise) -> Tensor:
        """One draw of slots, by the way that the settings name."""
        batch, config = len(prepared_BPI), self.config
        if config.initial == "gaussian":
            return self.slots.start(batch, n_slots, noise)
        crowd_BKS = self.slots.start(batch, CROWD * n_slots, noise)
        with torch.set_grad_enabled(torch.is_grad_enabled() and config.gradient == "unrolled"):
            slot_BKS = self.slots.thin(prepared_BPI, crowd_BKS, n_slots)
        return slot_BKS + 0.0 * crowd_BKS[:, :n_slots]  # a zero gradient rather than none

    @torch.no_grad()
    def predict(self, slots: Slots, action_BA: Tensor) -> Slots:
        """The entities one action later; only states change."""
        state = self.dynamics(slots.state, action_BA)
        return Slots(slots.kind, state, slots.mask, slots.presence, slots.confidence)

    @torch.no_grad()
    def decode(self, slots: Slots) -> Tensor:
        """The picture (B, 3, H, W) in [0, 1] that the slots stand for, token by token."""
        slot_BKS = torch.cat([slots.kind, slots.state], dim=-1)
        return self.dvae.decode(self.decoder.generate(self.embedding, slot_BKS))

    def reconstruct(self, frame_BHWC: Tensor) -> Tensor:
        """The picture (B, 3, H, W) that the tokens alone give back: the best ``decode`` can do."""
        return self.dvae.decode(self.dvae.encode(frame_BHWC))

    def loss(
        self,
        frame_BTHWC: Tensor,
        action_BTA: Tensor,
        step: int,
        generator: torch.Generator | None = None,
    ) -> Loss:
        """The training loss of a batch of clips (frames uint8) at a given step."""
        device = frame_BTHWC.device
        noise = Noise(generator, self.config.dropout if self.training else 0.0, device)
        surplus = frame_BTHWC.shape[1] - self.config.clip_length
        if surplus > 0:
            first = int(torch.randint(surplus + 1, (), generator=generator))
            frame_BTHWC = frame_BTHWC[:, first : first + self.config.clip_length]
            action_BTA = action_BTA[:, first : first + self.config.clip_length - 1]
        with torch.autocast(device.type, torch.bfloat16, enabled=self.config.bf16):
            return self._loss(frame_BTHWC, action_BTA, step, noise)

    def _loss(self, frame_BTHWC: Tensor, action_BTA: Tensor, step: int, noise: Noise) -> Loss:
        temperature = self.config.temperature(step)
        batch, frames = frame_BTHWC.shape[:2]
        frame_RHWC = frame_BTHWC.flatten(0, 1)
        coded = self.dvae(frame_RHWC, temperature, noise)
        embedded_RND = self.embedding(coded.token, noise)
        prepared_RPI = self._prepare(frame_RHWC, embedded_RND)
        prepared_BTPI = prepared_RPI.view(batch, frames, *prepared_RPI.shape[1:])
        filtered = run_filter(
            self.slots,
            self.dynamics,
            prepared_BTPI,
            action_BTA,
            self._draw(prepared_BTPI[:, 0], self.config.n_slots, noise),
            self.config.iterations,
            self.config.gradient,
            noise,
        )
        scored = self._explain(filtered, embedded_RND[:, :-1], coded.token, noise)
        gap = filtered.predicted - filtered.corrected[:, 1:]
        consistency = gap.square().sum(dim=-1).mean() if frames > 1 else gap.sum()
        total = coded.error + scored.total
        if self.config.consistency > 0 and step >= self.config.consistency_after:
            total = total + self.config.consistency * consistency
        parts = {"mse": coded.error, "consistency": consistency}
        parts |= self._report(scored, coded.token, filtered.share)
        parts["temperature"] = torch.tensor(temperature)
        return Loss(total, {name: value.detach() for name, value in parts.items()})

    def _prepare(self, frame_RHWC: Tensor, embedded_RND: Tensor | None) -> Tensor:
        """What slot attention reads of pictures, (R, P, I)."""
        if embedded_RND is None or self.config.input == "cnn":
            feature_RPI = self.features(frame_RHWC)
        else:
            feature_RPI = embedded_RND[:, 1:]
        prepared: Tensor = self.slots.prepare(feature_RPI)
        return prepared

    def _explain(
        self, filtered: Filtered, embedded_RND: Tensor, token_RN: Tensor, noise: Noise
    ) -> Scored:
        """Cross-entropy from corrected slots (all frames), then from predicted (frames 2 to T).

        Each kind is averaged over its own frames, and the two with one another.
        """
        batch, frames = filtered.corrected.shape[:2]
        kinds = 2 if frames > 1 else 1
        all_BT = torch.arange(len(token_RN), device=token_RN.device).view(batch, frames)
        picture_M = torch.cat([all_BT.flatten(), all_BT[:, 1:].flatten()])
        sets = [filtered.corrected.flatten(0, 1), filtered.predicted.flatten(0, 1)]
        weights = [s.new_full((len(s),), 1 / max(1, kinds * len(s))) for s in sets]
        feature_MND = self.decoder(embedded_RND, torch.cat(sets), picture_M, noise)
        return self.decoder.score(feature_MND, token_RN[picture_M], torch.cat(weights))

    def _report(self, scored: Scored, token_RN: Tensor, share_BTKP: Tensor) -> dict[str, Tensor]:
        """Figures for the log that cost next to nothing."""
        corrected_R = scored.cross_entropy[: len(token_RN)]
        predicted_R = scored.cross_entropy[len(token_RN) :]
        return {
            "ce_corrected": corrected_R.mean(),
            "ce_predicted": predicted_R.sum() / max(1, len(predicted_R)),
            "token_perplexity": (corrected_R.mean() / self.config.n_tokens).exp(),
            "tokens_used": (token_RN.flatten().bincount() > 0).sum().float(),
            "attention_peak": share_BTKP.amax(dim=2).mean(),  # 1: every cell has one owner
        }

    def _describe(self, slot_BTKS: Tensor, share_BTKP: Tensor) -> Slots:
        """Slots as the record that leaves the room; the axis of frames may be missing."""
        width = self.config.type_width
        mass_BTK = share_BTKP.sum(dim=-1)
        won_BTKP = share_BTKP == share_BTKP.amax(dim=-2, keepdim=True)
        cells_BTK = won_BTKP.sum(dim=-1)
        return Slots(
            kind=slot_BTKS[..., :width],
            state=slot_BTKS[..., width:],
            mask=share_BTKP,
            presence=(mass_BTK > 0) & (mass_BTK >= self.config.presence_mass),
            # How clearly a slot holds the cells it wins; one that wins none is not to be trusted.
            confidence=(share_BTKP * won_BTKP).sum(dim=-1) / cells_BTK.clamp(min=1),
        )

    def parameter_groups(self) -> list[ParameterGroup]:
        """Every trainable parameter, once, with its learning rate."""
        c = self.config
        seeing: list[nn.Module] = [self.slots]
        if c.input == "cnn":
            seeing.append(self.features)
        return [
            ParameterGroup("dvae", list(self.dvae.parameters()), c.dvae_rate, 0),
            ParameterGroup("slots", parameters_of(seeing), c.slots_rate, c.warmup_steps),
            ParameterGroup(
                "dynamics", parameters_of([self.dynamics]), c.dynamics_rate, c.warmup_steps
            ),
            ParameterGroup(
                "decoder",
                parameters_of([self.embedding, self.decoder]),
                c.decoder_rate,
                c.warmup_steps,
            ),
        ]


def parameters_of(modules: list[nn.Module]) -> list[nn.Parameter]:
    """The parameters of several modules, in order."""
    return [parameter for module in modules for parameter in module.parameters()]


MODEL = ModelClasses(DslateConfig, Dslate)
