"""ncs inspect: verify, summarise and picture what a command made."""

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import tyro
from pydantic import Field

from ncs.cli.command import Command
from ncs.cli.console import report
from ncs.records import DataError
from ncs.registry import Exhibit, resolve, worlds

SHEET_CLIPS = 8


class Inspect(Command):
    """Verify and summarise what an ncs command made.

    A buffer: every shard is compared with its checksum, and a contact sheet of a few clips is
    drawn. A graph: its figures are printed, and its nodes and edges are drawn. A model or a rival:
    its files are checked, its size is told, and the curves of its training are drawn. A results
    file: every line is checked, and its cells are counted. A mesh folder, or the word 'meshes' for
    the set in use: a contact sheet.
    """

    path: tyro.conf.Positional[Path] = Field(
        description="a buffer, model or mesh folder, a graph or results file, or the word 'meshes'"
    )
    picture: Path | None = Field(
        None, description="where to write the picture (default: beside the path)"
    )
    seed: int = Field(0, ge=0, description="which clips stand on the contact sheet")

    def run(self) -> None:
        """Finds out what the path holds and reports on it."""
        exhibit = self._exhibit()
        if exhibit is not None:
            self._show(exhibit)
        elif not self.path.exists():
            raise DataError(f"{self.path}: there is no such file or folder")
        elif (self.path / "policy.safetensors").exists():
            self._policy()
        elif (self.path / "model.json").exists():
            self._model()
        elif self.path.is_dir():
            self._buffer()
        elif self.path.suffix == ".safetensors":
            self._graph()
        else:
            self._results()

    def _picture_path(self) -> Path:
        """Where the picture goes: beside what it shows, unless said otherwise."""
        path = self.path.resolve()
        return self.picture or path.with_name(f"{path.name}.png")

    def _exhibit(self) -> Exhibit | None:
        """What a world has to show of the path, if it is a thing of its own."""
        from ncs.envs import packages_of

        for world in worlds():
            with packages_of(world):
                found: Exhibit | None = resolve(world.exhibit)(self.path) if world.exhibit else None
            if found is not None:
                return found
        return None

    def _show(self, exhibit: Exhibit) -> None:
        from ncs.analysis.pictures import save_png

        picture = self.picture or Path(f"{self.path.name}.png")
        save_png(picture, exhibit.picture)
        facts = {**exhibit.facts, "picture": str(picture)}
        report(f"{exhibit.line}; contact sheet: {picture}", facts, self.as_json)

    def _graph(self) -> None:
        from ncs.analysis.graph_picture import draw_graph
        from ncs.analysis.pictures import save_png
        from ncs.graph.store import load_graph
        from ncs.graph.summary import summarise

        graph = load_graph(self.path)
        picture = self._picture_path()
        save_png(picture, draw_graph(graph))
        facts = {"kind": "graph", **summarise(graph), "picture": str(picture)}
        line = (
            f"{self.path}: {facts['nodes']} nodes, {facts['edges']} edges from "
            f"{facts['transitions']} moves (median {facts['support']:.0f} an edge), "
            f"{facts['coverage']:.0%} of pairs covered, {facts['components']} connected part(s), "
            f"actions of an edge within {facts['spread']:.3f} m, {facts['outliers']:.1%} of moves "
            f"contradict their action; checkpoint {facts['checkpoint'][:12]}; drawing: {picture}"
        )
        report(line, facts, self.as_json)

    def _model(self) -> None:
        from ncs.training.checkpoint import checkpoint_hash, load_model, read_manifest
        from ncs.training.estimate import count_parameters

        manifest = read_manifest(self.path)
        counts = count_parameters(load_model(self.path))
        facts = {
            "kind": "model",
            "model": manifest["config"]["model"],
            "step": manifest["step"],
            "buffer": manifest["buffer"],
            "parameters": counts,
            "checkpoint": checkpoint_hash(self.path),
        }
        line = (
            f"{self.path}: {facts['model']} at step {facts['step']}, "
            f"{sum(counts.values()):,} parameters, trained on {facts['buffer']['world']} "
            f"(buffer {facts['buffer']['hash']}), all whole; checkpoint {facts['checkpoint'][:12]}"
        )
        self._report_trained(line, facts)

    def _policy(self) -> None:
        from ncs.baselines.rival import load_policy
        from ncs.training.estimate import count_parameters

        policy = load_policy(self.path)
        counts = count_parameters(policy.actor)
        facts = {
            "kind": "policy",
            "method": policy.method,
            "world": policy.world,
            "parameters": counts,
            "checkpoint": policy.checkpoint,
        }
        line = (
            f"{self.path}: the rival {policy.method} of {policy.world}, "
            f"{sum(counts.values()):,} parameters, all whole; checkpoint {policy.checkpoint}"
        )
        self._report_trained(line, facts)

    def _report_trained(self, line: str, facts: dict[str, Any]) -> None:
        """Reports on something trained, its curves drawn where there is a log."""
        from ncs.analysis.curves import draw_curves, read_log
        from ncs.analysis.pictures import save_png

        log = self.path / "metrics.jsonl"
        if log.exists() and importlib.util.find_spec("matplotlib"):
            facts["picture"] = str(self.picture or self.path / "curves.png")
            title = f"{self.path.resolve().name}: training"
            save_png(Path(facts["picture"]), draw_curves(read_log(log), title))
            line += f"; curves: {facts['picture']}"
        report(line, facts, self.as_json)

    def _buffer(self) -> None:
        from ncs.analysis.pictures import enlarge, save_png, sheet
        from ncs.data.buffer import check_shards, open_buffer, read_manifest

        manifest = read_manifest(self.path)
        check_shards(self.path, manifest)
        buffer = open_buffer(self.path, verify=False)
        rng = np.random.default_rng(self.seed)
        chosen = rng.choice(len(buffer), min(SHEET_CLIPS, len(buffer)), replace=False)
        clips = buffer.clips(np.sort(chosen))
        picture = self._picture_path()
        save_png(picture, enlarge(sheet(clips.frame), 2))
        size = sum((self.path / shard["name"]).stat().st_size for shard in manifest["shards"])
        facts: dict[str, Any] = {
            "kind": "buffer",
            "world": manifest["world"],
            "episodes": len(buffer),
            "frames": manifest["frames"],
            "objects": manifest.get("objects"),
            "seed": manifest.get("seed"),  # an imported buffer has none, and nobody counted
            "shards": len(manifest["shards"]),
            "bytes": size,
            "hash": buffer.hash,
            "picture": str(picture),
        }
        collected = f"{facts['objects']} objects, seed {facts['seed']}"
        made = "imported" if facts["seed"] is None else collected
        line = (
            f"{self.path}: {facts['world']}, {len(buffer)} clips of {facts['frames']} frames, "
            f"{made}, {size / 1e6:.0f} MB in {facts['shards']} shards, all whole (buffer "
            f"{buffer.hash}); contact sheet: {picture}"
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
