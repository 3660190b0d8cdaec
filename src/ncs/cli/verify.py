"""ncs verify: check rows of results, and play a sample of them again."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tyro
from pydantic import Field

from ncs.cli.command import Command
from ncs.records import DataError

if TYPE_CHECKING:
    from ncs.evaluation.verify import Remake
    from ncs.records import Result

DIFFERENT = 1
NAMED = 10  # complaints that are printed


class Verify(Command):
    """Check whether results can be believed: every row by its task, a sample by playing it again.

    Every row is held against the frozen task it names; none may start solved, and no episode of
    a cell may be left out. A sample is played again with the model that has the hashes of the
    row, under the same settings and seeds, and must come out the same but for the time it took.
    The exit code is 1 when something differs, 2 when a row cannot be played again here, unless
    with --here such rows are counted and left out.
    """

    files: tyro.conf.Positional[tuple[Path, ...]] = Field(description="files of 'ncs evaluate'")
    models: tuple[Path, ...] = Field(
        (), description="folders of the models, or of folders of models (default: those that ship)"
    )
    sample: int = Field(50, ge=1, le=1_000_000, description="rows that are played again, a file")
    batch: int = Field(25, ge=1, le=100, description="episodes side by side, as they were played")
    seed: int = Field(0, ge=0, lt=2**63, description="which rows")
    here: bool = Field(
        False, description="draw from rows whose model is here, and count the others by reason"
    )
    workers: int = Field(
        default_factory=lambda: os.cpu_count() or 1, ge=1, le=256, description="processes"
    )

    def run(self) -> int:
        """Checks every file and reports; 1 comes back when something differs."""
        from ncs.cli.console import report

        if not self.files:
            raise DataError("no file given: name one or more files made by 'ncs evaluate'")
        found = [self._verify(path) for path in self.files]
        same = all(facts["same"] for facts in found)
        report("\n".join(map(_lines, found)), {"same": same, "files": found}, self.as_json)
        return 0 if same else DIFFERENT

    def _verify(self, path: Path) -> dict[str, Any]:
        """What is to be said of one file."""
        from ncs.agent.remake import Shelf
        from ncs.agent.shelf import shelves
        from ncs.envs import make_env
        from ncs.evaluation.code import commit
        from ncs.evaluation.results import read_results
        from ncs.evaluation.verify import audit, draw, playable

        rows = read_results(path)
        if not rows:
            raise DataError(f"{path}: holds no results yet")
        complaints = list(audit(rows))
        remake = Shelf(self.models or tuple(shelves())).method
        some, absent = playable(make_env, rows, remake) if self.here else (rows, {})
        if not some:
            raise DataError(f"{path}: no row can be played again here: {next(iter(absent))}")
        chosen = draw(some, self.sample, self.batch, self.seed)
        differing = self._replay(path, chosen, remake)
        return {
            "file": str(path),
            "rows": len(rows),
            "complaints": complaints,
            "replayed": sum(map(len, chosen)),
            "different": differing,
            "absent": absent,
            "same": not complaints and not differing,
            "commits": sorted({row.commit or row.code for row in rows}),
            "code": commit(),
        }

    def _replay(self, path: Path, chosen: "list[list[Result]]", remake: "Remake") -> list[str]:
        """What came out otherwise, a line a row."""
        from ncs.cli.console import progress
        from ncs.envs import make_env
        from ncs.evaluation.verify import name_of, replay

        lines = []
        total = sum(map(len, chosen))
        with progress(f"playing {path.name} again", total, "rows") as advance:
            for done, found in enumerate(replay(make_env, chosen, remake, self.workers), 1):
                if found:
                    what = ", ".join(f"{d.name} {d.claimed} is {d.found}" for d in found)
                    lines.append(f"{name_of(found[0].row)}: {what}")
                advance(done)
        return lines


def _lines(facts: dict[str, Any]) -> str:
    """What is to be said of one file, for people."""
    bad = [*facts["complaints"], *facts["different"]]
    lines = [f"{facts['file']}: {line}" for line in bad[:NAMED]]
    if len(bad) > NAMED:
        lines.append(f"{facts['file']}: and {len(bad) - NAMED} more")
    left_out = [f"{n} rows not played: {why}" for why, n in facts["absent"].items()]
    lines += [f"{facts['file']}: {line}" for line in left_out[:NAMED]]
    if len(left_out) > NAMED:
        lines.append(f"{facts['file']}: and {len(left_out) - NAMED} more reasons")
    verdict = "same" if facts["same"] else "NOT THE SAME"
    lines.append(
        f"{facts['file']}: {verdict}; {facts['rows']} rows checked, {len(facts['complaints'])} "
        f"complaints; {facts['replayed']} played again, {len(facts['different'])} came out "
        f"otherwise (rows of {', '.join(facts['commits'])}, this is {facts['code']})"
    )
    return "\n".join(lines)
