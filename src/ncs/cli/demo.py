"""ncs demo: a small tour that ends with a table."""

import sys
import time
from pathlib import Path
from typing import Literal

from pydantic import Field

from ncs.cli.command import Command
from ncs.cli.console import report
from ncs.registry import default_world, find_world, paper_worlds

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
        from ncs.cli.collect import Collect
        from ncs.cli.inspection import Inspect
        from ncs.cli.solve import Solve
        from ncs.cli.table import Table

        began = time.perf_counter()
        first, *others = (find_world(name) for name in paper_worlds())
        say(f"{first.name}, {first.summary}; five objects, from pixels:")
        Solve(objects=5, seed=self.seed, out=self.out / "solve").run()
        say("\nExperience to learn from:")
        Collect(world=first.name, out=self.out / "buffer", episodes=100).run()
        Inspect(path=self.out / "buffer", picture=self.out / "buffer.png").run()
        for world in others:
            say(f"\n{world.name}, {world.summary}; four objects:")
            Solve(world=world.name, objects=4, seed=self.seed, out=self.out / world.name).run()
        say(f"\nJudged on development tasks, {EPISODES} a cell:")
        results = self.out / "results.jsonl"
        for method in ("ncs", "random", "oracle"):
            self._judge(method, results)
        Table(files=(results,)).run()
        seconds = time.perf_counter() - began
        facts = {"out": str(self.out), "seconds": round(seconds, 1)}
        folders = ("solve", *(world.name for world in others))
        gifs = ", ".join(f"{self.out}/{folder}/solve.gif" for folder in folders)
        pictures = f"{gifs}, {self.out}/solve/strip.png, {self.out}/buffer.png"
        report(f"\n{seconds:.0f} s; look at {pictures}", facts, self.as_json)

    def _judge(self, method: Literal["ncs", "random", "oracle"], results: Path) -> None:
        """A few episodes of a method, without its own table."""
        from ncs.agent import default_model
        from ncs.cli.console import progress
        from ncs.cli.evaluate import Evaluate

        model = default_model(default_world()) if method == "ncs" else None
        Evaluate(
            method=method,
            model=model,
            out=results,
            objects=OBJECTS,
            seeds=1,
            episodes=EPISODES,
            split="dev",
        ).judge(progress)


def say(line: str) -> None:
    """A line for people, kept apart from what machines read."""
    print(line, file=sys.stderr, flush=True)
