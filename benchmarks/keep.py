"""Runs a benchmark and keeps what it prints in results/printed, so that documents can show it.

    python -m benchmarks.keep real-frames benchmarks/real_frames.py checkpoints/blocks-fast-0

The file is Markdown with the command and the commit on its first line; ``make results`` puts it
between the comments ``<!-- printed real-frames -->`` and ``<!-- end -->``.
"""

import argparse
import os
import shlex
import subprocess
import sys
from pathlib import Path

from ncs.evaluation.code import commit
from ncs.storage import write_bytes

HOME = Path(__file__).resolve().parents[1]
PRINTED = HOME / "results" / "printed"


def tabulate(name: str) -> str:
    """What a benchmark printed, its command first; lines that are no table stand as they are."""
    head, _, body = (PRINTED / f"{name}.md").read_text().strip().partition("\n\n")
    return f"{head}\n\n{body}" if body.startswith("|") else f"{head}\n\n```\n{body}\n```"


def main() -> int:
    """Runs a script of the repository and keeps what it printed if it ended well."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("name", help="of the file that is kept")
    parser.add_argument("words", nargs=argparse.REMAINDER, help="script and its options")
    options = parser.parse_args()
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(["src", "."])}
    command = [sys.executable, *options.words]
    done = subprocess.run(command, cwd=HOME, env=env, stdout=subprocess.PIPE, text=True)
    if done.returncode == 0:
        head = f"`python {shlex.join(options.words)}` at {commit()}:"
        PRINTED.mkdir(parents=True, exist_ok=True)
        write_bytes(PRINTED / f"{options.name}.md", f"{head}\n\n{done.stdout.strip()}\n".encode())
    print(done.stdout)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
