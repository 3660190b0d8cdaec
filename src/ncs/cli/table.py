"""ncs table: results to tables."""

from pathlib import Path
from typing import Literal

import tyro
from pydantic import Field

from ncs.cli.command import Command
from ncs.records import DataError


class Table(Command):
    """Print results beside the paper's Table 1.

    Give it one or more files made by 'ncs evaluate'; an episode that stands in two of them counts
    once. The paper's own numbers fit the best-so-far score, so that is the default.
    """

    files: tyro.conf.Positional[tuple[Path, ...]] = Field(description="results files")
    format: Literal["text", "markdown", "json"] = Field("text", description="how to print")
    score: Literal["best", "final"] = Field(
        "best", description="best so far in the episode, or at its end"
    )

    def run(self) -> None:
        """Prints the tables."""
        import json

        from ncs.analysis.table import as_markdown, as_records, as_text
        from ncs.evaluation.results import merge_results

        if not self.files:
            raise DataError("no file given: name one or more files made by 'ncs evaluate'")
        results = merge_results(self.files)
        if not results:
            raise DataError(f"{self.files[0]}: holds no results yet; run 'ncs evaluate' first")
        if self.as_json or self.format == "json":
            print(json.dumps(as_records(results, self.score), indent=1))
        else:
            print({"text": as_text, "markdown": as_markdown}[self.format](results, self.score))
