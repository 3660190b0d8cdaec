import pytest
import torch
from torch import Tensor
from torch.nn import functional

from ncs.model.dslate.dvae import (
    Dvae,
    Upsampling,
    common_patches,
    from_patches,
    projected,
    spread_colours,
    to_patches,
    to_unit,
)
from ncs.model.dslate.noise import Noise


def make_frames(count: int = 2, size: int = 16) -> Tensor:
    generator = torch.Generator().manual_seed(0)
    shape = (count, size, size, 3)
    return torch.randint(0, 256, shape, dtype=torch.uint8, generator=generator)


@pytest.mark.parametrize("size", [2, 4])
def test_patches_put_together_are_the_picture(size: int) -> None:
    frame = make_frames()
    assert torch.equal(from_patches(to_patches(frame, size), size), frame)


def test_a_patch_holds_the_pixels_of_one_square() -> None:
    picture = torch.arange(16).view(1, 4, 4, 1)
    assert to_patches(picture, 2)[0, 0, 1].tolist() == [2, 3, 6, 7]


@pytest.mark.parametrize("patch", [4, 8])
@pytest.mark.parametrize("norm", [True, False])
@pytest.mark.parametrize("upsampling", ["stepwise", "once"])
def test_there_is_one_token_for_each_patch(patch: int, norm: bool, upsampling: Upsampling) -> None:
    dvae = Dvae(16, patch, 11, 8, norm, upsampling)
    token = dvae.encode(make_frames())
    assert token.shape == (2, (16 // patch) ** 2)
    assert token.min() >= 0
    assert token.max() < 11
    assert dvae.decode(token).shape == (2, 3, 16, 16)


def test_decoding_a_token_is_decoding_its_one_hot_row() -> None:
    torch.manual_seed(0)
    dvae = Dvae(16, 4, vocabulary=11, width=8)
    token = dvae.encode(make_frames())
    one_hot = functional.one_hot(token, 11).float().view(2, 4, 4, 11)
    mixed = functional.linear(one_hot, dvae.entry.weight[:, :, 0, 0])
    picture = from_patches(dvae._draw(mixed), 2).permute(0, 3, 1, 2).clamp(0, 1)
    torch.testing.assert_close(dvae.decode(token), picture)


def test_a_picture_encodes_the_same_alone_and_in_company() -> None:
    torch.manual_seed(0)
    dvae, frame = Dvae(16, 4, vocabulary=11, width=8), make_frames(5)
    assert torch.equal(dvae.encode(frame)[2:3], dvae.encode(frame[2:3]))


@pytest.mark.parametrize("upsampling", ["stepwise", "once"])
def test_training_lowers_the_error_and_tokens_carry_no_gradient(upsampling: Upsampling) -> None:
    torch.manual_seed(0)
    dvae = Dvae(16, 4, vocabulary=16, width=16, upsampling=upsampling)
    frame = make_frames()
    optimiser = torch.optim.Adam(dvae.parameters(), lr=3e-3)
    generator = torch.Generator().manual_seed(0)
    errors = []
    for _ in range(40):
        coded = dvae(frame, 1.0, Noise(generator))
        assert not coded.token.requires_grad
        optimiser.zero_grad()
        coded.error.backward()
        optimiser.step()
        errors.append(coded.error.item())
    assert errors[-1] < 0.3 * errors[0]


def test_a_palette_tells_colours_apart_before_any_training() -> None:
    torch.manual_seed(0)
    dvae = Dvae(16, 8, vocabulary=64, width=8, norm=False, upsampling="once", palette=True)
    colour = spread_colours(64)
    plain = (colour[:, None, None] * 255).round().to(torch.uint8).expand(-1, 16, 16, -1)
    token = dvae.encode(plain)
    assert (token == torch.arange(64)[:, None]).float().mean() > 0.9


def test_colours_are_spread_over_the_whole_cube() -> None:
    colour = spread_colours(64)
    assert colour.min() >= 0
    assert colour.max() <= 1
    nearest = (torch.rand(500, 1, 3) - colour).norm(dim=2).amin(dim=1)
    assert nearest.max() < 0.4


def test_bytes_become_numbers_up_to_one() -> None:
    assert to_unit(torch.tensor([0, 255], dtype=torch.uint8)).tolist() == [0.0, 1.0]


def pictures_of(colours: list[tuple[int, int, int]], size: int = 16, patch: int = 4) -> Tensor:
    """One picture a colour, white but for one patch and half of another."""
    frame = torch.full((len(colours), size, size, 3), 255, dtype=torch.uint8)
    for number, colour in enumerate(colours):
        frame[number, :patch, :patch] = torch.tensor(colour, dtype=torch.uint8)
        frame[number, :patch, patch : patch + patch // 2] = torch.tensor(colour, dtype=torch.uint8)
    return frame


def test_words_tell_whole_patches_from_half_covered_ones() -> None:
    torch.manual_seed(0)
    frame = pictures_of([(255, 0, 0), (0, 0, 255)])
    word = common_patches(frame, 4, count=5)
    assert len(word.unique(dim=0)) == 5  # white, two whole, two half
    dvae = Dvae(16, 4, vocabulary=5, width=8, norm=False, palette=True)
    dvae.take_words(word)
    token = dvae.encode(frame).view(2, 4, 4)
    assert len(token.unique()) == 5
    assert (token[:, 1:] == token[0, 1, 1]).all()  # white is one word everywhere


def test_words_are_the_same_for_the_same_pictures() -> None:
    frame = make_frames(3)
    assert torch.equal(common_patches(frame, 4, 6), common_patches(frame, 4, 6))


def test_alike_words_are_near_in_what_stands_for_them() -> None:
    word = torch.tensor([[0.0, 0.0], [0.1, 0.0], [1.0, 1.0]])
    value = projected(word, 64)
    assert torch.cdist(value, value)[0, 1] < 0.3 * torch.cdist(value, value)[0, 2]
    assert value.std() == pytest.approx(1, abs=1e-5)
