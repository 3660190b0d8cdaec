from pathlib import Path

import numpy as np
import pytest
from tests.data.importing.clips import draw_clips

from ncs.data.buffer import open_buffer
from ncs.data.importing.clip import LeftOut, RawClip, Tally
from ncs.data.write import cut, write_buffer, write_clips
from ncs.records import DataError


def test_arrays_become_a_buffer_and_come_back(tmp_path: Path) -> None:
    frame, action = draw_clips(130)
    buffer = write_buffer(tmp_path / "b", frame, action, unit="cm")
    clips = open_buffer(tmp_path / "b").clips(np.arange(130))
    assert (clips.frame == frame).all()
    assert (clips.action == action).all()
    assert len(buffer) == 130
    ends = np.concatenate([action[..., :3], action[..., :3] + action[..., 3:]], axis=1)
    np.testing.assert_allclose(buffer.manifest["arena"]["low"], ends.min(axis=(0, 1)))
    assert buffer.manifest["unit"] == "cm"


def test_clips_of_several_lengths_keep_every_move(tmp_path: Path) -> None:
    lengths = [5] * 110 + [4, 3, 6]
    drawn = [draw_clips(1, n_frames=length) for length in lengths]
    frames, actions = [f[0] for f, _ in drawn], [a[0] for _, a in drawn]
    buffer = write_buffer(tmp_path / "b", frames, actions)
    clips = buffer.clips(np.arange(len(buffer)))
    assert clips.frame.shape[1] == 3
    kept = {tuple(row) for row in clips.action.reshape(-1, 6).tolist()}
    assert {tuple(row) for action in actions for row in action.tolist()} == kept
    assert not list((tmp_path / "b").glob("*.long"))


@pytest.mark.parametrize("length", [2, 3, 5])
def test_cutting_shows_every_move(length: int) -> None:
    frame, action = draw_clips(1, n_frames=7)
    pieces = cut(RawClip("one", frame[0], action[0]), length)
    assert {len(piece.frame) for piece in pieces} == {length}
    kept = {tuple(row) for piece in pieces for row in piece.action.tolist()}
    assert kept == {tuple(row) for row in action[0].tolist()}


def test_a_bad_clip_leaves_nothing_behind(tmp_path: Path) -> None:
    frame, action = draw_clips(2)
    action[1, 0, 0] = np.nan
    with pytest.raises(DataError, match="clip 1 an action is not a finite number"):
        write_buffer(tmp_path / "b", frame, action)
    assert list(tmp_path.iterdir()) == []


def test_a_reader_that_fails_midway_leaves_nothing_behind(tmp_path: Path) -> None:
    frame, action = draw_clips(1)

    def clips():
        yield RawClip("one", frame[0], action[0])
        raise DataError("two.png: is not a picture")

    with pytest.raises(DataError, match=r"two\.png"):
        write_clips(tmp_path / "b", clips(), {"world": "own"}, Tally())
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_empty_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("mine")
    with pytest.raises(DataError, match="is not empty"):
        write_buffer(tmp_path, *draw_clips(1))
    assert (tmp_path / "precious").read_text() == "mine"


def test_pictures_of_another_size_are_left_out_by_name(tmp_path: Path) -> None:
    frame, action = draw_clips(1)
    other, moves = draw_clips(1, height=40)
    clips = [RawClip("a", frame[0], action[0]), RawClip("b", other[0], moves[0])]
    tally = Tally()
    write_clips(tmp_path / "b", clips, {"world": "own"}, tally)
    assert tally.taken == 1
    assert tally.left_out == [LeftOut("b", "is 48 x 40 pixels, the first clip 48 x 36")]
