"""The export to Minari keeps every pixel."""

from pathlib import Path

import numpy as np
import pytest

from ncs.data.buffer import open_buffer
from ncs.data.exporting.minari import export_minari
from ncs.records import DataError

minari = pytest.importorskip("minari", reason="needs the extra 'interop'")


def test_minari_reads_back_the_same_bytes(
    small_buffer: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    buffer = open_buffer(small_buffer)
    export_minari(buffer, "ncs/small-v0", tmp_path)
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    dataset = minari.load_dataset("ncs/small-v0")
    assert dataset.total_episodes == len(buffer)
    for number in (0, 64, 129):
        episode = dataset[number]
        clips = buffer.clips(np.array([number]))
        np.testing.assert_array_equal(episode.observations, clips.frame[0])
        np.testing.assert_array_equal(episode.actions, clips.action[0])
    with pytest.raises(DataError, match="already exists"):
        export_minari(buffer, "ncs/small-v0", tmp_path)
