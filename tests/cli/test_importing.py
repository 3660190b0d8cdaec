"""Bad input of every kind: one line with the file and the way out, and nothing half imported."""

import os
import struct
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from tests.data.importing.clips import HEADER, draw_clips, write_folder

from ncs.cli.main import main
from ncs.data.importing import folder as folder_module

Spoil = Callable[[Path], Path]


def folder(home: Path) -> Path:
    """Twelve good clips."""
    return write_folder(home / "clips", *draw_clips(12))


def every_clip(home: Path) -> list[Path]:
    return sorted(folder(home).iterdir())


def mixed_sizes(home: Path) -> Path:
    for clip in every_clip(home):
        Image.new("RGB", (50, 40)).save(clip / "001.png")
    return home / "clips"


def no_actions(home: Path) -> Path:
    for clip in every_clip(home):
        (clip / "actions.csv").unlink()
    return home / "clips"


def too_few_actions(home: Path) -> Path:
    for clip in every_clip(home):
        (clip / "actions.csv").write_text(f"{HEADER}\n1,2,3,4\n")
    return home / "clips"


def not_a_number(home: Path) -> Path:
    for clip in every_clip(home):
        (clip / "actions.csv").write_text(f"{HEADER}\n1,2,nan,4\n1,2,3,4\n")
    return home / "clips"


def unknown_unit(home: Path) -> Path:
    for clip in every_clip(home):
        text = (clip / "actions.csv").read_text().replace("_cm", "_furlong")
        (clip / "actions.csv").write_text(text)
    return home / "clips"


def units_by_turns(home: Path) -> Path:
    """Every other line in inches, whatever the header says."""
    for clip in every_clip(home):
        head, *rows = (clip / "actions.csv").read_text().split()
        numbers = [[float(value) for value in row.split(",")] for row in rows]
        numbers[0] = [value / 2.54 for value in numbers[0]]
        lines = [",".join(map(str, row)) for row in numbers]
        (clip / "actions.csv").write_text("\n".join([head, *lines]))
    return home / "clips"


def not_pictures(home: Path) -> Path:
    for clip in every_clip(home):
        (clip / "001.png").write_bytes(b"GIF89a no picture")
    return home / "clips"


def link_to_a_picture(home: Path) -> Path:
    Image.new("RGB", (48, 36)).save(home / "secret.png")
    for clip in every_clip(home):
        (clip / "001.png").unlink()
        (clip / "001.png").symlink_to(home / "secret.png")
    return home / "clips"


def link_to_a_table(home: Path) -> Path:
    (home / "secret.csv").write_text(f"{HEADER}\n1,2,3,4\n1,2,3,4\n")
    for clip in every_clip(home):
        (clip / "actions.csv").unlink()
        (clip / "actions.csv").symlink_to(home / "secret.csv")
    return home / "clips"


def link_to_a_clip(home: Path) -> Path:
    write_folder(home / "elsewhere", *draw_clips(1))
    (home / "clips").mkdir()
    (home / "clips" / "clip-0000").symlink_to(home / "elsewhere" / "clip-0000")
    return home / "clips"


def pipe_for_a_table(home: Path) -> Path:
    for clip in every_clip(home):
        (clip / "actions.csv").unlink()
        os.mkfifo(clip / "actions.csv")
    return home / "clips"


def picture_bomb(home: Path) -> Path:
    """Pictures of a few bytes that say they are of 60 000 x 60 000 pixels."""
    head = struct.pack(">IIBBBBB", 60_000, 60_000, 8, 2, 0, 0, 0)
    body = [(b"IHDR", head), (b"IDAT", zlib.compress(bytes(1000))), (b"IEND", b"")]
    parts = [
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in body
    ]
    for clip in every_clip(home):
        (clip / "001.png").write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(parts))
    return home / "clips"


def zip_bomb(home: Path) -> Path:
    path = home / "bomb.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("frame", "action"):
            with archive.open(f"{name}.npy", "w", force_zip64=True) as file:
                for _ in range(64):
                    file.write(bytes(1 << 20))
    return path


def no_array_of_actions(home: Path) -> Path:
    np.savez(home / "clips.npz", frame=draw_clips(2)[0])
    return home / "clips.npz"


def nothing_there(home: Path) -> Path:
    return home / "clips"


@pytest.mark.parametrize(
    ("spoil", "file", "way_out"),
    [
        (mixed_sizes, "001.png", "is 50 x 40 pixels, the first picture 48 x 36"),
        (no_actions, "clip-0000", "each clip is a folder with pictures and one"),
        (too_few_actions, "clip-0000", "3 frames need actions (2, 6), got (1, 6)"),
        (not_a_number, "clip-0000", "an action is not a finite number"),
        (unknown_unit, "actions.csv", "each with a unit such as pick_x_cm"),
        (units_by_turns, "clips", "check the columns, their order and the unit"),
        (not_pictures, "001.png", "save it anew"),
        (link_to_a_picture, "001.png", "copy there what it leads to"),
        (link_to_a_table, "actions.csv", "is a link out of"),
        (link_to_a_clip, "actions.csv", "is a link out of"),
        (pipe_for_a_table, "actions.csv", "is no regular file"),
        (picture_bomb, "001.png", "more than 16 million pixels; make it smaller"),
        (zip_bomb, "bomb.npz", "that is no array of pictures"),
        (no_array_of_actions, "clips.npz", "it needs frame and action"),
        (nothing_there, "clips", "there is no such file or folder"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_bad_input_is_one_line_and_leaves_nothing(
    spoil: Spoil, file: str, way_out: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = spoil(tmp_path)
    before = sorted(path.name for path in tmp_path.iterdir())
    assert main(["import", str(source), "--out", str(tmp_path / "buffer")]) == 2
    told = capsys.readouterr()
    assert (told.out, told.err.count("\n")) == ("", 1)
    assert told.err.startswith("ncs import: ")
    assert file in told.err
    assert way_out in told.err
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_a_million_files_are_refused_before_any_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    source = folder(tmp_path)
    monkeypatch.setattr(folder_module, "MOST_CLIPS", 11)
    assert main(["import", str(source), "--out", str(tmp_path / "buffer")]) == 2
    assert capsys.readouterr().err == (
        f"ncs import: {source}: holds more than 11 files; split it up\n"
    )
    assert not (tmp_path / "buffer").exists()


def test_one_bad_clip_is_left_out_by_name_and_the_rest_is_taken(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = folder(tmp_path)
    (source / "clip-0003" / "001.png").write_bytes(b"GIF89a no picture")
    assert main(["import", str(source), "--out", str(tmp_path / "buffer")]) == 0
    told = capsys.readouterr().out
    assert "11 clips of 3 pictures" in told
    assert "left out clip-0003: " in told
