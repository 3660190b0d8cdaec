import math

import torch

from ncs.model.dslate.noise import Noise, add


def make_gumbel(seed: int, count: int = 200_000) -> torch.Tensor:
    out = torch.empty(count)
    Noise(torch.Generator().manual_seed(seed)).fill_gumbel(out)
    return out


def test_the_generator_alone_decides_every_number() -> None:
    assert torch.equal(make_gumbel(3), make_gumbel(3))
    assert not torch.equal(make_gumbel(3), make_gumbel(4))


def test_a_generator_is_drawn_from_once() -> None:
    used, other = torch.Generator().manual_seed(0), torch.Generator().manual_seed(0)
    noise = Noise(used, dropout=0.5)
    noise.fill_gumbel(torch.empty(100))
    noise.drop(torch.ones(100))
    torch.randint(2**62, (), generator=other)
    assert torch.equal(used.get_state(), other.get_state())


def test_gumbel_noise_has_the_mean_and_spread_of_its_law() -> None:
    sample = make_gumbel(0)
    assert abs(sample.mean() - 0.5772) < 0.02
    assert abs(sample.var() - math.pi**2 / 6) < 0.03
    assert sample.isfinite().all()


def test_the_largest_noisy_logit_is_a_sample_of_the_softmax() -> None:
    chance = torch.tensor([0.5, 0.3, 0.15, 0.05])
    draw = make_gumbel(1, 40_000).view(-1, 4) + chance.log()
    seen = draw.argmax(dim=1).bincount(minlength=4) / len(draw)
    assert torch.allclose(seen, chance, atol=0.02)


def test_dropout_keeps_the_mean_and_drops_the_asked_share() -> None:
    dropped = Noise(torch.Generator().manual_seed(0), dropout=0.1).drop(torch.ones(200_000))
    assert abs((dropped == 0).float().mean() - 0.1) < 0.005
    assert abs(dropped.mean() - 1) < 0.005


def test_a_dropped_branch_is_added_as_it_would_be_dropped_alone() -> None:
    stream, branch = torch.randn(2, 50, 7)
    first = Noise(torch.Generator().manual_seed(0), dropout=0.3).add_dropped(stream, branch)
    second = Noise(torch.Generator().manual_seed(0), dropout=0.3).drop(branch)
    assert torch.allclose(first, stream + second, atol=1e-6)


def test_no_noise_and_no_dropout_leave_a_plain_sum() -> None:
    stream, branch = torch.randn(2, 5)
    assert torch.equal(add(stream, branch, None), stream + branch)
    assert torch.equal(add(stream, branch, Noise()), stream + branch)
