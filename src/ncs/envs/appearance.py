"""How a scene looks beyond its objects: hard styles, drawn from one number that a task carries.

A task of a hard style holds an array ``look`` (N, 2): its features as bits, and the number that
all of them are drawn from, the same in every row. A task without it looks plain.

Legend: N objects, H height, W width, C colour channels.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ncs.records import ConfigError

# The order is the order of the bits in a task; what is added goes to the end.
FEATURES = ("wood", "light", "noise", "shadow", "tilt", "arm", "clutter", "sizes", "unseen")
UNSEEN = "unseen"  # textures of the held-out families instead of the others
REAL = frozenset(FEATURES) - {UNSEEN}
HARD_STYLES: dict[str, frozenset[str]] = {
    **{name: frozenset([name]) for name in FEATURES if name != UNSEEN},
    "real": REAL,
    "wood-unseen": frozenset(["wood", UNSEEN]),
    "real-unseen": REAL | {UNSEEN},
}
NOISE = 0.02  # standard deviation, of full scale
STYLES_HELP = {  # for the command line, in the order in which it lists them
    "wood": "textures of several kinds on the floor",
    "wood-unseen": "textures of other kinds",
    "light": "direction, strength and tint differ by scene and in the goal",
    "noise": f"of the camera, {NOISE} of full scale",
    "shadow": "cast shadows",
    "tilt": "the camera looks at a slant",
    "arm": "a robot arm in view, in another pose in every picture",
    "clutter": "things around the arena that never move",
    "sizes": "objects differ threefold",
    "real": "all of these at once",
    "real-unseen": "all of these on textures of other kinds",
}

GOAL = 2**31  # the moment of the goal picture; moments of the scene count its steps from 0
SLANTED = np.array([0.45, 0.35, 1.0])  # towards the light where only shadows are asked for
LIGHT_ANGLE = (15.0, 45.0)  # degrees from the vertical
BRIGHTNESS = (0.75, 1.1)  # of an upward face, where 1 is the plain world's
AMBIENT = (0.4, 0.6)  # share of the brightness that comes from everywhere
TINT = 0.25  # by how much of the light a channel may lack


@dataclass(frozen=True)
class Look:
    """What is special about a scene."""

    features: frozenset[str]
    seed: int

    def __contains__(self, feature: str) -> bool:
        """Whether a feature is on."""
        return feature in self.features

    @property
    def is_lively(self) -> bool:
        """Whether two pictures of a scene in which nothing moved differ."""
        return "noise" in self or "arm" in self

    def rng(self, feature: str, moment: int = 0) -> np.random.Generator:
        """The random stream of one feature at one moment."""
        return np.random.default_rng([self.seed, FEATURES.index(feature), moment])


@dataclass(frozen=True)
class Light:
    """A lamp far away and what is reflected from everywhere."""

    towards: NDArray[np.float64]  # (3,) unit vector from the scene to the lamp
    ambient: float
    diffuse: float  # of a face that looks straight at the lamp
    tint: NDArray[np.float64]  # (3,) RGB, the largest is 1


def draw_look(rng: np.random.Generator, style: str, n_objects: int) -> NDArray[np.int64]:
    """The array (N, 2) that makes a task one of a hard style."""
    bits = sum(1 << FEATURES.index(feature) for feature in HARD_STYLES[style])
    return np.tile(np.array([bits, rng.integers(2**62)]), (n_objects, 1))


def read_look(scene: Mapping[str, NDArray[Any]]) -> Look | None:
    """What a task's scene says of its look; None if it is plain."""
    if "look" not in scene:
        return None
    bits, seed = scene["look"][0].tolist()
    features = [name for index, name in enumerate(FEATURES) if bits >> index & 1]
    return Look(frozenset(features), seed)


def check_look(scene: Mapping[str, NDArray[Any]]) -> None:
    """Refuses a task whose look is none that can be shown."""
    look = scene.get("look")
    if look is None:
        return
    if look.dtype != np.int64 or look.shape[1:] != (2,) or (look != look[0]).any():
        raise ConfigError("task: its look must be one pair of whole numbers in every row")
    if not (0 <= look[0, 0] < 1 << len(FEATURES) and look[0, 1] >= 0):
        raise ConfigError("task: its look has features that this version does not know")


def draw_light(look: Look, moment: int) -> Light | None:
    """The light of a scene, or of its goal; None where it is the world's own."""
    if "light" not in look:
        if "shadow" not in look:
            return None
        towards_3 = SLANTED / np.linalg.norm(SLANTED)
        return Light(towards_3, 0.5, 0.5 / float(towards_3[2]), np.ones(3))
    rng = look.rng("light", GOAL if moment == GOAL else 0)
    angle, turn = np.radians(rng.uniform(*LIGHT_ANGLE)), rng.uniform(0, 2 * np.pi)
    flat = np.sin(angle)
    towards_3 = np.array([flat * np.cos(turn), flat * np.sin(turn), np.cos(angle)])
    brightness, ambient = rng.uniform(*BRIGHTNESS), rng.uniform(*AMBIENT)
    tint_3 = rng.uniform(1 - TINT, 1, 3)
    diffuse = brightness * (1 - ambient) / np.cos(angle)
    return Light(towards_3, brightness * ambient, diffuse, tint_3 / tint_3.max())


def add_noise(image_HWC: NDArray[np.uint8], look: Look, moment: int) -> NDArray[np.uint8]:
    """The picture as a noisy camera gives it, the same whenever it is taken again."""
    if "noise" not in look:
        return image_HWC
    noise = look.rng("noise", moment).standard_normal(image_HWC.shape, np.float32)
    return np.clip(image_HWC + noise * (255 * NOISE) + 0.5, 0, 255).astype(np.uint8)
