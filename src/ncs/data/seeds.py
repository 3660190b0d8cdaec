"""Random streams that never meet: one for each purpose, split by any whole numbers."""

import numpy as np

PURPOSES = ("train", "dev", "test", "fresh", "policy")


def stream(purpose: str, *key: int) -> np.random.Generator:
    """The random stream of one purpose and key; other purposes or keys give unrelated ones."""
    return np.random.default_rng([PURPOSES.index(purpose), *key])
