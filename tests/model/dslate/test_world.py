from typing import Any

import pytest
import torch
from benchmarks.reference_dslate import Draws, ReferenceDslate
from torch import Tensor, nn

from ncs.model.dslate import world as dslate
from ncs.model.dslate.noise import Noise
from ncs.model.dslate.world import Dslate, DslateConfig
from ncs.records import ConfigError

TINY: dict[str, Any] = {
    "image_size": 16,
    "vocabulary": 24,
    "dvae_width": 8,
    "slot_width": 16,
    "type_width": 8,
    "slot_hidden": 16,
    "decoder_layers": 2,
    "decoder_heads": 2,
    "decoder_width": 16,
    "dynamics_layers": 2,
    "dynamics_heads": 2,
    "action_low": (-0.4, -0.4, 0.0, -0.8, -0.8, 0.0),
    "action_high": (0.4, 0.4, 0.0, 0.8, 0.8, 0.0),
}


def make_model(**changes: Any) -> Dslate:
    torch.manual_seed(0)
    return Dslate(DslateConfig(**{**TINY, **changes}))


def make_clips(batch: int = 2, frames: int = 5) -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(0)
    shape = (batch, frames, 16, 16, 3)
    frame = torch.randint(0, 256, shape, dtype=torch.uint8, generator=generator)
    return frame, torch.rand(batch, frames - 1, 6, generator=generator) * 2 - 1


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


class PermutedStart(Noise):
    """Noise whose Gaussian draw of slots comes out in another order."""

    order = (3, 0, 4, 1, 2)

    def normal(self, shape: tuple[int, ...]) -> Tensor:
        return super().normal(shape)[:, list(self.order)]


def test_slots_permute_with_their_initialisation(monkeypatch: pytest.MonkeyPatch) -> None:
    model, (frame, action) = make_model(), make_clips()
    straight = model.follow(frame, action, 5, seeded())
    monkeypatch.setattr("ncs.model.dslate.noise.Noise", PermutedStart)
    permuted = model.follow(frame, action, 5, seeded())
    for name in ("kind", "state", "mask", "presence", "confidence"):
        expected = getattr(straight, name)[:, :, list(PermutedStart.order)]
        torch.testing.assert_close(getattr(permuted, name), expected, rtol=1e-3, atol=1e-4)


def test_a_picture_with_a_stream_of_its_own_does_not_depend_on_its_neighbours() -> None:
    model, (frame, _) = make_model(), make_clips()
    streams = [torch.Generator().manual_seed(seed) for seed in (5, 6)]
    both = model.encode(frame[:2, 0], 5, tuple(streams))
    alone = model.encode(frame[1:2, 0], 5, (torch.Generator().manual_seed(6),))
    torch.testing.assert_close(both.state[1:], alone.state)
    torch.testing.assert_close(both.kind[1:], alone.kind)


def test_permuted_slots_give_permuted_predictions() -> None:
    model, (frame, action) = make_model(), make_clips()
    slots = model.encode(frame[:, 0], 5, seeded())
    order = [3, 0, 4, 1, 2]
    straight = model.predict(slots, action[:, 0])
    permuted = model.predict(slots.map(lambda value: value[:, order]), action[:, 0])
    torch.testing.assert_close(permuted.state, straight.state[:, order], rtol=1e-4, atol=1e-5)


def test_a_prediction_copies_the_type_to_the_bit() -> None:
    model, (frame, action) = make_model(), make_clips()
    slots = model.encode(frame[:, 0], 5, seeded())
    predicted = model.predict(slots, action[:, 0])
    assert torch.equal(predicted.kind, slots.kind)
    assert not torch.allclose(predicted.state, slots.state)


@pytest.mark.parametrize("n_slots", [1, 5, 8])
@pytest.mark.parametrize("source", ["tokens", "cnn"])
def test_attention_sums_to_one_over_any_number_of_slots(n_slots: int, source: str) -> None:
    model, (frame, action) = make_model(input=source), make_clips()
    slots = model.follow(frame, action, n_slots, seeded())
    assert slots.kind.shape == (2, 5, n_slots, 8)
    assert slots.mask.shape == (2, 5, n_slots, 16)
    torch.testing.assert_close(slots.mask.sum(dim=2), torch.ones(2, 5, 16))
    assert slots.presence.all()
    assert (slots.confidence >= 0).all()
    assert (slots.confidence <= 1).all()


