"""Files that are nearly right, invented by hypothesis: read, or refused in one line."""

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from benchmarks.hostile.good import KINDS, ROW, SETS, graph_label, graph_parts, set_parts
from benchmarks.hostile.spoil import clips, shard
from benchmarks.hostile_files import attempt
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ncs.evaluation.results import encode
from ncs.storage import digest, write_arrays

FEW = settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=12),
    st.lists(st.integers(), max_size=3),
    st.dictionaries(st.text(max_size=4), st.integers(), max_size=2),
)
MANIFESTS = {"buffer": "manifest.json", "model": "model.json", "index": "index.json"}


def read_or_refuse(kind: str, home: Path) -> None:
    verdict, words = attempt(kind, home)
    assert verdict in ("accepted", "refused"), words


def sealed(value: dict[str, Any], name: str, length: int) -> str:
    """JSON with a checksum to match, whatever it says."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return json.dumps({**value, name: digest(text.encode())[:length]})


@pytest.fixture(params=MANIFESTS)
def manifest(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, Path, dict[str, Any]]:
    kind = request.param
    KINDS[kind][0](tmp_path / kind)
    content = json.loads((tmp_path / kind / MANIFESTS[kind]).read_text())
    content.pop("checksum")
    return kind, tmp_path / kind, content


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where something could be otherwise in a JSON value."""
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    found = []
    for key, one in inner:
        found.append((*path, key))
        if isinstance(one, dict | list):
            found += places(one, (*path, key))
    return found


@FEW
@given(data=st.data())
def test_a_manifest_with_one_odd_value(
    manifest: tuple[str, Path, dict[str, Any]], data: st.DataObject
) -> None:
    kind, home, content = manifest
    changed = json.loads(json.dumps(content))
    *way, last = data.draw(st.sampled_from(places(changed)))
    inner = changed
    for key in way:
        inner = inner[key]
    inner[last] = data.draw(ODD)
    (home / MANIFESTS[kind]).write_text(sealed(changed, "checksum", 64))
    read_or_refuse(kind, home)


@FEW
@given(name=st.sampled_from(sorted(vars(ROW))), value=ODD)
def test_a_row_with_one_odd_value(name: str, value: Any, tmp_path: Path) -> None:
    content = json.loads(encode(ROW))
    content.pop("check")
    (tmp_path / "r.jsonl").write_text(sealed({**content, name: value}, "check", 12) + "\n")
    read_or_refuse("results", tmp_path)


def write_npz(home: Path, arrays: dict[str, Any]) -> None:
    np.savez(home / "a.npz", **arrays)


ARRAYS: dict[str, tuple[dict[str, Any], Callable[[Path, dict[str, Any]], object]]] = {
    "graph": (
        graph_parts(),
        lambda home, arrays: write_arrays(home / "g.safetensors", arrays, graph_label()),
    ),
    "sets": (
        set_parts(),
        lambda home, arrays: write_arrays(home / "s.safetensors", arrays, SETS),
    ),
    "buffer": (clips()(), lambda home, arrays: shard(lambda: arrays)(home)),
    "arrays": (clips()(), write_npz),
}


@FEW
@pytest.mark.parametrize("kind", ARRAYS)
@given(
    data=st.data(),
    dtype=st.sampled_from(["f4", "f8", "i8", "u1", "?", "f2"]),
    fill=st.sampled_from([0.0, 1.0, math.nan, math.inf, -1.0]),
)
def test_one_odd_array(
    kind: str, data: st.DataObject, dtype: str, fill: float, tmp_path: Path
) -> None:
    arrays, write = ARRAYS[kind]
    name = data.draw(st.sampled_from(sorted(arrays)))
    shape = list(arrays[name].shape)
    axis = data.draw(st.integers(-1, len(shape) - 1))  # one axis is otherwise, or all are
    if axis < 0:
        shape = data.draw(st.lists(st.integers(0, 5), max_size=5))
    else:
        shape[axis] = data.draw(st.integers(0, 5))
    if not (tmp_path / kind).exists():
        KINDS[kind][0](tmp_path / kind)
    with np.errstate(invalid="ignore"):
        value = np.full(shape, fill).astype(dtype)
    write(tmp_path / kind, {**arrays, name: value})
    read_or_refuse(kind, tmp_path / kind)


@FEW
@given(text=st.text(max_size=200))
def test_settings_of_any_text(text: str, tmp_path: Path) -> None:
    (tmp_path / "c.toml").write_bytes(text.encode("utf-8", "surrogatepass"))
    read_or_refuse("config", tmp_path)
