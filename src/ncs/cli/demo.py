"""ncs demo: a small tour of what is there."""

import time
from pathlib import Path

from pydantic import Field

from ncs.cli.command import Command
from ncs.cli.console import report

OBJECTS = 5


class Demo(Command):
    """A small tour: collect a buffer, judge two policies, draw a strip, print the table."""

    out: Path = Field(Path("runs/demo"), description="folder for what the tour makes")
    seed: int = Field(3, ge=0, description="which task the strip shows")

    def run(self) -> None:
        """Walks through the rooms with the commands a user would type."""
        from ncs.cli.collect import Collect
        from ncs.cli.evaluate import Evaluate
        from ncs.cli.inspection import Inspect
        from ncs.cli.table import Table

        began = time.perf_counter()
        buffer, results = self.out / "buffer", self.out / "results.jsonl"
        Collect(world="block-rearrange", out=buffer, episodes=200).run()
        Inspect(path=buffer, picture=self.out / "buffer.png").run()
        for method in ("random", "oracle"):
            Evaluate(method=method, out=results, seeds=2, episodes=10, split="dev").run()
        strip = self.out / "solved.png"
        self._draw_strip(strip)
        print()
        Table(files=(results,)).run()
        seconds = time.perf_counter() - began
        facts = {"out": str(self.out), "seconds": round(seconds, 1)}
        report(f"\npictures: {self.out}/buffer.png, {strip} ({seconds:.0f} s)", facts, self.as_json)

    def _draw_strip(self, path: Path) -> None:
        """An episode of the oracle, frame by frame, with its goal."""
        from ncs.analysis.pictures import enlarge, save_png, strip
        from ncs.baselines.oracle import Oracle
        from ncs.data.rollout import Start, rollout
        from ncs.data.seeds import stream
        from ncs.envs import make_env

        env = make_env("block-rearrange", n_objects=OBJECTS)
        task = env.draw_task(stream("fresh", self.seed))
        episode = rollout([env], Oracle([env]), [Start(task, (self.seed,))], keep=True)[0]
        assert episode.frame is not None
        observation, _ = env.reset(options={"task": task})
        pictures = [*episode.frame, observation["goal"]]
        names = [f"step {i}: {n}/{OBJECTS}" for i, n in enumerate(episode.satisfied)]
        save_png(path, strip([enlarge(p, 2) for p in pictures], [*names, "goal"]))