def test_a_clip_of_one_frame_is_followed_as_it_is_encoded() -> None:
    model, (frame, action) = make_model(), make_clips()
    followed = model.follow(frame, action, 5, seeded())
    encoded = model.encode(frame[:, 0], 5, seeded())
    torch.testing.assert_close(followed.state[:, 0], encoded.state)


def test_the_loss_is_that_of_the_plain_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    model, (frame, action) = make_model(dropout=0.0), make_clips()
    model.eval()
    gumbel: list[Tensor] = []
    normal: list[Tensor] = []

    class Recorded(Noise):
        def fill_gumbel(self, out: Tensor, scale: float = 1.0) -> None:
            super().fill_gumbel(out, scale)
            gumbel.append(out / scale)

        def normal(self, shape: tuple[int, ...]) -> Tensor:
            normal.append(super().normal(shape))
            return normal[-1]

    monkeypatch.setattr(dslate, "Noise", Recorded)
    loss = model.loss(frame, action, 10_000, seeded())
    loss.total.backward()

    plain = ReferenceDslate(model.config)
    copy_weights(model, plain)
    noise = torch.cat(gumbel).view(10, 4, 4, 24).permute(0, 3, 1, 2)
    draws = Draws(soft=noise, hard=noise, start=normal[0])
    scale = torch.tensor([2.5, 2.5, 0, 1.25, 1.25, 0])
    video = frame.permute(0, 1, 4, 2, 3).float() / 255
    parts = plain(video, action * scale, model.config.temperature(10_000), draws)
    parts["total"].backward()

    torch.testing.assert_close(loss.total, parts["total"], rtol=1e-5, atol=1e-4)
    for name in ("mse", "ce_corrected", "ce_predicted"):
        torch.testing.assert_close(loss.parts[name], parts[name], rtol=1e-5, atol=1e-4)
    for ours, theirs in (
        (model.dvae.head.weight, plain.dvae.encoder[7].weight),
        (model.embedding.table.weight, plain.dictionary.weight),
        (model.slots.mean_S, plain.slot_attention.mean),
        (model.dynamics.action[0].weight, plain.action[0].weight),
        (model.decoder.head.weight, plain.head.weight),
        (model.decoder.blocks[0].feed.widen.weight, plain.decoder.blocks[0].feed[0].weight),
        (
            model.decoder.blocks[1].memory_attention.query.weight,
            plain.decoder.blocks[1].cross_attention.query.weight,
        ),
    ):
        torch.testing.assert_close(
            ours.grad,
            theirs.grad.view_as(ours),
            rtol=1e-3,
            atol=1e-4 * float(ours.grad.abs().max()),
        )


@torch.no_grad()
def copy_weights(model: Dslate, plain: Any) -> None:
    """Gives the reference the model's weights, part by part."""
    width = model.config.dvae_width
    first, *rest = model.dvae.encoder
    patch_weight = first.weight.view(width, 4, 4, 3).permute(0, 3, 1, 2)
    copy_layer(first, plain.dvae.encoder[0], patch_weight)
    for ours, theirs in zip(rest, plain.dvae.encoder[1:7], strict=True):
        copy_layer(ours, theirs, ours.weight)
    plain.dvae.encoder[7].weight.copy_(model.dvae.head.weight[:, :, None, None])
    plain.dvae.encoder[7].bias.copy_(model.dvae.head.bias)
    layers = [model.dvae.entry, *model.dvae.stages[0], *model.dvae.stages[1]]
    blocks = [b for b in plain.dvae.decoder if not isinstance(b, nn.PixelShuffle)]
    for ours, theirs in zip(layers, blocks[:-1], strict=True):
        copy_layer(ours, theirs, ours.weight)
        if len(ours.bias) == 4 * width:  # ours keeps a pixel's channels together
            order = torch.arange(4 * width).view(2, 2, width).permute(2, 0, 1).flatten()
            theirs.conv.weight.copy_(ours.weight[order])
            theirs.norm.weight.copy_(ours.gain[order])
            theirs.norm.bias.copy_(ours.bias[order])
    blocks[-1].weight.copy_(model.dvae.exit.weight[:, :, None, None])
    blocks[-1].bias.copy_(model.dvae.exit.bias)

    plain.dictionary.weight.copy_(model.embedding.table.weight)
    plain.position.copy_(model.embedding.position_ND[None])
    prepare = model.slots.prepare
    attention = plain.slot_attention
    for ours, theirs in (
        (prepare[0], plain.norm),
        (prepare[1], plain.mlp[0]),
        (prepare[3], plain.mlp[2]),
        (prepare[4], attention.input_norm),
        (model.slots.slot_norm, attention.slot_norm),
        (model.slots.query, attention.query),
        (model.slots.key, attention.key),
        (model.slots.value, attention.value),
        (model.slots.gate, attention.gru),
        (model.slots.residual[0], attention.mlp_norm),
        (model.slots.residual[1], attention.mlp[0]),
        (model.slots.residual[3], attention.mlp[2]),
        (model.decoder.slot, plain.slot_projection),
        (model.decoder.norm, plain.decoder.norm),
        (model.decoder.head, plain.head),
        (model.dynamics.norm, plain.dynamics.norm),
        (model.dynamics.action, plain.action),
    ):
        theirs.load_state_dict(ours.state_dict())
    attention.mean.copy_(model.slots.mean_S)
    attention.log_deviation.copy_(model.slots.log_deviation_S)
    copy_blocks(model.decoder.blocks, plain.decoder.blocks)
    copy_blocks(model.dynamics.blocks, plain.dynamics.blocks)


