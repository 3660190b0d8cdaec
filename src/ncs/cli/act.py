"""ncs act: say the next pick and place for two pictures."""

from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from ncs.cli.command import Command, MaybeWorld, Model, which_world
from ncs.records import DataError
from ncs.registry import default_world

GOAL_HOLDS = 3  # the exit code that tells a loop to stop


class Act(Command):
    """Look at the scene now and at the goal, and say what to move where, in your own unit.

    Pictures may be of any size, as long as both are of one camera: the one that the model learned
    with. --out draws what was seen, how things were matched, and the move as an arrow. The exit
    code is 3 when the goal holds, so that a shell loop knows when to stop.
    """

    world: MaybeWorld = Field(
        None,
        description=f"{which_world()} (default: the model's own, or {default_world()})",
    )
    model: Model | None = Field(
        None, description="a folder made by 'ncs train' and 'ncs graph' (default: the world's own)"
    )
    now: Path = Field(description="a picture of the scene: PNG, JPEG or WebP")
    goal: Path = Field(description="a picture of what it should be")
    objects: int | None = Field(None, ge=1, le=64, description="things there may be, at most")
    preset: Literal["paper", "best"] = Field("best", description="the paper's way, or ours")
    out: Path | None = Field(None, description="a PNG file for the picture of the decision")

    def run(self) -> int:
        """Looks, decides and reports; 3 comes back when the goal holds."""
        from ncs.cli.console import report
        from ncs.data.importing.pictures import load_picture

        now, goal = load_picture(self.now), load_picture(self.goal)
        if now.shape != goal.shape:
            raise DataError(
                f"{self.goal}: is {goal.shape[1]} x {goal.shape[0]} pixels and {self.now} "
                f"{now.shape[1]} x {now.shape[0]}; give two pictures of one camera"
            )
        facts = self._decide(now, goal)
        report(_line(facts), facts, self.as_json)
        return GOAL_HOLDS if facts["holds"] else 0

    def _decide(self, now: Any, goal: Any) -> dict[str, Any]:
        """What is advised, as plain values; drawn where that is asked for."""
        from dataclasses import asdict

        from ncs.agent.advice import advise, draw_advice
        from ncs.agent.agent import Agent
        from ncs.agent.familiar import load_familiar, warn_unlike
        from ncs.agent.shelf import default_model
        from ncs.analysis.pictures import save_png

        model = self.model or default_model(self.world or default_world())
        agent = Agent.load(model, self.preset, self.objects, world=self.world)
        decision = agent.act(now, goal)
        facts = asdict(advise(decision, agent.unit))
        pictures = {str(self.now): now, str(self.goal): goal}
        score, facts["warning"] = warn_unlike(load_familiar(model), pictures)
        facts["unlike"] = list(score.values())
        if self.out is not None:
            save_png(self.out, draw_advice(decision, now, goal))
            facts["out"] = str(self.out)
        return facts


def _line(facts: dict[str, Any]) -> str:
    warning = f"warning: {facts['warning']}\n" if facts["warning"] else ""
    if facts["holds"]:
        return f"{warning}the goal holds: {facts['reason']}"
    pick, place = (", ".join(f"{v:.4g}" for v in facts[end]) for end in ("pick", "place"))
    unit = facts["unit"]
    return f"{warning}pick {pick} {unit}, place {place} {unit}: {facts['reason']}"
