"""Kills 'ncs reproduce' at random moments, goes on with it, and compares the reports.

    python benchmarks/resume_reproduce.py                      # the whole smoke scale, ten times
    python benchmarks/resume_reproduce.py --kills 10 -- --worlds block-rearrange --methods ncs

What stands after '--' is handed to 'ncs reproduce'. One run goes to its end undisturbed; another
is killed with SIGKILL, with all its processes, after a random share of the first one's time, again
and again. The reports must be the same but for the section on time.
"""

import argparse
import gzip
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path


def start(out: Path, words: list[str]) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", "ncs.cli.main", "reproduce", "--out", str(out), *words]
    quiet = subprocess.DEVNULL
    return subprocess.Popen(command, start_new_session=True, stdout=quiet, stderr=quiet)


def report(out: Path) -> dict[str, str]:
    page, text = (out / "report.html").read_text(), (out / "report.md").read_text()
    files = sorted((out / "results").glob("*.jsonl.gz"))
    rows = "".join(gzip.decompress(path.read_bytes()).decode() for path in files)
    return {
        "report.html": re.sub(r'<section id="time">.*?</section>', "", page, flags=re.DOTALL),
        "report.md": re.sub(r"## Time\n.*", "", text, flags=re.DOTALL),
        "results": re.sub(r'"seconds": [^,]+|"check": "\w+"', "", rows),
        "index": (out / "results" / "index.json").read_text(),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--folder", type=Path, default=Path("runs/resume"))
    parser.add_argument("words", nargs="*", help="for 'ncs reproduce'")
    asked = parser.parse_args()
    shutil.rmtree(asked.folder, ignore_errors=True)
    began = time.perf_counter()
    assert start(asked.folder / "whole", asked.words).wait() == 0
    seconds = time.perf_counter() - began
    print(f"undisturbed: {seconds:.0f} s", flush=True)
    rng = random.Random(asked.seed)
    killed = 0
    while killed < asked.kills:
        process = start(asked.folder / "killed", asked.words)
        wait = rng.uniform(0.02, 1.5 / asked.kills) * seconds + 2  # two seconds to get going
        try:
            process.wait(wait)
            break  # it came to its end
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            killed += 1
            print(f"kill {killed} after {wait:.1f} s", flush=True)
    assert start(asked.folder / "killed", asked.words).wait() == 0
    first, second = report(asked.folder / "whole"), report(asked.folder / "killed")
    different = [name for name in first if first[name] != second[name]]
    print(f"{killed} kills; " + (f"different: {different}" if different else "the same report"))
    return bool(different)


if __name__ == "__main__":
    sys.exit(main())
