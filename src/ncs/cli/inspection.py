"""ncs inspect: looks at what other commands made, checks every byte of it, and shows it."""

from pathlib import Path
from typing import Any

import numpy as np
import tyro
from pydantic import Field

from ncs.cli.command import Command
from ncs.cli.console import report
from ncs.records import DataError

SHEET_CLIPS = 8


class Inspect(Command):
    """Verify and summarise what an ncs command made.

    A buffer: every shard is compared with its checksum, and a contact sheet of a few clips is
    written beside the folder. A results file: every line is checked, and its cells are counted.
    """

    path: tyro.conf.Positional[Path] = Field(description="a buffer folder or a results file")
    picture: Path | None = Field(
        None, description="where to write the contact sheet (default: beside the folder)"
    )
    seed: int = Field(0, ge=0, description="which clips stand on the contact sheet")

    def run(self) -> None:
        """Finds out what the path holds and reports on it."""
        if not self.path.exists():
            raise DataError(f"{self.path}: there is no such file or folder")
        if self.path.is_dir():
            self._buffer()
        else:
            self._results()

    def _buffer(self) -> None:
        from ncs.analysis.pictures import enlarge, save_png, sheet
        from ncs.data.buffer import check_shards, open_buffer, read_manifest

        manifest = read_manifest(self.path)
        check_shards(self.path, manifest)
        buffer = open_buffer(self.path, verify=False)
        rng = np.random.default_rng(self.seed)
        chosen = rng.choice(len(buffer), min(SHEET_CLIPS, len(buffer)), replace=False)
        clips = buffer.clips(np.sort(chosen))
        picture = self.picture or self.path.resolve().with_name(f"{self.path.resolve().name}.png")
        save_png(picture, enlarge(sheet(clips.frame), 2))
        size = sum((self.path / shard["name"]).stat().st_size for shard in manifest["shards"])
        facts: dict[str, Any] = {
            "kind": "buffer",
            "world": manifest["world"],
            "episodes": len(buffer),
            "frames": manifest["frames"],
            "objects": manifest["objects"],
            "seed": manifest["seed"],
            "shards": len(manifest["shards"]),
            "bytes": size,
            "hash": buffer.hash,
            "picture": str(picture),
        }
        line = (
            f"{self.path}: {facts['world']}, {len(buffer)} clips of {facts['frames']} frames, "
            f"{facts['objects']} objects, seed {facts['seed']}, {size / 1e6:.0f} MB in "
            f"{facts['shards']} shards, all whole (buffer {buffer.hash}); contact sheet: {picture}"
        )
        report(line, facts, self.as_json)

    def _results(self) -> None:
        from ncs.evaluation.results import read_results

        results = read_results(self.path)
        cells = {(r.method, r.world, r.goal, r.objects, r.seed) for r in results}
        facts: dict[str, Any] = {
            "kind": "results",
            "episodes": len(results),
            "cells": len(cells),
            "methods": sorted({r.method for r in results}),
            "worlds": sorted({r.world for r in results}),
            "seconds": round(sum(r.seconds for r in results), 1),
        }
        line = (
            f"{self.path}: {len(results)} episodes in {len(cells)} cells, methods "
            f"{', '.join(facts['methods'])}, every line whole; see them with 'ncs table'"
        )
        report(line, facts, self.as_json)
