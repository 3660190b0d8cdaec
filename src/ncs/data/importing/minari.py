"""A Minari dataset on this disk: its episodes as clips."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ncs.data.importing.clip import MOST_CLIPS, LeftOut, RawClip, Source, check_clip
from ncs.records import ConfigError, DataError
from ncs.storage import brief


def open_minari(folder: Path, picture: str = "image") -> Source:
    """The episodes of a Minari dataset's folder.

    Args:
        folder: The dataset itself, such as ``.../ncs/blocks-v0``.
        picture: Which entry of dictionary observations is the picture.
    """
    try:
        import minari
    except ModuleNotFoundError as error:
        raise ConfigError(
            f"reading it needs the package {error.name}: pip install 'ncs[interop]'"
        ) from None
    try:
        dataset = minari.MinariDataset(folder / "data")
        total = int(dataset.total_episodes)
    except Exception as error:  # whatever a foreign file makes a foreign reader raise
        raise DataError(f"{folder}: is not a Minari dataset ({brief(error)})") from None
    if total > MOST_CLIPS:
        raise DataError(f"{folder}: holds {total} episodes, at most {MOST_CLIPS} are read")
    return Source("minari", _clips(folder, dataset, picture), total)


def _clips(folder: Path, dataset: Any, picture: str) -> Iterator[RawClip | LeftOut]:
    for episode in _episodes(folder, dataset):
        name = f"episode {episode.id}"
        frame = episode.observations
        if isinstance(frame, dict):
            if picture not in frame:
                yield LeftOut(name, f"has no observation {picture!r}, only {', '.join(frame)}")
                continue
            frame = frame[picture]
        yield check_clip(name, np.asarray(frame), np.asarray(episode.actions))


def _episodes(folder: Path, dataset: Any) -> Iterator[Any]:
    try:
        yield from dataset.iterate_episodes()
    except Exception as error:  # whatever a foreign file makes a foreign reader raise
        raise DataError(f"{folder}: is damaged ({brief(error)})") from None
