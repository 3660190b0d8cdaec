"""Lossless export of a buffer to Minari, for readers of other libraries."""

import contextlib
import os
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium.spaces import Box

from ncs.data.buffer import Buffer
from ncs.records import ConfigError, DataError

VARIABLE = "MINARI_DATASETS_PATH"


def export_minari(buffer: Buffer, name: str, folder: Path) -> Path:
    """Writes a buffer as a Minari dataset and gives back where it stands.

    Args:
        buffer: what to export.
        name: Minari's dataset id, such as ``ncs/shelf-v0``.
        folder: Minari's root folder of datasets.
    """
    try:
        import minari
        from minari.data_collector import EpisodeBuffer
    except ModuleNotFoundError as error:
        raise ConfigError(
            f"the export needs the package {error.name}: pip install 'ncs[interop]'"
        ) from None
    pictures = buffer.clips(np.array([0])).frame.shape[2:]
    target = folder / name
    if target.exists():
        raise DataError(f"{target}: already exists; choose another --name or remove it")
    episodes = [EpisodeBuffer(**_episode(buffer, number)) for number in range(len(buffer))]
    with _root_at(folder), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it misses authors and links, which nobody gave
        minari.create_dataset_from_buffers(
            name,
            episodes,
            observation_space=Box(0, 255, pictures, np.uint8),
            action_space=Box(-np.inf, np.inf, (6,), np.float32),
            description=f"{buffer.world}, exported from the ncs buffer {buffer.hash}",
            requirements=["ncs"],
            jpeg_encoding=False,  # the default is lossy
        )
    return target


def _episode(buffer: Buffer, number: int) -> dict[str, Any]:
    """One clip as the parts of a Minari episode."""
    clips = buffer.clips(np.array([number]))
    n_steps = clips.action.shape[1]
    return {
        "id": number,
        "observations": list(clips.frame[0]),
        "actions": list(clips.action[0]),
        "rewards": [0.0] * n_steps,  # the buffer has none: goals come later, in hindsight
        "terminations": [False] * n_steps,
        "truncations": [False] * (n_steps - 1) + [True],
    }


@contextlib.contextmanager
def _root_at(folder: Path) -> Iterator[None]:
    """Minari's root folder for a while; it is told by the environment alone."""
    previous = os.environ.get(VARIABLE)
    os.environ[VARIABLE] = str(folder)
    try:
        yield
    finally:
        if previous is None:
            del os.environ[VARIABLE]
        else:
            os.environ[VARIABLE] = previous
