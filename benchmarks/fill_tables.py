"""Fills every table of the documents with what its command prints; ``make results`` runs it.

A table stands between two comments, the first of which names the command, or models whose health
reports are told side by side, or rows from which the gain of every extension is reckoned, or rows
of OGBench's tasks, or the curve of what is scored by how much was learned from, or what rivals'
logs say of held-out clips, or a benchmark whose print was kept (``benchmarks/keep.py``):

    <!-- ncs table results/laptop --format markdown -->
    ...
    <!-- end -->
    <!-- health blocks-fast-0 blocks-fast-1 -->
    ...
    <!-- end -->
    <!-- gains blocks-fast-0-crowded -->
    ...
    <!-- end -->
    <!-- cubes results/ogbench-cubes-0.jsonl.gz -->
    ...
    <!-- end -->
    <!-- curve robogym-rearrange -->
    ...
    <!-- end -->
    <!-- holdout blocks-bc-0 blocks-iql-0 -->
    ...
    <!-- end -->
    <!-- printed real-frames -->
    ...
    <!-- end -->

Run ``python -m benchmarks.fill_tables`` to write; ``--check`` only tells which would change.
"""

import argparse
import contextlib
import io
import json
import re
import shlex
import sys
from pathlib import Path

from benchmarks import keep, learning_curve
from benchmarks.ablate_extensions import tabulate

from ncs.cli.main import main as run_command

HOME = Path(__file__).resolve().parents[1]
TABLE = re.compile(
    r"<!-- (?P<kind>ncs|health|gains|cubes|curve|holdout|printed) (?P<words>[^\n]*?) -->\n"
    r"(?P<text>.*?)\n?<!-- end -->",
    re.DOTALL,
)
HEALTH = {  # figures of a health report that cards tell, and how they word them
    "found": "objects found by exactly one slot, following a clip",
    "found_alone": "the same, each image on its own",
    "found_frames": "frames of clips in which every object is",
    "place_error": "place error of found objects, median, metres",
    "place_error_95": "the same, 95th percentile",
    "isolate": "transitions in which isolate is right",
    "type_matching": "objects matched by type between two images",
    "foreground_ari": "foreground ARI",
    "mask_iou": "mask IoU",
}


def documents() -> list[Path]:
    """The files that may hold tables."""
    folders = (HOME / "docs", HOME / "model_cards")
    return [HOME / "README.md", *sorted(p for folder in folders for p in folder.rglob("*.md"))]


def print_of(words: str) -> str:
    """What a command prints, run in the repository."""
    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.chdir(HOME):
        if run_command(shlex.split(words)) != 0:
            raise SystemExit(f"fill_tables: 'ncs {words}' failed")
    return output.getvalue().strip()


def health_of(models: str) -> str:
    """The health reports of models as a table: a column a number of objects, a figure a model."""
    files = [HOME / "checkpoints" / name / "health" / "health.json" for name in models.split()]
    reports = [json.loads(path.read_text())["reports"] for path in files]
    heads = [f"{one['objects']} objects, {one['clips']} clips" for one in reports[0]]
    first = " / ".join(models.split())
    lines = [f"| {first} | {' | '.join(heads)} |", "|---" * (1 + len(heads)) + "|"]
    for name, label in HEALTH.items():
        if name not in reports[0][0]["figures"]:
            continue
        cells = [
            " / ".join(f"{model[place]['figures'][name]['value']:.3f}" for model in reports)
            for place in range(len(heads))
        ]
        lines.append(f"| {label} | {' | '.join(cells)} |")
    return "\n".join(lines)


def cubes_of(paths: str) -> str:
    """Success by OGBench's tasks, as the example package tells it."""
    sys.path.append(str(HOME / "examples" / "ogbench_cubes" / "src"))
    from ogbench_cubes.score import as_markdown

    return as_markdown([HOME / path for path in paths.split()])


def holdout_of(rivals: str) -> str:
    """Errors of rivals on held-out clips at their last step, from their logs."""
    lines = ["| rival | steps | pick | displacement |", "|---|---|---|---|"]
    for name in rivals.split():
        log = HOME / "checkpoints" / "rivals" / name / "metrics.jsonl"
        lines_of = map(json.loads, log.read_text().splitlines())
        last = [row for row in lines_of if "holdout" in row][-1]
        errors = " | ".join(f"{last['holdout'][key]:.3f}" for key in ("pick_error", "move_error"))
        lines.append(f"| {name} | {last['step']} | {errors} |")
    return "\n".join(lines)


MAKERS = {
    "ncs": print_of,
    "health": health_of,
    "gains": tabulate,
    "cubes": cubes_of,
    "curve": learning_curve.tabulate,
    "holdout": holdout_of,
    "printed": keep.tabulate,
}


def filled(text: str) -> str:
    """A document with every table as its command prints it today."""

    def fill(table: re.Match[str]) -> str:
        made = MAKERS[table["kind"]](table["words"])
        return f"<!-- {table['kind']} {table['words']} -->\n{made}\n<!-- end -->"

    return TABLE.sub(fill, text)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing")
    options = parser.parse_args()
    changed = []
    for path in documents():
        before = path.read_text()
        after = filled(before)
        if after != before:
            changed.append(str(path.relative_to(HOME)))
            if not options.check:
                path.write_text(after)
    print("changed: " + (", ".join(changed) or "nothing"))
    return int(options.check and bool(changed))


if __name__ == "__main__":
    sys.exit(main())
