"""Runs every writer on a disk that is too small, then gives the disk room, and looks at both ends.

    python -m benchmarks.figures.disks                     # 20 sizes each; needs to mount a tmpfs
    python -m benchmarks.figures.disks graph --times 4

Writers are forks of a process that has everything imported.
An end is clean if the exit code is 2, the last line names a path on the disk, no half-written file
is left, and the same command ends with 0 once the disk has room.
"""

import argparse
import random
import shutil
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from benchmarks.figures.forks import import_all, run_alone, run_fork

HOME = Path(__file__).parents[2]
WORLD = "block-rearrange"
MODEL = HOME / "checkpoints" / "blocks-fast-0"
PAGE = 4096  # bytes: a tmpfs counts in these
ROOM = 64 << 20  # bytes: enough for any of them


@dataclass(frozen=True)
class Writer:
    """A command that writes to disk/, and how many pages it takes in all, more or less."""

    words: list[object]
    pages: int


def writers(buffer: Path) -> dict[str, Writer]:
    """Every writer by its name."""
    judging = [
        "--method",
        "random",
        "--objects",
        4,
        "--seeds",
        2,
        "--episodes",
        20,
        "--split",
        "dev",
    ]
    small = ["--worlds", WORLD, "--methods", "random", "--studies", "--seeds", 1, "--episodes", 2]
    return {
        "collect": Writer(
            ["collect", WORLD, "--episodes", 300, "--workers", 1, "--out", "disk/b"], 4000
        ),
        "train": Writer(
            [
                *["train", "--buffer", buffer, "--preset", "fast", "--steps", 2, "--batch", 2],
                *["--threads", 1, "--resume", "--out", "disk/m"],
            ],
            300,
        ),
        "graph": Writer(
            ["graph", "--model", MODEL, "--buffer", buffer, "--clips", 12, "--out", "disk/g"], 30
        ),
        "evaluate": Writer(
            ["evaluate", *judging, "--workers", 1, "--batch", 5, "--out", "disk/r.jsonl"], 16
        ),
        "reproduce": Writer(
            ["reproduce", "--scale", "smoke", *small, "--workers", 1, "--out", "disk/p"], 60
        ),
    }


def try_full(words: list[object], size: int, home: Path) -> tuple[bool, str]:
    """Whether a disk of so many bytes was full, and what is wrong with the end, if anything."""
    disk = home / "disk"
    disk.mkdir(exist_ok=True)
    mount = ["mount", "-t", "tmpfs", "-o"]
    subprocess.run([*mount, f"size={size}", "tmpfs", disk], check=True)
    try:
        out = run_fork(words, home)
        if out.code == 0:
            return False, ""  # it was large enough
        left = [path.name for path in disk.rglob("*") if path.suffix == ".tmp"]
        last = out.said.strip().splitlines()[-1] if out.said.strip() else ""
        if out.code != 2 or "Traceback" in out.said or "disk/" not in last:
            return True, f"exit code {out.code}: {out.said[-300:]!r}"
        subprocess.run(["mount", "-o", f"remount,size={ROOM}", disk], check=True)
        again = run_fork(words, home)
        if again.code:
            return True, f"with room, exit code {again.code}: {again.said[-300:]!r}"
        return True, f"left {left}" if left else ""
    finally:
        subprocess.run(["umount", disk], check=True)


def fill(name: str, writer: Writer, times: int, home: Path, seed: int) -> int:
    """How many of so many full disks a writer left in order; too large ones do not count."""
    rng = random.Random(f"{seed} {name}")
    clean = full = 0
    most = writer.pages
    while full < times:
        pages = rng.randrange(1, most + 1)
        is_full, wrong = try_full(writer.words, pages * PAGE, home)
        if not is_full:
            most = max(1, pages - 1)  # so large a disk is never full
            continue
        full, clean = full + 1, clean + (not wrong)
        if wrong:
            print(f"{name}, {pages} pages: {wrong}", flush=True)
    print(f"{name}: {clean} of {full} full disks left in order", flush=True)
    return clean


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    names = list(writers(Path()))
    parser.add_argument("which", nargs="*", choices=[*names, []], help="writers; all of them")
    parser.add_argument("--times", type=int, default=20, help="sizes for each")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # unmounts
    home = Path(tempfile.mkdtemp(prefix="ncs-disks-"))
    chosen = asked.which or names
    try:
        made = run_alone(["collect", WORLD, "--episodes", 12, "--out", home / "b"], home)
        assert made.code == 0, made.said
        import_all()
        every = writers(home / "b")
        clean = sum(fill(name, every[name], asked.times, home, asked.seed) for name in chosen)
    finally:
        shutil.rmtree(home, ignore_errors=True)
    total = asked.times * len(chosen)
    print(f"disks: {clean} of {total} full disks left in order ({', '.join(chosen)})")
    return clean < total


if __name__ == "__main__":
    sys.exit(main())
