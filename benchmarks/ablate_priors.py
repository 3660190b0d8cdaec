"""Ablates the priors and parts of the fast world model on block-rearrange, one by one.

Run ``python benchmarks/ablate_priors.py BUFFER``: trains each variant for a short while, asks
'ncs slots' how well it sees at 4, 7 and 12 objects, and prints a Markdown table. Rows go to
results/ablations/blocks-priors.json, where those already there are not trained again.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

HOME = Path(__file__).parent.parent
ROWS = HOME / "results" / "ablations" / "blocks-priors.json"
STEPS = 600
COUNTS = ("4", "7", "12")
FIGURES = ("found", "isolate", "type_matching")
VARIANTS: dict[str, list[str]] = {
    "all priors": [],
    "background learned": ["network.background=learned"],
    "no saliency": ["network.saliency=false"],
    "random seeding": ["network.seeding=random"],
    "no saliency, random seeding": ["network.saliency=false", "network.seeding=random"],
    "none of the three": [
        "network.background=learned",
        "network.saliency=false",
        "network.seeding=random",
        "network.place=cells",
    ],
    "place from whole cells": ["network.place=cells"],
    "types reach 3 cells": ["network.type_reach=3"],
    "implicit gradient": ["network.gradient=implicit"],
    "no repairs": ["network.repairs=0"],
    "one attempt, no repairs": ["network.attempts=1", "network.repairs=0"],
    "no crispness": ["network.crispness=0"],
}


def call(words: list[str]) -> dict[str, Any]:
    """What an ncs command says, as JSON."""
    command = [sys.executable, "-m", "ncs", *words, "--json"]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, cwd=HOME, text=True)
    facts: dict[str, Any] = json.loads(done.stdout)
    return facts


def measure(settings: list[str], buffer: Path, steps: int, clips: int) -> dict[str, Any]:
    """Trains a variant from nothing; its figures by number of objects."""
    with tempfile.TemporaryDirectory() as folder:
        out = f"{folder}/model"
        train = ["train", "--preset", "fast", "--buffer", str(buffer), "--out", out]
        train += ["--steps", str(steps), "--threads", "1"]
        call([*train, "--settings", *settings] if settings else train)
        look = ["slots", "--model", out, "--buffer", str(buffer), "--clips", str(clips)]
        reports = call([*look, "--objects", *COUNTS])["reports"]
    return {
        str(report["objects"]): {name: report["figures"][name]["value"] for name in FIGURES}
        for report in reports
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("buffer", type=Path)
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--clips", type=int, default=30)
    arguments = parser.parse_args()
    rows = json.loads(ROWS.read_text()) if ROWS.exists() else {}
    print("| | " + " | ".join(f"{name} at {n}" for name in FIGURES for n in COUNTS) + " |")
    print("|---" * (1 + len(FIGURES) * len(COUNTS)) + "|")
    for name, settings in VARIANTS.items():
        if name not in rows:
            rows[name] = measure(settings, arguments.buffer, arguments.steps, arguments.clips)
            ROWS.parent.mkdir(parents=True, exist_ok=True)
            ROWS.write_text(json.dumps(rows, indent=1) + "\n")
        values = [rows[name][n][figure] for figure in FIGURES for n in COUNTS]
        shown = ("none" if value is None else f"{value:.3f}" for value in values)
        print(f"| {name} | " + " | ".join(shown) + " |", flush=True)


if __name__ == "__main__":
    main()
