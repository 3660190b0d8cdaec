"""Result files lose nothing, double nothing, and refuse what was changed."""

import errno
import gzip
import json
import os
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest

from ncs.evaluation import results as results_file
from ncs.evaluation.results import (
    append_results,
    decode,
    encode,
    merge_results,
    open_results,
    read_results,
    save_results,
)
from ncs.records import DataError, Result
from ncs.storage import digest_json

ROW = Result(
    method="random", world="block-rearrange", goal="complete", objects=4, seed=0, episode=0,
    split="test", task="abc", config="def", code="0", minimum_moves=4, steps=16,
    unsatisfied=4, final=0.25, best=0.5, seconds=0.1,
)  # fmt: skip
ROWS = [replace(ROW, episode=i) for i in range(5)]


def test_rows_come_back_as_they_went_in(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    append_results(path, ROWS[:2])
    append_results(path, ROWS[2:])
    assert read_results(path) == ROWS


def test_rows_of_older_files_have_the_columns_of_today() -> None:
    row = {**asdict(ROW), "method": "nf"}
    for name in ("label", "settings", "weights", "graph", "sets", "commit", "n_constrained"):
        row.pop(name)
    for checkpoint, parts in (("none", ("", "", "")), ("a+b+c", ("a", "b", "c"))):
        old = {**row, "checkpoint": checkpoint}
        found = decode(json.dumps({**old, "check": digest_json(old)[:12]}), "here")
        assert (found.weights, found.graph, found.sets) == parts
        assert (found.checkpoint, found.label, found.commit) == (checkpoint, "nf", "0")
        assert found.settings == {}


def test_half_a_line_at_the_end_is_cut_off_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    append_results(path, ROWS)
    whole = path.read_bytes()
    for length in range(whole.rfind(b"\n", 0, -1) + 2, len(whole)):
        path.write_bytes(whole[:length])
        assert read_results(path) == ROWS[:4]
        assert open_results(path) == ROWS[:4]
        append_results(path, ROWS[4:])
        assert path.read_bytes() == whole


def test_the_first_line_may_be_torn_too(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text(encode(ROW)[:60])
    assert open_results(path) == []
    assert path.read_bytes() == b""


@pytest.mark.parametrize(
    "content",
    ["precious", "0", "{", '{"method": "x"}', "precious\n", "a\nb", "\n", '{"a": 1}\n{"method": "'],
)
def test_a_foreign_file_is_refused_and_left_as_it_is(content: str, tmp_path: Path) -> None:
    path = tmp_path / "notes"
    path.write_text(content)
    with pytest.raises(DataError, match="notes"):
        open_results(path)
    assert path.read_text() == content


def test_what_follows_our_rows_is_cut_off_only_if_it_is_ours(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    content = encode(ROW) + "\nprecious"
    path.write_text(content)
    with pytest.raises(DataError, match="is not a results file"):
        open_results(path)
    assert path.read_text() == content


def test_a_changed_line_is_refused_with_its_number(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    append_results(path, ROWS)
    lines = path.read_text().splitlines()
    lines[2] = lines[2].replace('"best": 0.5', '"best": 0.9')
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(DataError, match=r"r\.jsonl, line 3: damaged"):
        read_results(path)


def test_any_flipped_bit_is_refused() -> None:
    line = encode(ROW)
    rng = np.random.default_rng(0)
    for _ in range(300):
        data = bytearray(line.encode())
        data[rng.integers(len(data))] ^= 1 << int(rng.integers(7))
        with pytest.raises(DataError, match="here"):
            decode(data.decode(errors="replace"), "here")


def test_a_doubled_row_is_refused(tmp_path: Path) -> None:
    append_results(tmp_path / "r", [ROW, ROW])
    with pytest.raises(DataError, match="line 2: the same episode stands there twice"):
        read_results(tmp_path / "r")


def test_files_merge_without_counting_twice(tmp_path: Path) -> None:
    append_results(tmp_path / "a", ROWS[:3])
    append_results(tmp_path / "b", [replace(row, seconds=9.0) for row in ROWS[2:]])
    merged = merge_results([tmp_path / "a", tmp_path / "b"])
    assert sorted(r.episode for r in merged) == [0, 1, 2, 3, 4]


def test_files_that_contradict_each_other_are_refused(tmp_path: Path) -> None:
    append_results(tmp_path / "a", [ROW])
    append_results(tmp_path / "b", [replace(ROW, best=1.0)])
    with pytest.raises(DataError, match="contradicts another file"):
        merge_results([tmp_path / "a", tmp_path / "b"])


def test_a_full_disk_leaves_the_rows_that_were_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "r.jsonl"
    append_results(path, ROWS[:2])
    real, calls = os.write, []

    def full(handle: int, data: memoryview) -> int:
        calls.append(len(data))
        if len(calls) > 1:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return real(handle, data[: len(data) // 2])

    monkeypatch.setattr(results_file.os, "write", full)
    with pytest.raises(DataError, match=r"r\.jsonl: cannot be written \(No space left"):
        append_results(path, ROWS[2:])
    assert read_results(path) == ROWS[:2]


def test_a_packed_file_holds_the_same_rows_and_the_same_bytes_each_time(tmp_path: Path) -> None:
    rows = [ROW, replace(ROW, episode=1)]
    for name in ("a.jsonl", "a.jsonl.gz", "b.jsonl.gz"):
        save_results(tmp_path / name, rows)
        assert read_results(tmp_path / name) == rows
    assert (tmp_path / "a.jsonl.gz").read_bytes() == (tmp_path / "b.jsonl.gz").read_bytes()
    assert (
        gzip.decompress((tmp_path / "a.jsonl.gz").read_bytes())
        == (tmp_path / "a.jsonl").read_bytes()
    )


def test_a_packed_file_that_is_damaged_or_swells_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.jsonl.gz"
    save_results(path, [ROW])
    whole = path.read_bytes()
    for content, complaint in (
        (whole[:-9], "cut off"),
        (b"no gzip", "cannot be unpacked"),
        (whole[:20] + bytes([whole[20] ^ 255]) + whole[21:], r"a\.jsonl\.gz"),
    ):
        path.write_bytes(content)
        with pytest.raises(DataError, match=complaint):
            read_results(path)
    monkeypatch.setattr(results_file, "MOST_BYTES", 1000)
    path.write_bytes(gzip.compress(bytes(10**6)))
    with pytest.raises(DataError, match="more than 1000 bytes"):
        read_results(path)
