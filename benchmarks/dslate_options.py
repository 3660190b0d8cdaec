"""Learning curves of dSLATE's ``cpu`` preset with one option changed at a time.

Run ``python benchmarks/dslate_options.py BUFFER`` for all of them (about five minutes of one core
each), or name some: ``... BUFFER base cnn``. Curves that are complete are not trained again. Rows
go to results/ablations/dslate-options.jsonl, the picture to docs/dslate-options.png.
"""

import argparse
import json
import tempfile
import time
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import torch

from ncs.data.buffer import open_buffer
from ncs.health.examiner import Examiner, Options
from ncs.storage import write_bytes
from ncs.training.callback import Progress, Silence
from ncs.training.checkpoint import load_model
from ncs.training.presets import preset
from ncs.training.schedule import TrainConfig
from ncs.training.train import train

EVERY = 500
CLIPS = 60
FIGURES = ("found", "found_frames", "isolate", "foreground_ari", "type_matching")
HOME = Path(__file__).parent.parent
ROWS = HOME / "results" / "ablations" / "dslate-options.jsonl"
PICTURE = HOME / "docs" / "dslate-options.png"

OPTIONS: dict[str, dict[str, Any]] = {
    "base": {},
    "vocabulary 512": {"vocabulary": 512},
    "16x16 tokens": {"patch": 4},
    "cnn input": {"input": "cnn", "input_patch": 8},
    "slot width 128": {"slot_width": 128, "type_width": 64, "slot_hidden": 128},
    "half the rate": {"slots_rate": 2e-4, "decoder_rate": 5e-4, "dvae_rate": 5e-4},
    "twice the rate": {"slots_rate": 8e-4, "decoder_rate": 2e-3, "dvae_rate": 2e-3},
    "unrolled gradient": {"gradient": "unrolled"},
    "consistency 0.1": {"consistency": 0.1},
    "six slots": {"n_slots": 6},
    "no palette": {"dvae_palette": False},
    "five-frame clips": {"clip_length": 5},
}
STEPS = {"16x16 tokens": 1000, "five-frame clips": 1000}  # these cost several times as much a step


class Curve(Silence):
    """Looks at held-out clips whenever a checkpoint has been written."""

    def __init__(self, name: str, buffer: Path, out: Path) -> None:
        self.name, self.buffer, self.out = name, buffer, out
        self.looking = 0.0
        self.rows: list[dict[str, Any]] = []

    def progress(self, progress: Progress) -> None:
        """Looks, if the last step wrote a checkpoint."""
        if progress.step > EVERY and progress.step % EVERY == 1:
            self.look(progress.step - 1)

    def look(self, step: int) -> None:
        """Adds a row; the time it takes does not count."""
        began = time.process_time()
        buffer = open_buffer(self.buffer, verify=False)
        options = Options(CLIPS, None, None, 0)
        examiner = Examiner(load_model(self.out), self.out, buffer, options)
        n_objects = examiner.buffer_objects
        figures = examiner.examine(examiner.clips(n_objects), n_objects).figures
        row = {"option": self.name, "step": step, "seconds": round(began - self.looking, 1)}
        row |= {figure: round(figures[figure], 4) for figure in FIGURES}
        print(json.dumps(row), flush=True)
        self.rows.append(row)
        self.looking += time.process_time() - began


def settings(name: str) -> TrainConfig:
    """The preset with one option changed; steps are few, so the rate does not fall."""
    base = preset("cpu")
    network = type(base.network)(**{**base.network.model_dump(), **OPTIONS[name]})
    changes = {"network": network, "steps": STEPS.get(name, 2000), "decay_share": 0.0}
    changes |= {"checkpoint_every": EVERY, "picture_clips": 0, "threads": 1}
    return base.model_copy(update=changes)


def learn(name: str, buffer: Path) -> list[dict[str, Any]]:
    """The curve of one option, trained from nothing."""
    config = settings(name)
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "run"
        curve = Curve(name, buffer, out)
        curve.looking = time.process_time()
        train(config, buffer, out, callback=curve)
        curve.look(config.steps)
    return curve.rows


def draw(rows: list[dict[str, Any]]) -> None:
    """All curves against seconds of one core."""
    figure, axes = plt.subplots(1, 3, figsize=(12, 4), sharex=True, sharey=True)
    colours = plt.get_cmap("tab20").colors
    for axis, name in zip(axes, ("found", "found_frames", "isolate"), strict=True):
        for index, option in enumerate(OPTIONS):
            curve = [row for row in rows if row["option"] == option]
            seconds = [row["seconds"] for row in curve]
            style = "-" if option == "base" else "--"
            values = [row[name] for row in curve]
            axis.plot(seconds, values, style, marker="o", ms=3, color=colours[index], label=option)
        axis.set(title=name.replace("_", " "), xlabel="seconds of one core", ylim=(0, 1))
    axes[-1].legend(fontsize=7)
    figure.suptitle("dSLATE, cpu preset, one option changed: held-out clips, one seed")
    figure.tight_layout()
    figure.savefig(PICTURE, dpi=100)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("buffer", type=Path)
    parser.add_argument("options", nargs="*", default=list(OPTIONS))
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    rows = [json.loads(line) for line in ROWS.read_text().splitlines()] if ROWS.exists() else []
    for name in arguments.options:
        if name not in {row["option"] for row in rows}:
            rows += learn(name, arguments.buffer)
            write_bytes(ROWS, "".join(json.dumps(row) + "\n" for row in rows).encode())
    draw(rows)


if __name__ == "__main__":
    main()