def copy_layer(ours: Any, theirs: Any, weight: Tensor) -> None:
    theirs.conv.weight.copy_(weight)
    theirs.norm.weight.copy_(ours.gain)
    theirs.norm.bias.copy_(ours.bias)


def copy_blocks(ours_all: Any, theirs_all: Any) -> None:
    for ours, theirs in zip(ours_all, theirs_all, strict=True):
        for part, weight in zip(
            ("query", "key", "value"), ours.self_attention.mix.weight.chunk(3), strict=True
        ):
            getattr(theirs.self_attention, part).weight.copy_(weight)
        theirs.self_attention.out.load_state_dict(ours.self_attention.out.state_dict())
        theirs.cross_attention.load_state_dict(ours.memory_attention.state_dict())
        theirs.feed[0].load_state_dict(ours.feed.widen.state_dict())
        theirs.feed[2].load_state_dict(ours.feed.narrow.state_dict())
        for left, right in (
            (ours.self_norm, theirs.norm1),
            (ours.memory_norm, theirs.norm2),
            (ours.feed_norm, theirs.norm3),
        ):
            right.load_state_dict(left.state_dict())


OPTIONS: list[dict[str, Any]] = [
    {},
    {"gradient": "implicit"},
    {"gradient": "implicit", "initial": "thinned"},
    {"initial": "thinned"},
    {"input": "cnn", "input_patch": 8},
    {"patch": 8},
    {"clip_length": 2},
    {"dvae_norm": False, "dvae_upsampling": "once", "dvae_palette": True},
    {"dynamics_residual": True, "consistency": 1.0},
    {"bf16": True},
]


@pytest.mark.parametrize("changes", OPTIONS, ids=lambda changes: ",".join(changes) or "plain")
def test_every_weight_gets_a_finite_gradient(changes: dict[str, Any]) -> None:
    model = make_model(**changes)
    loss = model.loss(*make_clips(), 0, seeded())
    loss.total.backward()
    for name, weight in model.named_parameters():
        assert weight.grad is not None, name
        assert weight.grad.isfinite().all(), name
    assert {"mse", "ce_corrected", "ce_predicted", "consistency", "temperature"} <= set(loss.parts)
    assert all(not part.requires_grad for part in loss.parts.values())


def test_the_generator_alone_decides_the_loss() -> None:
    model, clips = make_model(), make_clips()
    torch.manual_seed(1)
    first = model.loss(*clips, 0, seeded(5)).total
    torch.manual_seed(2)
    again = model.loss(*clips, 0, seeded(5)).total
    other = model.loss(*clips, 0, seeded(6)).total
    assert torch.equal(first, again)
    assert not torch.equal(first, other)


def test_a_few_steps_lower_the_loss() -> None:
    model, clips = make_model(dropout=0.0), make_clips()
    optimiser = torch.optim.Adam(model.parameters(), lr=3e-3)
    generator = seeded()
    totals = []
    for _ in range(30):
        loss = model.loss(*clips, 0, generator)
        optimiser.zero_grad()
        loss.total.backward()
        optimiser.step()
        totals.append(loss.total.item())
    assert totals[-1] < 0.5 * totals[0]


