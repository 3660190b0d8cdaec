"""A model in every hard style of both worlds: fifty moves of calibration each, then fresh tasks.

    python -m benchmarks.hard_styles checkpoints/several-0 --label "several + 50 moves" \
        --seed 20 --episodes 20 --out runs/styles

Each style collects its few clips, calibrates the model on them and plays at 4 and 7 objects, both
kinds of goals; ``--as-it-is`` plays without calibration. What is there already is kept, so that a
killed run goes on; rows go to rows.jsonl in the folder.
"""

import argparse
import math
import subprocess
import sys
from pathlib import Path

HOME = Path(__file__).resolve().parents[1]
WORLDS = ("block-rearrange", "robogym-rearrange")
STYLES = ("wood", "light", "noise", "shadow", "tilt", "arm", "clutter", "sizes", "real")
UNSEEN = ("wood-unseen", "real-unseen")
CLIP_MOVES = 4  # of a clip of four objects
FEW = 77  # seed of the clips of calibration


def run(*words: str | Path | int) -> None:
    """One command of the package."""
    print("$ ncs", *words, flush=True)
    subprocess.run([sys.executable, "-m", "ncs", *map(str, words)], check=True, cwd=HOME)


def calibrated(options: argparse.Namespace, world: str, style: str) -> Path:
    """The model, fitted to fifty moves of a style."""
    folder = options.out / f"{world}-{style}"
    few, model = folder / "few", folder / "model"
    if not (model / "graph-best.safetensors").exists():
        clips = math.ceil(options.moves / CLIP_MOVES)
        play = ["--style", style, "--seed", FEW, "--episodes", clips]
        run("collect", world, *play, "--workers", 1, "--out", few)
        fit = ["--model", options.model, "--buffer", few, "--moves", options.moves]
        run("calibrate", *fit, "--out", model)
    return Path(model)


def judge(options: argparse.Namespace, world: str, style: str) -> None:
    """Plays a style's tasks."""
    model = options.model if options.as_it_is else calibrated(options, world, style)
    ours = ["--world", world, "--method", "ncs", "--model", model, "--label", options.label]
    tasks = ["--split", "fresh", "--seed", options.seed, "--style", style, "--objects", 4, 7]
    size = ["--episodes", options.episodes, "--workers", 1]
    run("evaluate", *ours, *tasks, *size, "--out", options.out / "rows.jsonl")


def main() -> None:
    """Judges the styles that were asked for, one after another."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("--label", required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--worlds", nargs="+", default=WORLDS)
    parser.add_argument("--styles", nargs="+", default=(*STYLES, *UNSEEN))
    parser.add_argument("--moves", type=int, default=50)
    parser.add_argument("--seed", type=int, default=20, help="of the fresh tasks")
    parser.add_argument("--episodes", type=int, default=20, help="a seed of ten")
    parser.add_argument("--as-it-is", action="store_true", help="without calibration")
    options = parser.parse_args()
    options.model, options.out = options.model.resolve(), options.out.resolve()
    options.out.mkdir(parents=True, exist_ok=True)
    for world in options.worlds:
        for style in options.styles:
            judge(options, world, style)


if __name__ == "__main__":
    main()
