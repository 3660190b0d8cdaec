"""Takes nothing, gives the model that ships: free play, training, towers, more training, a graph.

    python -m ogbench_cubes.whole --out runs/cubes

About an hour of one core. What was stopped is continued by the same command: every part of it is
a command of its own that knows what is there already.
"""

import argparse
import subprocess
import sys
from pathlib import Path

PLAY, TOWERS = 700, 100  # clips
FIRST, MORE = 1200, 400  # steps
GRAPH = 450  # clips


def commands(out: Path, scale: float = 1.0) -> list[list[str]]:
    """What is run, in order; a scale below one makes a small version of the same."""

    def of(count: int) -> str:
        return str(max(1, round(count * scale)))

    play, towers, both, first, model = (
        str(out / name) for name in ("play", "towers", "both", "first", "model")
    )
    train = ["ncs", "train", "--preset", "fast", "--batch", "8", "--threads", "1", "--resume"]
    train += ["--settings", "network.width=16"]
    collect = ["ncs", "collect", "ogbench-cubes"]
    return [
        [*collect, "--episodes", of(PLAY), "--out", play],
        [*train, "--buffer", play, "--steps", of(FIRST), "--out", first],
        [*collect, "--style", "towers", "--episodes", of(TOWERS), "--out", towers],
        ["ogbench_cubes.mix", play, towers, towers, "--out", both],
        [*train, "--buffer", both, "--start", first, "--steps", of(MORE), "--out", model],
        ["ncs", "graph", "--model", model, "--buffer", play, "--clips", of(GRAPH), "--rules"],
    ]


def main() -> None:
    """Runs them one after another; the first that fails ends it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--scale", type=float, default=1.0, help="0.01: a hundredth of everything")
    asked = parser.parse_args()
    for command in commands(asked.out, asked.scale):
        print("$", *command, flush=True)
        code = subprocess.run([sys.executable, "-m", *command]).returncode
        if code:
            sys.exit(code)
    print(f"{asked.out / 'model'}: judge it with 'ncs evaluate --world ogbench-cubes --method ncs'")


if __name__ == "__main__":
    main()
