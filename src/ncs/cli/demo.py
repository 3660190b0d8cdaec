"""ncs demo: a small tour that ends with a table."""

import contextlib
import json
import sys
import time
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from ncs.cli.command import Command
from ncs.cli.console import report
from ncs.registry import find_world, paper_worlds

OBJECTS = (4, 7)
EPISODES = 10


class Demo(Command):
    """A tour in a minute, with the model that ships.

    Solves a task in each of the paper's worlds from pixels and draws how; judges our agent, the
    random policy and the oracle on a few development tasks; collects a small buffer; and ends with
    the table beside the paper's. 'ncs evaluate' gives the full figures.
    """

    out: Path = Field(Path("runs/demo"), description="folder for what the tour makes")
    seed: int = Field(4, ge=0, description="which task is solved")

    def run(self) -> None:
        """Walks through the rooms with the commands a user would type."""
        began = time.perf_counter()
        with contextlib.redirect_stdout(sys.stderr if self.as_json else sys.stdout):
            facts = self._tour()
        seconds = time.perf_counter() - began
        facts = {"out": str(self.out), "seconds": round(seconds, 1), **facts}
        line = f"\n{seconds:.0f} s; look at {', '.join(facts['pictures'])}"
        report(line, facts, self.as_json)

    def _tour(self) -> dict[str, Any]:
        """What was solved, and which pictures there are to look at."""
        from ncs.cli.collect import Collect
        from ncs.cli.inspection import Inspect
        from ncs.cli.table import Table

        first, *others = paper_worlds()
        solved = {first: self._solve(first, 5)}
        say("\nExperience to learn from:")
        sheet = self.out / "buffer.png"
        Collect(world=first, out=self.out / "buffer", episodes=100).run()
        Inspect(path=self.out / "buffer", picture=sheet).run()
        for world in others:
            solved[world] = self._solve(world, 4)
        say(f"\nJudged on development tasks, {EPISODES} a cell:")
        results = self.out / "results.jsonl"
        for method in ("ncs", "random", "oracle"):
            self._judge(method, results)
        Table(files=(results,)).run()
        drawn = [self.out / world / name for world in solved for name in ("solve.gif", "strip.png")]
        return {"solved": solved, "pictures": [str(path) for path in (*drawn, sheet)]}

    def _solve(self, name: str, objects: int) -> bool:
        """Whether a task of a world is solved; draws how."""
        from ncs.cli.solve import Solve

        say(f"\n{name}, {find_world(name).summary}; {objects} objects, from pixels:")
        Solve(world=name, objects=objects, seed=self.seed, out=self.out / name).run()
        return bool(json.loads((self.out / name / "trace.json").read_bytes())["solved"])

    def _judge(self, method: Literal["ncs", "random", "oracle"], results: Path) -> None:
        """A few episodes of a method, without its own table."""
        from ncs.cli.console import progress
        from ncs.cli.evaluate import Evaluate

        Evaluate(
            method=method,
            out=results,
            objects=OBJECTS,
            seeds=1,
            episodes=EPISODES,
            split="dev",
        ).judge(progress)


def say(line: str) -> None:
    """A line for people, kept apart from what machines read."""
    print(line, file=sys.stderr, flush=True)
