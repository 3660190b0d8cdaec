"""Files that mean harm, each with right checksums where that matters, and what becomes of them.

    python -m benchmarks.hostile_files            # every file, each read by a process of its own
    python -m benchmarks.hostile_files --only graph

Prints for each whether it was refused in one line, accepted, or failed (a traceback, or over ten
seconds), with seconds and the memory that reading it took.
"""

import argparse
import multiprocessing
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from benchmarks.hostile.files import GRAPH, SET_CASES
from benchmarks.hostile.folders import BUFFER, MODEL
from benchmarks.hostile.good import KINDS
from benchmarks.hostile.spoil import Case
from benchmarks.hostile.strange import ARRAYS, PICTURE
from benchmarks.hostile.texts import CONFIG, INDEX, RESULTS

from ncs.records import NcsError

LONGEST = 10.0  # seconds
TRAP = "this"  # a module that nothing imports; files name it as code
HARMLESS = {
    "buffer: as it should be", "model: as it should be", "graph: as it should be",
    "sets: as it should be", "results: as it should be", "results: packed",
    "results: half a line at the end", "buffer: an unknown key in the manifest",
    "model: a link within the folder", "index: as it should be", "config: as it should be",
    "picture: as it should be", "picture: one pixel", "arrays: as it should be",
}  # fmt: skip

CASES = {
    "buffer": BUFFER, "model": MODEL, "graph": GRAPH, "sets": SET_CASES, "results": RESULTS,
    "index": INDEX, "config": CONFIG, "picture": PICTURE, "arrays": ARRAYS,
}  # fmt: skip


def cases() -> Iterator[tuple[str, Case]]:
    """Every kind with every case of it."""
    for kind, found in CASES.items():
        for case in found:
            yield kind, case


def build(kind: str, case: Case, folder: Path) -> Path:
    """The spoiled thing, in a folder of its own."""
    home = folder / kind
    KINDS[kind][0](home)
    case.spoil(home)
    return home


def attempt(kind: str, home: Path) -> tuple[str, str]:
    """What becomes of a thing when it is read: a verdict and the words of the refusal."""
    try:
        KINDS[kind][1](home)
    except NcsError as error:
        text = str(error)
        return ("refused" if len(text.splitlines()) == 1 and len(text) < 1000 else "failed"), text
    except Exception as error:
        return "failed", f"{type(error).__name__}: {error}"
    finally:
        if TRAP in sys.modules:
            raise SystemExit("code that a file named was run")
    return "accepted", ""


def _measured(kind: str, home: Path, answers: Any) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began = time.perf_counter()
    verdict, words = attempt(kind, home)
    seconds = time.perf_counter() - began
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    answers.put((verdict, words, seconds, (after - before) / 1024))


def measure(kind: str, home: Path) -> tuple[str, str, float, float]:
    """Verdict, words, seconds and MB of one reading, in a process of its own."""
    context = multiprocessing.get_context("fork")
    answers = context.Queue()
    process = context.Process(target=_measured, args=(kind, home, answers))
    process.start()
    try:
        answer: tuple[str, str, float, float] = answers.get(timeout=LONGEST)
    except Exception:
        answer = ("failed", "no answer in time", LONGEST, float("nan"))
        process.kill()
    process.join()
    return answer


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=list(CASES), help="only this kind")
    only = parser.parse_args().only
    torch.set_num_threads(1)
    counts = {"refused": 0, "accepted": 0, "failed": 0}
    wrong, slowest, largest = [], 0.0, 0.0
    print("| file | verdict | seconds | MB |\n|---|---|---|---|")
    for kind, case in cases():
        if only not in (None, kind):
            continue
        with tempfile.TemporaryDirectory() as folder:
            verdict, words, seconds, size = measure(kind, build(kind, case, Path(folder)))
        name = f"{kind}: {case.name}"
        print(f"| {name} | {verdict} | {seconds:.2f} | {size:.0f} |", flush=True)
        counts[verdict] += 1
        slowest, largest = max(slowest, seconds), max(largest, size)
        if verdict != ("accepted" if name in HARMLESS else "refused"):
            wrong.append(f"{name}: {verdict} ({words[:200]})")
    said = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
    print(f"\n{sum(counts.values())} files: {said}; slowest {slowest:.2f} s, most {largest:.0f} MB")
    print("\n".join(wrong))
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
