"""The journal: rows are cut back to a checkpoint and to whole lines."""

import json
from pathlib import Path

from ncs.training.journal import Journal, keep_rows


def rows(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_rows_past_a_checkpoint_are_cut_and_so_is_its_evaluation(tmp_path: Path) -> None:
    path = tmp_path / "metrics.jsonl"
    written = [
        {"step": 0, "holdout": {}},
        {"step": 1, "loss": 2},
        {"step": 2, "loss": 1},
        {"step": 2, "holdout": {}},
        {"step": 3, "loss": 0},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in written))
    keep_rows(path, 2)
    assert rows(path) == written[:3]
    keep_rows(path, 0)
    assert rows(path) == []


def test_a_torn_last_line_is_cut(tmp_path: Path) -> None:
    path = tmp_path / "metrics.jsonl"
    path.write_text('{"step": 1, "loss": 2}\n{"step": 2, "lo')
    keep_rows(path, 9)
    assert rows(path) == [{"step": 1, "loss": 2}]
    path.write_text('{"step": 1, "loss": 2}\n{"step": 2, "loss": 33}'[:-1] + "\0")
    keep_rows(path, 9)
    assert rows(path) == [{"step": 1, "loss": 2}]


def test_metrics_and_timings_go_to_files_of_their_own(tmp_path: Path) -> None:
    journal = Journal(tmp_path, 0)
    journal.metrics(1, {"loss": 0.5, "rate": {"all": 0.1}})
    journal.timing(1, {"frames_per_second": 3.0})
    journal.picture(1, b"png")
    journal.sync()
    journal.close()
    assert rows(tmp_path / "metrics.jsonl") == [{"step": 1, "loss": 0.5, "rate": {"all": 0.1}}]
    assert rows(tmp_path / "timing.jsonl") == [{"step": 1, "frames_per_second": 3.0}]
    assert (tmp_path / "pictures" / "step-00000001.png").read_bytes() == b"png"
    assert journal.has_board
    assert list((tmp_path / "tensorboard").iterdir())


def test_a_picture_half_written_by_a_killed_run_is_swept_away(tmp_path: Path) -> None:
    folder = tmp_path / "pictures"
    folder.mkdir()
    (folder / ".step-00000006.png.abc.tmp").write_bytes(b"half")
    (folder / "step-00000004.png").write_bytes(b"whole")
    Journal(tmp_path, step=4).close()
    assert [path.name for path in folder.iterdir()] == ["step-00000004.png"]
