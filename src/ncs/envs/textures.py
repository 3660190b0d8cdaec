"""A bank of procedural textures for floors and tables: wood, stone, cloth and other surfaces.

The first are for training and testing, the last, of families of their own, for what was never
seen. All are tiles that repeat without a seam, in muted colours, as surfaces mostly are.

Legend: S pixels a side, 3 colours.
"""

import functools
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

SIDE = 128
VARIANTS = 8  # of each family

Grey = NDArray[np.float64]  # (S, S)
Colours = NDArray[np.float64]  # (S, S, 3) in [0, 1]
Rng = np.random.Generator


def clouds(rng: Rng, power: float = 1.6, across: float = 1.0, down: float = 1.0) -> Grey:
    """Noise with large and small patches in [0, 1], stretched by a factor along each axis."""
    frequency = np.fft.fftfreq(SIDE) * SIDE
    radius = np.hypot(frequency[None] * across, frequency[:, None] * down)
    radius[0, 0] = np.inf
    spectrum = np.fft.fft2(rng.standard_normal((SIDE, SIDE))) / radius**power
    noise = np.real(np.fft.ifft2(spectrum))
    low, high = np.quantile(noise, [0.02, 0.98])
    return np.asarray(np.clip((noise - low) / (high - low), 0, 1))


def blend(share: Grey, dark: NDArray[np.float64], light: NDArray[np.float64]) -> Colours:
    """A mixture of two colours."""
    return dark + share[..., None] * (light - dark)


def muted(rng: Rng, low: float, high: float, spread: float = 0.08) -> NDArray[np.float64]:
    """A colour near grey."""
    return np.clip(rng.uniform(low, high) + rng.uniform(-spread, spread, 3), 0, 1)


def brown(rng: Rng) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The dark and the light of a wood."""
    light = rng.uniform(0.55, 0.9) * np.array([1.0, rng.uniform(0.7, 0.82), rng.uniform(0.45, 0.6)])
    return light * rng.uniform(0.55, 0.75), light


def wood(rng: Rng) -> Colours:
    """Grain along one way."""
    rings = clouds(rng, 1.8, across=6.0)
    fibre = clouds(rng, 1.0, across=8.0, down=0.5)
    grain = 0.5 + 0.5 * np.sin(rings * rng.uniform(12, 30))
    return blend(0.6 * grain + 0.4 * fibre, *brown(rng))


def planks(rng: Rng) -> Colours:
    """Boards of wood side by side."""
    board = np.arange(SIDE) * int(rng.integers(4, 9)) // SIDE
    tone = rng.uniform(0.75, 1.0, SIDE)[board]
    tone[np.flatnonzero(np.diff(board, prepend=-1))] = 0.45
    return wood(rng) * tone[:, None, None]


def marble(rng: Rng) -> Colours:
    """Veins in pale or dark stone."""
    vein = np.abs(2 * clouds(rng, 1.7) - 1) ** rng.uniform(0.4, 0.8)
    stone = muted(rng, 0.6, 0.9, 0.05)
    return blend(vein, stone * rng.uniform(0.45, 0.65), stone)


def checks(rng: Rng) -> Colours:
    """Squares of two colours."""
    n_squares = int(rng.choice([4, 8, 16]))
    row, column = np.indices((SIDE, SIDE)) * n_squares // SIDE
    share = ((row + column) % 2) * 0.85 + 0.15 * clouds(rng)
    light = muted(rng, 0.65, 0.9)
    return blend(share, light * rng.uniform(0.6, 0.8), light)


def cloth(rng: Rng) -> Colours:
    """Threads over and under each other, and folds."""
    row, column = np.indices((SIDE, SIDE)) * 2 * np.pi / SIDE
    n_threads = int(rng.integers(12, 25))
    weave = 0.5 + 0.25 * np.sin(row * n_threads) + 0.25 * np.sin(column * n_threads)
    light = muted(rng, 0.45, 0.85, 0.15)
    return blend(0.5 * weave + 0.5 * clouds(rng, 2.0), light * 0.65, light)


def concrete(rng: Rng) -> Colours:
    """Patches and specks."""
    light = muted(rng, 0.5, 0.85, 0.04)
    share = 0.7 * clouds(rng, 1.3) + 0.3 * rng.random((SIDE, SIDE))
    return blend(share, light * rng.uniform(0.6, 0.75), light)


def bricks(rng: Rng) -> Colours:
    """Rows of bricks, every other row shifted by half a brick."""
    n_rows = int(rng.choice([8, 12, 16]))
    down, across = np.indices((SIDE, SIDE)) / SIDE * n_rows
    along = across / 2 + (down.astype(int) % 2) / 2
    joint = (down % 1 < 0.14) | (along % 1 < 0.07)
    tone = rng.random((n_rows, n_rows))[down.astype(int), along.astype(int) % (n_rows // 2)]
    light = muted(rng, 0.45, 0.7, 0.1)
    return np.where(
        joint[..., None], 0.8, blend(0.7 * tone + 0.3 * clouds(rng), light * 0.7, light)
    )


def terrazzo(rng: Rng) -> Colours:
    """Chips of several stones."""
    n_chips = int(rng.integers(40, 120))
    spot = rng.integers(0, SIDE, (n_chips, 2))
    row, column = np.indices((SIDE, SIDE))
    apart = np.abs(np.stack([row, column], -1)[:, :, None] - spot)
    nearest = np.minimum(apart, SIDE - apart).astype(float) ** 2
    chip = nearest.sum(axis=-1).argmin(axis=-1)
    ground = muted(rng, 0.55, 0.8)
    stone = np.clip(ground + rng.uniform(-0.18, 0.14, (n_chips, 1)), 0, 1)
    return np.asarray(stone[chip])


def stripes(rng: Rng) -> Colours:
    """Slanted bands of several widths."""
    row, column = np.indices((SIDE, SIDE))
    place = (row * int(rng.integers(1, 3)) + column * int(rng.integers(1, 3))) % SIDE
    tone = np.repeat(rng.random(16), SIDE // 16)[place]
    light = muted(rng, 0.6, 0.9, 0.1)
    return blend(0.85 * tone + 0.15 * clouds(rng), light * 0.6, light)


def leather(rng: Rng) -> Colours:
    """Wrinkles in dark hide."""
    wrinkle = np.abs(2 * clouds(rng, 1.1) - 1) ** 0.5
    light = muted(rng, 0.35, 0.6, 0.1)
    return blend(wrinkle, light * 0.5, light)


SEEN: tuple[Callable[[Rng], Colours], ...] = (wood, planks, marble, checks, cloth, concrete)
HELD_OUT: tuple[Callable[[Rng], Colours], ...] = (bricks, terrazzo, stripes, leather)
N_SEEN = len(SEEN) * VARIANTS
N_TEXTURES = N_SEEN + len(HELD_OUT) * VARIANTS


@functools.lru_cache(maxsize=N_TEXTURES)
def make_texture(number: int) -> NDArray[np.uint8]:
    """One texture of the bank, (S, S, 3), not to be written to."""
    rng = np.random.default_rng([number, N_TEXTURES])
    colour = (*SEEN, *HELD_OUT)[number // VARIANTS](rng)
    texture: NDArray[np.uint8] = (np.clip(colour, 0, 1) * 255 + 0.5).astype(np.uint8)
    texture.flags.writeable = False
    return texture


def draw_texture(rng: Rng, unseen: bool) -> int:
    """The number of a texture, of the held-out families or of the others."""
    return int(rng.integers(N_SEEN, N_TEXTURES) if unseen else rng.integers(N_SEEN))