def test_pictures_come_out_in_range_and_shape() -> None:
    model, (frame, _) = make_model(), make_clips()
    for picture in (
        model.decode(model.encode(frame[:, 0], 4, seeded())),
        model.reconstruct(frame[:, 0]),
    ):
        assert picture.shape == (2, 3, 16, 16)
        assert picture.min() >= 0
        assert picture.max() <= 1


def test_every_weight_is_in_one_group_with_the_papers_rates() -> None:
    model = make_model()
    groups = {group.name: group for group in model.parameter_groups()}
    listed = [id(weight) for group in groups.values() for weight in group.parameters]
    assert len(listed) == len(set(listed)) == len(list(model.parameters()))
    assert (groups["dvae"].peak_rate, groups["dvae"].warmup_steps) == (3e-4, 0)
    for name in ("slots", "dynamics", "decoder"):
        assert (groups[name].peak_rate, groups[name].warmup_steps) == (2e-4, 30_000)


def test_consistency_counts_from_its_step_on() -> None:
    plain, pulled = make_model(), make_model(consistency=1.0, consistency_after=7)
    frame, action = make_clips()
    for step, gains in ((6, False), (7, True)):
        alone = plain.loss(frame, action, step, seeded())
        both = pulled.loss(frame, action, step, seeded())
        pull = alone.parts["consistency"] if gains else torch.tensor(0.0)
        torch.testing.assert_close(both.total, alone.total + pull)


def test_the_paper_preset_has_the_papers_numbers() -> None:
    config = DslateConfig.paper()
    assert (config.vocabulary, config.n_tokens, config.n_slots) == (4096, 256, 5)
    assert (config.slot_width, config.type_width, config.state_width) == (192, 96, 96)
    assert [config.temperature(step) for step in (0, 15_000, 30_000, 10**6)] == pytest.approx(
        [1.0, 0.55, 0.1, 0.1]
    )
    counts = {
        name: sum(weight.numel() for weight in part.parameters())
        for name, part in Dslate(config).parts()
    }
    assert set(counts) == {"dvae", "embedding", "slots", "dynamics", "decoder"}
    assert sum(counts.values()) == pytest.approx(5.8e6, rel=0.01)


def test_the_cpu_preset_differs_in_numbers_only() -> None:
    paper, cpu = Dslate(DslateConfig.paper()), Dslate(DslateConfig.cpu())
    assert [name for name, _ in cpu.parts()] == [name for name, _ in paper.parts()]
    assert sum(weight.numel() for weight in cpu.parameters()) < 0.5e6


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"vocabulary": 1}, "vocabulary"),
        ({"type_width": 16}, "type_width"),
        ({"decoder_heads": 3}, "heads"),
        ({"image_size": 18}, "image_size"),
        ({"slots": 5}, "no such setting"),
        ({"dvae_words": True}, "dvae_palette"),
    ],
)
def test_a_config_that_cannot_be_built_is_refused(changes: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ConfigError, match=complaint):
        DslateConfig(**{**TINY, **changes})


def test_words_come_from_the_clips_where_asked() -> None:
    frame = make_clips(batch=4, frames=3)[0] // 128 * 255  # patches far apart
    plain, worded = make_model(dvae_palette=True), make_model(dvae_palette=True, dvae_words=True)
    before = plain.embedding.table.weight.clone()
    for model in (plain, worded):
        model.prepare(frame, torch.empty(0))
    assert torch.equal(plain.embedding.table.weight, before)
    used = [len(model.dvae.encode(frame.flatten(0, 1)).unique()) for model in (plain, worded)]
    assert used[0] < used[1] == TINY["vocabulary"]


def test_words_from_the_buffer_do_not_go_with_weights_to_begin_with() -> None:
    DslateConfig(**TINY).check_start()
    with pytest.raises(ConfigError, match="dvae_words: takes words"):
        DslateConfig(**TINY, dvae_palette=True, dvae_words=True).check_start()


def test_slots_may_begin_as_a_crowd_that_is_thinned_out() -> None:
    frame, action = make_clips()
    plain, thinned = make_model(), make_model(initial="thinned")
    prepared = thinned._prepare(frame[:, 0], thinned.embedding(thinned.dvae.encode(frame[:, 0])))
    crowd = thinned.slots.start(2, 10, Noise(seeded()))
    start = thinned.slots.thin(prepared, crowd, 5)
    seen = thinned.encode(frame[:, 0], 5, seeded())
    assert torch.equal(
        torch.cat([seen.kind, seen.state], dim=-1), thinned.slots(prepared, start, 7).slot
    )
    assert not torch.equal(seen.kind, plain.encode(frame[:, 0], 5, seeded()).kind)
    assert thinned.follow(frame, action, 5, seeded()).kind.shape == (2, 5, 5, 8)
    assert DslateConfig.paper().initial == "gaussian"


