"""PyBullet without its greeting, and where bodies are put that nobody should see."""

import contextlib
import os
from collections.abc import Iterator

HIDDEN = (0.0, 0.0, -5.0)
UPRIGHT = (0.0, 0.0, 0.0, 1.0)


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Keeps PyBullet's greeting, which it prints from C on import, off the user's screen."""
    saved = os.dup(2)
    with open(os.devnull, "wb") as sink:
        os.dup2(sink.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(saved, 2)
            os.close(saved)


with quiet():
    import pybullet

__all__ = ["HIDDEN", "UPRIGHT", "pybullet"]
