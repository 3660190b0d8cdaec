"""ncs solve: rearrange a scene to match a goal, and show how."""

from pathlib import Path
from typing import TYPE_CHECKING, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from ncs.cli.command import Command, Model, World, which_world
from ncs.cli.options import EXTENSIONS
from ncs.records import ConfigError, DataError
from ncs.registry import default_world, find_world

if TYPE_CHECKING:
    from ncs.agent import Trained
    from ncs.agent.recorder import Recorder

SIDE = 64


class Solve(Command):
    """Rearrange a scene to match a goal picture, and show how.

    Plays one task, drawn from the seed, and writes into --out: a GIF and a strip (the scene, the
    goal, matched slots by colour, the chosen pair in bold, the two nodes and their edge, the
    action as an arrow) and trace.json with each step's reason. With --image and --goal-image it
    looks at two pictures of 64 x 64 pixels and says what it would do first.
    """

    world: World = Field(default_world(), description=which_world())
    model: Model | None = Field(None, description="a trained model (default: the one that ships)")
    preset: Literal["paper", "best"] = Field("best", description="the paper's way, or ours")
    objects: int = Field(5, ge=1, description="objects in the scene")
    goal: Literal["complete", "partial"] = Field("complete", description="kind of goal")
    seed: int = Field(0, ge=0, lt=2**63, description="which task")
    slots: int | None = Field(None, ge=1, le=64, description="slots (default: objects and spares)")
    graph: Path | None = Field(None, description="a graph other than the preset's")
    choice: Literal["sample", "argmax"] | None = Field(
        None, description="how a constraint is chosen (default: the preset's way)"
    )
    without: tuple[str, ...] = Field((), description=f"extensions to switch off: {EXTENSIONS}")
    only: tuple[str, ...] = Field(
        (), description=f"extensions to switch on in the paper's preset: {EXTENSIONS}"
    )
    place: tuple[str, ...] = Field(
        (), description="goals set by hand as OBJECT:X,Y in metres, such as 0:0.1,-0.3"
    )
    image: Path | None = Field(None, description="a picture of the scene instead of a world")
    goal_image: Path | None = Field(None, description="a picture of the goal instead of a world's")
    out: Path = Field(Path("runs/solve"), description="folder for GIF, strip and trace")

    @model_validator(mode="after")
    def _is_there(self) -> Self:
        find_world(self.world).check((self.objects,))
        return self

    def run(self) -> None:
        """Plays, draws and reports."""
        from ncs.agent import Trained, default_model

        if (self.image is None) != (self.goal_image is None):
            raise ConfigError("image, goal_image: give both or neither")
        folder = self.model or default_model(self.world)
        trained = Trained.load(folder, self.preset, self.graph, self.world)
        if self.image is not None and self.goal_image is not None:
            self._advise(trained, read_picture(self.image), read_picture(self.goal_image))
        else:
            self._play(trained)

    def _recorder(self, trained: "Trained") -> "Recorder":
        from ncs.agent.presets import Manner
        from ncs.agent.recorder import Recorder

        manner = Manner(self.preset, self.without, self.only, self.choice)
        n_slots = self.slots or trained.slots_for(self.objects, self.preset)
        return Recorder(trained, manner, n_slots, self.seed)

    def _play(self, trained: "Trained") -> None:
        """An episode in a world."""
        from ncs.agent.recorder import play_and_save
        from ncs.cli.console import report
        from ncs.data.seeds import stream
        from ncs.envs import make_env
        from ncs.envs.goal_editing import put_goals

        env = make_env(self.world, n_objects=self.objects, goal=self.goal)
        task = put_goals(env.draw_task(stream("fresh", self.seed, self.objects)), self.place)
        recorder = self._recorder(trained)
        last, steps = play_and_save(env, task, recorder, self.out, self._command())
        verdict = "solved" if last.solved else "not solved"
        facts = {
            "solved": last.solved,
            "steps": steps,
            "minimum_moves": last.minimum_moves,
            "satisfied": last.satisfied,
            "constraints": last.constraints,
            "checkpoint": str(trained.checkpoint),
            "out": str(self.out),
        }
        line = (
            f"{verdict} in {steps} moves ({last.minimum_moves} at least); "
            f"{self.out}/solve.gif, strip.png and trace.json"
        )
        report(line, facts, self.as_json)

    def _advise(
        self, trained: "Trained", image: NDArray[np.uint8], goal: NDArray[np.uint8]
    ) -> None:
        """What to do first about two pictures."""
        from ncs.agent.recorder import save_record
        from ncs.cli.console import report
        from ncs.control.explain import describe

        recorder = self._recorder(trained)
        decision = recorder.act(image, goal)
        step = describe(decision)
        recorder.draw(decision, image, goal, "now")
        save_record(recorder, self.out, {"command": self._command(), "steps": [step]})
        report(
            f"{step['reason']} Action {step['action']} ({self.out}/strip.png)", step, self.as_json
        )

    def _command(self) -> str:
        """The command line that does this again."""
        from ncs.agent.recorder import solve_command

        asked = self.model_dump(exclude={"out", "as_json"}, exclude_none=True)
        return solve_command(asked)


def read_picture(path: Path) -> NDArray[np.uint8]:
    """A 64 x 64 picture from a file; refuses anything else by name."""
    from ncs.data.importing.pictures import load_picture

    image = load_picture(path)
    if image.shape != (SIDE, SIDE, 3):
        height, width = image.shape[:2]
        raise DataError(f"{path}: is {width} x {height} pixels, must be {SIDE} x {SIDE}")
    return image
