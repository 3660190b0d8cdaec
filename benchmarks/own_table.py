"""The tutorial on own pictures at full size: every command timed, and the share of tasks solved.

The commands are those of docs/tutorials/own_pictures.md, in their order. The
last line says seconds in all, and the share of tasks solved in a loop through 'ncs serve'.

    python benchmarks/own_table.py --out runs/own_table
"""

import argparse
import os
import re
import resource
import shutil
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

REPOSITORY = Path(__file__).parents[1]
TUTORIAL = REPOSITORY / "docs" / "tutorials" / "own_pictures.md"
LIMIT = 900.0  # seconds from a folder of clips to the last of fifty tasks


def lines() -> list[str]:
    """The tutorial's commands, one after another."""
    blocks = re.findall(r"```sh\n(.*?)```", TUTORIAL.read_text(), re.DOTALL)
    return [line for block in blocks for line in block.strip().splitlines()]


def as_words(line: str) -> list[str]:
    """A line as a process of this Python."""
    words = line.split()
    start = [sys.executable, "-m", "ncs"] if words[0] == "ncs" else [sys.executable]
    return [*start, *words[1:]]


def wait_for(address: str, server: "subprocess.Popen[bytes]") -> None:
    """Returns when a service answers; a server that ended is an error."""
    while True:
        try:
            urllib.request.urlopen(f"{address}/healthz", timeout=5)
            return
        except OSError:
            if server.poll() is not None:
                raise SystemExit("the service ended before it answered") from None
            time.sleep(0.2)


def run(folder: Path) -> None:
    """Runs every line in a folder; prints seconds of each, and what the last one says."""
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY / "examples")}
    server, began, said = None, time.monotonic(), ""
    try:
        for line in lines():
            start = time.monotonic()
            if line.startswith("ncs serve"):
                server = subprocess.Popen(as_words(line), cwd=folder, env=environment)
                wait_for("http://127.0.0.1:8766", server)
            else:
                done = subprocess.run(
                    as_words(line), cwd=folder, env=environment, text=True, stdout=subprocess.PIPE
                )
                if done.returncode not in (0, 3):
                    raise SystemExit(f"{line}: exit code {done.returncode}")
                said = done.stdout.strip()
                print(said, flush=True)
            print(f"{time.monotonic() - start:7.1f} s  {line}", flush=True)
    finally:
        if server is not None:
            server.terminate()
            server.wait()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(
        f"{time.monotonic() - began:7.1f} s  in all, limit {LIMIT:.0f}; "
        f"{used.ru_utime + used.ru_stime:.1f} s of processor time\n{said}"
    )


def main() -> None:
    """Makes a folder anew and runs the tutorial in it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("runs/own_table"))
    folder = parser.parse_args().out.resolve()
    folder.mkdir(parents=True)
    for script in (REPOSITORY / "examples" / "own_table").glob("*.py"):
        shutil.copy(script, folder)
    run(folder)


if __name__ == "__main__":
    main()
