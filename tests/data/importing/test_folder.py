from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from tests.data.importing.clips import HEADER, draw_clips, write_folder

from ncs.data.importing import folder as module
from ncs.data.importing.clip import LeftOut, RawClip
from ncs.data.importing.folder import open_folder, read_moves
from ncs.records import DataError


def test_pictures_and_moves_come_back_in_metres(tmp_path: Path) -> None:
    frame, action = draw_clips(3)
    source = open_folder(write_folder(tmp_path, frame, action), 512)
    clips = list(source.clips)
    assert (source.kind, source.total, source.unit) == ("folder", 3, "cm")
    for number, clip in enumerate(clips):
        assert isinstance(clip, RawClip)
        assert (clip.frame == frame[number]).all()
        np.testing.assert_allclose(clip.action, action[number], atol=1e-6)


@pytest.mark.parametrize(("ending", "error"), [("png", 0), ("webp", 90), ("jpg", 90)])
def test_every_format_is_read(tmp_path: Path, ending: str, error: int) -> None:
    frame, action = draw_clips(1)
    clip = next(open_folder(write_folder(tmp_path, frame, action, ending), 512).clips)
    assert isinstance(clip, RawClip)
    gap = np.abs(clip.frame.astype(int) - frame[0])
    assert gap.max() <= error
    assert gap.mean() < 5


def test_large_pictures_are_reduced_and_keep_their_shape(tmp_path: Path) -> None:
    frame, action = draw_clips(1, height=120, width=160)
    clip = next(open_folder(write_folder(tmp_path, frame, action), 80).clips)
    assert isinstance(clip, RawClip)
    assert clip.frame.shape[1:] == (60, 80, 3)


def test_a_spoiled_clip_is_left_out_by_name_and_the_rest_is_read(tmp_path: Path) -> None:
    write_folder(tmp_path, *draw_clips(4))
    (tmp_path / "clip-0001" / "001.png").write_bytes(b"GIF89a no picture")
    (tmp_path / "clip-0002" / "actions.csv").write_text(f"{HEADER}\n1,2,nan,4\n1,2,3,4\n")
    (tmp_path / "clip-0003" / "002.png").unlink()
    clips = list(open_folder(tmp_path, 512).clips)
    assert isinstance(clips[0], RawClip)
    reasons = [clip.why for clip in clips if isinstance(clip, LeftOut)]
    assert len(reasons) == 3
    assert "001.png" in reasons[0]
    assert "finite" in reasons[1]
    assert "2 frames need actions (1, 6)" in reasons[2]


def test_mixed_sizes_within_a_clip_name_the_picture(tmp_path: Path) -> None:
    write_folder(tmp_path, *draw_clips(1))
    Image.new("RGB", (50, 40)).save(tmp_path / "clip-0000" / "001.png")
    clip = next(open_folder(tmp_path, 512).clips)
    assert isinstance(clip, LeftOut)
    assert "001.png: is 50 x 40 pixels, the first picture 48 x 36" in clip.why


def test_a_link_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    write_folder(tmp_path / "in", *draw_clips(1))
    Image.new("RGB", (48, 36)).save(tmp_path / "secret.png")
    (tmp_path / "in" / "clip-0000" / "001.png").unlink()
    (tmp_path / "in" / "clip-0000" / "001.png").symlink_to(tmp_path / "secret.png")
    clip = next(open_folder(tmp_path / "in", 512).clips)
    assert isinstance(clip, LeftOut)
    assert "is a link out of" in clip.why


def test_too_many_files_are_refused_before_any_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_folder(tmp_path, *draw_clips(4))
    monkeypatch.setattr(module, "MOST_CLIPS", 3)
    with pytest.raises(DataError, match="more than 3 files"):
        open_folder(tmp_path, 512)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", "is empty"),
        ("pick_x,pick_y,place_x\n1,2,3\n", "has no column place_y"),
        ("pick_x_cm,pick_y_m,place_x_cm,place_y_cm\n1,2,3,4\n", "several units"),
        (f"{HEADER}\n1,2,here,4\n", "line 2 has no number in column 3"),
        (f"{HEADER}\n1,2\n", "line 2 has no number in column 3"),
    ],
)
def test_a_bad_table_is_refused_by_file_and_line(tmp_path: Path, text: str, line: str) -> None:
    (tmp_path / "actions.csv").write_text(text)
    with pytest.raises(DataError, match=line) as caught:
        read_moves(tmp_path / "actions.csv")
    assert "actions.csv" in str(caught.value)


def test_headers_may_be_spelled_in_many_ways(tmp_path: Path) -> None:
    path = tmp_path / "actions.csv"
    path.write_text("time,Place Y [mm],Pick X (mm),pick.y_mm,place-x mm,pick_z_mm\n0,4,1,2,3,5\n")
    moves = read_moves(path)
    assert moves.unit == "mm"
    np.testing.assert_allclose(moves.action[0], [0.001, 0.002, 0.005, 0.002, 0.002, -0.005])


def test_a_folder_without_clips_says_what_a_clip_is(tmp_path: Path) -> None:
    (tmp_path / "pictures").mkdir()
    with pytest.raises(DataError, match=r"holds no actions\.csv"):
        open_folder(tmp_path, 512)
