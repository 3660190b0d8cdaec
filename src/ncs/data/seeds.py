"""Random streams that never meet: one for each purpose, split by any whole numbers."""

import numpy as np

from ncs.storage import digest_json

PURPOSES = ("train", "dev", "test", "fresh", "policy")


def stream(purpose: str, *key: int) -> np.random.Generator:
    """The random stream of one purpose and key; other purposes or keys give unrelated ones."""
    if purpose not in PURPOSES:
        raise ValueError(f"{purpose!r} is not one of {PURPOSES}")
    # Hashed, because NumPy pads keys with zeros: to it (1,) and (1, 0) would be the same.
    return np.random.default_rng(int(digest_json([purpose, *key]), 16))
