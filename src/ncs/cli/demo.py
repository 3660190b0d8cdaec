"""ncs demo: what this is, in a minute."""

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

    Solves a task of five blocks from pixels and draws how; judges our agent, the random policy and
    the oracle on a few development tasks; collects a small buffer; shows the other world; and ends
    with the table beside the paper's. 'ncs evaluate' gives the full figures.
    """

    out: Path = Field(Path("runs/demo"), description="folder for what the tour makes")
    seed: int = Field(3, ge=0, description="which task is solved")

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
        say("\nThe harder world:")
        self._show_tabletop(self.out / "robogym.png")
        say(f"\nJudged on development tasks, {EPISODES} a cell:")
        results = self.out / "results.jsonl"
        for method in ("ncs", "random", "oracle"):
            self._judge(method, results)
        Table(files=(results,)).run()
        seconds = time.perf_counter() - began
        facts = {"out": str(self.out), "seconds": round(seconds, 1)}
        pictures = f"{self.out}/solve/solve.gif, {self.out}/solve/strip.png, {self.out}/buffer.png"
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

    def _show_tabletop(self, path: Path) -> None:
        """An episode of the oracle in robogym-rearrange, frame by frame, with its goal."""
        from ncs.analysis.pictures import enlarge, save_png, strip
        from ncs.baselines.oracle import Oracle
        from ncs.data.rollout import Start, rollout
        from ncs.data.seeds import stream
        from ncs.envs import make_env

        env = make_env("robogym-rearrange", n_objects=4)
        task = env.draw_task(stream("fresh", self.seed))
        episode = rollout([env], Oracle([env]), [Start(task, (self.seed,))], keep=True)[0]
        assert episode.frame is not None
        observation, _ = env.reset(options={"task": task})
        pictures = [enlarge(p, 3) for p in (*episode.frame, observation["goal"])]
        names = [f"step {i}: {n}/4 hold" for i, n in enumerate(episode.satisfied)]
        save_png(path, strip(pictures, [*names, "goal"]))
        say(f"{path}: four of its 94 shapes, moved by the oracle")


def say(line: str) -> None:
    """A line for people, kept apart from what machines read."""
    print(line, file=sys.stderr, flush=True)
