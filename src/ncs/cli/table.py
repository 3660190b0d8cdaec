"""ncs table: print results beside the paper's."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import tyro
from pydantic import Field

from ncs.cli.command import Command
from ncs.records import DataError, plain

if TYPE_CHECKING:
    from ncs.analysis.table import Names
    from ncs.records import Result


class Table(Command):
    """Print results beside the paper's Table 1.

    Give it one or more files made by 'ncs evaluate', or the results folder of an 'ncs reproduce';
    an episode that stands in two of them counts once. The paper's own numbers fit the best-so-far
    score, so that is the default.
    """

    files: tyro.conf.Positional[tuple[Path, ...]] = Field(description="results files or folder")
    format: Literal["text", "markdown", "json", "summary", "leaderboard"] = Field(
        "text",
        description="how to print; summary: one small Markdown table of everything; leaderboard: "
        "test tasks alone, the best first, with tasks, checkpoint, commit and the floor of chance",
    )
    rows: tuple[str, ...] = Field((), description="methods of the summary, such as ncs (all)")
    score: Literal["best", "final", "moves"] = Field(
        "best",
        description="success, best so far or at the end of an episode; or moves, times the fewest",
    )

    def run(self) -> None:
        """Prints the tables."""
        import json

        from ncs.analysis.formatter import as_markdown, as_text, grid_markdown, summary_grid
        from ncs.analysis.leaderboard import leaderboard
        from ncs.analysis.table import as_records

        if not self.files:
            raise DataError("no file given: name one or more files made by 'ncs evaluate'")
        if self.format == "leaderboard" and self.score == "moves":
            raise DataError("score: a leaderboard ranks success, choose best or final")
        results, names = self._read()
        if not results:
            raise DataError(f"{self.files[0]}: holds no results yet; run 'ncs evaluate' first")
        if self.as_json or self.format == "json":
            cells = as_records(results, self.score, names)
            print(json.dumps({"score": self.score, "cells": cells}, indent=1))
        elif self.format == "summary":
            print(grid_markdown(summary_grid(results, self.score, names, self.rows)))
        elif self.format == "leaderboard":
            print("\n\n".join(map(grid_markdown, leaderboard(results, self.score))))
        else:
            draw = {"text": as_text, "markdown": as_markdown}[self.format]
            print(draw(results, self.score, names))

    def _read(self) -> "tuple[list[Result], Names]":
        """The results, and what their lines are called where a folder says so."""
        from ncs.analysis.points import INDEX, file_of, names_in
        from ncs.evaluation.results import is_cut_off, merge_results

        folders = [path for path in self.files if (path / INDEX).exists()]
        names = {k: v for path in folders for k, v in names_in(path).items()}
        files = [file_of(path, "table") if path in folders else path for path in self.files]
        results = merge_results(files)  # first: it refuses at the first bad line
        for path in files:
            if is_cut_off(path):
                note = f"ncs table: {path}: its last row is cut off and does not count"
                print(plain(note), file=sys.stderr)
        return results, names
