"""ncs demo: a small tour that ends with a table."""

import sys
import time
from pathlib import Path
from typing import Literal

from pydantic import Field

from ncs.cli.command import Command
from ncs.cli.console import report

OBJECTS = (4, 7)
EPISODES = 10


class Demo(Command):
    """A tour in a minute, with the model that ships.

    Solves a task of five blocks from pixels and draws how, and one of four meshes on a table;
    judges our agent, the random policy and the oracle on a few development tasks; collects a small
    buffer; and ends with the table beside the paper's. 'ncs evaluate' gives the full figures.
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
        say("Five blocks, from pixels:")
        Solve(objects=5, seed=self.seed, out=self.out / "solve").run()
        say("\nExperience to learn from:")
        Collect(world="block-rearrange", out=self.out / "buffer", episodes=100).run()
        Inspect(path=self.out / "buffer", picture=self.out / "buffer.png").run()
        say("\nThe harder world, four of its 94 shapes:")
        tabletop = self.out / "robogym"
        Solve(world="robogym-rearrange", objects=4, seed=self.seed, out=tabletop).run()
        say(f"\nJudged on development tasks, {EPISODES} a cell:")
        results = self.out / "results.jsonl"
        for method in ("ncs", "random", "oracle"):
            self._judge(method, results)
        Table(files=(results,)).run()
        seconds = time.perf_counter() - began
        facts = {"out": str(self.out), "seconds": round(seconds, 1)}
        gifs = f"{self.out}/solve/solve.gif, {self.out}/robogym/solve.gif"
        pictures = f"{gifs}, {self.out}/solve/strip.png, {self.out}/buffer.png"
        report(f"\n{seconds:.0f} s; look at {pictures}", facts, self.as_json)

    def _judge(self, method: Literal["ncs", "random", "oracle"], results: Path) -> None:
        """A few episodes of a method, without its own table."""
        from ncs.cli.console import progress
        from ncs.cli.evaluate import Evaluate
        from ncs.cli.solve import default_model

        model = default_model("block-rearrange") if method == "ncs" else None
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
