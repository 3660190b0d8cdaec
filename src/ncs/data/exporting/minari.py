"""Lossless export of a buffer to Minari, for readers of other libraries."""

import os
import warnings
from pathlib import Path

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
    episodes = []
    for number in range(len(buffer)):
        clips = buffer.clips(np.array([number]))
        n_steps = clips.action.shape[1]
        episodes.append(
            EpisodeBuffer(
                id=number,
                observations=list(clips.frame[0]),
                actions=list(clips.action[0]),
                rewards=[0.0] * n_steps,  # the buffer has none: goals come later, in hindsight
                terminations=[False] * n_steps,
                truncations=[False] * (n_steps - 1) + [True],
            )
        )
    previous = os.environ.get(VARIABLE)
    os.environ[VARIABLE] = str(folder)
    try:
        with warnings.catch_warnings():
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
    finally:
        if previous is None:
            del os.environ[VARIABLE]
        else:
            os.environ[VARIABLE] = previous
    return target
