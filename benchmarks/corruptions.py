"""Damages files of every stored kind at random, a thousand times each, and counts what notices.

    python -m benchmarks.corruptions                # 1000 of each kind
    python -m benchmarks.corruptions --times 100 --only graph

A bit is flipped, a stretch is zeroed, dropped, doubled or filled at random, or the end is cut off.
Each must be refused in one line that names the file. Damage that leaves what is read the very
same, such as 1E-5 for 1e-5, a space in JSON or the time in a packed file's head, is listed, counted
apart and made up for by another one, so that a thousand are left that change something.
A results file of lines that ends with a whole line cannot be told from one that is still being
written, so such cuts are not among the thousand; packed ones notice them.
"""

import argparse
import dataclasses
import functools
import random
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import torch
from benchmarks.hostile.good import KINDS, ROW

from ncs.evaluation import suite
from ncs.evaluation.results import is_cut_off, read_results, save_results
from ncs.records import DataError, NcsError
from ncs.storage import digest, digest_content

ROWS = [dataclasses.replace(ROW, episode=number) for number in range(20)]
WORLD, SPLIT = "block-rearrange", "dev"


def make_rows(name: str, folder: Path) -> None:
    folder.mkdir(parents=True)
    save_results(folder / name, ROWS)


def read_rows(name: str, folder: Path) -> Any:
    if is_cut_off(folder / name):  # 'ncs table' says so
        raise DataError(f"{folder / name}: ends in half a row")
    return read_results(folder / name)


def make_suite(folder: Path) -> None:
    shutil.copytree(suite.suite_folder(WORLD), folder)
    for path in folder.iterdir():
        if path.name not in (suite.suite_name(WORLD, SPLIT), suite.HASHES):
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def read_suite(folder: Path) -> Any:
    with patch.object(suite, "suite_folder", lambda _: folder):
        return suite.load_suite.__wrapped__(WORLD, SPLIT)


STORED: dict[str, tuple[Callable[[Path], None], Callable[[Path], Any]]] = {
    **{kind: KINDS[kind] for kind in ("buffer", "model", "graph", "sets", "index")},
    **{
        kind: (functools.partial(make_rows, name), functools.partial(read_rows, name))
        for kind, name in (("results", "r.jsonl"), ("packed results", "r.jsonl.gz"))
    },
    "suite": (make_suite, read_suite),
}


def fingerprint(value: Any) -> str:
    """What tells one content from another."""
    if isinstance(value, torch.nn.Module):
        return digest_content({k: v.numpy() for k, v in value.state_dict().items()})
    if isinstance(value, np.ndarray):
        return digest(value.tobytes()) + str(value.shape)
    if dataclasses.is_dataclass(value):
        fields = [getattr(value, field.name) for field in dataclasses.fields(value)]
        return fingerprint(fields)
    if isinstance(value, dict):
        return fingerprint(sorted((key, fingerprint(one)) for key, one in value.items()))
    if isinstance(value, list | tuple):
        return digest("".join(map(fingerprint, value)).encode())
    return repr(value)


def damaged(data: bytes, rng: random.Random) -> bytes:
    """Bytes with one thing wrong with them."""
    place = rng.randrange(len(data))
    end = min(len(data), place + rng.randrange(1, 64))
    stretch = data[place:end]
    ways: dict[str, Callable[[], bytes]] = {
        "flip": lambda: bytes([data[place] ^ 1 << rng.randrange(8)]) + data[place + 1 : end],
        "zero": lambda: bytes(len(stretch)),
        "drop": lambda: b"",
        "double": lambda: 2 * stretch,
        "fill": lambda: rng.randbytes(len(stretch)),
    }
    way = rng.choice([*ways, "cut"])
    return data[:place] if way == "cut" else data[:place] + ways[way]() + data[end:]


def is_unnoticeable(path: Path, good: bytes, bad: bytes) -> bool:
    """Nothing has changed, or lines are cut off where one ends."""
    cut = path.suffix == ".jsonl" and good.startswith(bad) and bad.endswith(b"\n")
    return bad == good or cut or (path.suffix == ".jsonl" and not bad)


def try_kind(kind: str, times: int, rng: random.Random) -> dict[str, int]:
    """Counts of what became of so many damaged things of a kind."""
    make, read = STORED[kind]
    counts = dict.fromkeys(("refused", "same", "silent", "crashed", "nameless"), 0)
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "good"
        make(home)
        whole = fingerprint(read(home))
        files = sorted(path for path in home.rglob("*") if path.is_file())
        while sum(counts.values()) - counts["same"] < times:
            path = rng.choice(files)
            good = bad = path.read_bytes()
            while is_unnoticeable(path, good, bad):
                bad = damaged(good, rng)
            path.write_bytes(bad)
            try:
                verdict = "same" if fingerprint(read(home)) == whole else "silent"
                print(f"{kind}, {path.name}: read, {verdict}", flush=True)
            except NcsError as error:
                lines = str(error).splitlines()
                verdict = "refused" if len(lines) == 1 and str(home) in lines[0] else "nameless"
            except Exception as error:
                print(f"{kind}, {path.name}: {type(error).__name__}: {error}"[:200], flush=True)
                verdict = "crashed"
            counts[verdict] += 1
            path.write_bytes(good)
    return counts


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--times", type=int, default=1000, help="of each kind")
    parser.add_argument("--only", nargs="+", choices=list(STORED), default=list(STORED))
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    torch.set_num_threads(1)
    good = harmless = 0
    for kind in asked.only:
        counts = try_kind(kind, asked.times, random.Random(f"{asked.seed} {kind}"))
        same = counts.pop("same")
        shown = ", ".join(f"{count} {name}" for name, count in counts.items() if count)
        shown += f"; {same} others changed nothing" if same else ""
        print(f"{kind}: {shown}", flush=True)
        good += counts["refused"]
        harmless += same
    total = asked.times * len(asked.only)
    print(f"corruptions: {good} of {total} refused by name; {harmless} others changed nothing")
    return good < total


if __name__ == "__main__":
    sys.exit(main())