def test_a_slot_that_claims_too_little_is_absent_if_asked() -> None:
    model, (frame, _) = make_model(presence_mass=1e9), make_clips()
    assert not model.encode(frame[:, 0], 5, seeded()).presence.any()


def explained(model: Dslate, frame_BHWC: Tensor, slot_BKS: Tensor) -> Tensor:
    """Cross-entropy (B,) of each picture's tokens given its slots."""
    token_BN = model.dvae.encode(frame_BHWC)
    picture_B = torch.arange(len(token_BN))
    feature_BND = model.decoder(model.embedding(token_BN)[:, :-1], slot_BKS, picture_B)
    return model.decoder.score(feature_BND, token_BN, torch.ones(len(token_BN))).cross_entropy


@torch.no_grad()
def test_of_several_attempts_the_best_explained_one_is_kept_for_each_clip() -> None:
    model = make_model(attempts=4).eval()
    frame_BHWC = make_clips(batch=6, frames=2)[0][:, 0]
    embedded_BND = model.embedding(model.dvae.encode(frame_BHWC))
    prepared_BPI = model.slots.prepare(embedded_BND[:, 1:])
    noise = Noise(seeded(), device=frame_BHWC.device)
    starts = [model.slots.start(6, 5, noise) for _ in range(4)]
    slot_ABKS = torch.stack([model.slots(prepared_BPI, start, 7).slot for start in starts])
    error_AB = torch.stack([explained(model, frame_BHWC, slot_BKS) for slot_BKS in slot_ABKS])
    kept = model.encode(frame_BHWC, 5, seeded())
    best_B = error_AB.argmin(dim=0)
    assert torch.equal(
        torch.cat([kept.kind, kept.state], dim=-1), slot_ABKS[best_B, torch.arange(6)]
    )
    assert len(best_B.unique()) > 1  # or nothing was chosen


def test_slots_that_a_picture_does_not_need_are_absent_and_own_no_cell() -> None:
    frame = make_clips()[0][:, 0]
    dear = make_model(slot_price=1e6).encode(frame, 5, seeded())
    assert dear.presence.sum(dim=1).tolist() == [2] * len(frame)  # two is the fewest
    assert not dear.mask[~dear.presence].any()
    assert not dear.kind[~dear.presence].any()
    total = dear.mask.sum(dim=1)
    assert torch.allclose(total, torch.ones_like(total), atol=1e-5)


def test_slots_that_are_missed_for_more_than_their_price_stay_as_they_were() -> None:
    frame = make_clips()[0][:, 0]
    cheap = make_model(slot_price=1e-9).seeing(["presence"])
    cheap.config = cheap.config.model_copy(update={"slot_price": -1e6})  # every slot is missed
    kept = cheap.encode(frame, 5, seeded())
    plain = make_model().encode(frame, 5, seeded())
    assert kept.presence.all()
    assert torch.equal(kept.kind, plain.kind)


def test_without_its_additions_a_model_infers_slots_as_the_paper_does() -> None:
    frame, action = make_clips()
    rich, poor = make_model(attempts=4, slot_price=1e6), make_model()
    for seen, expected in (
        (
            rich.seeing([]).encode(frame[:, 0], 5, seeded()),
            poor.encode(frame[:, 0], 5, seeded()),
        ),
        (
            rich.seeing([]).follow(frame, action, 5, seeded()),
            poor.follow(frame, action, 5, seeded()),
        ),
    ):
        assert torch.equal(seen.kind, expected.kind)
        assert torch.equal(seen.mask, expected.mask)
        assert seen.presence.all()
    assert not rich.encode(frame[:, 0], 5, seeded()).presence.all()  # and it is itself unchanged


def test_each_addition_can_be_had_alone() -> None:
    frame = make_clips()[0][:, 0]
    model = make_model(attempts=4, slot_price=1e6)
    assert model.seeing(["starts"]).encode(frame, 5, seeded()).presence.all()
    alone = model.seeing(["presence", "of another model"]).encode(frame, 5, seeded())
    assert alone.presence.sum(dim=1).tolist() == [2] * len(frame)
