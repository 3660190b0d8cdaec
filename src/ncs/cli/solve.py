"""ncs solve: one task, watched step by step."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from ncs.cli.command import Command, World
from ncs.records import ConfigError, DataError, Entities

if TYPE_CHECKING:
    from ncs.agent import Mind
    from ncs.analysis.trace import Look

DEFAULT_MODELS = {"block-rearrange": "blocks-fast-0", "robogym-rearrange": "robogym-fast-0"}
SIDE = 64


class Solve(Command):
    """Rearrange a scene to match a goal picture, and show how.

    Plays one task, drawn from the seed, and writes into --out: a GIF and a strip (the scene, the
    goal, matched slots by colour, the chosen pair in bold, the two nodes and their edge, the
    action as an arrow) and trace.json with each step's reason. With --image and --goal-image it
    looks at two PNG files of 64 x 64 pixels and says what it would do first.
    """

    world: World = Field("block-rearrange", description="which world")
    model: Path | None = Field(None, description="a trained model (default: the one that ships)")
    preset: Literal["paper", "best"] = Field("best", description="the paper's way, or ours")
    objects: int = Field(5, ge=1, le=12, description="objects in the scene")
    goal: Literal["complete", "partial"] = Field("complete", description="kind of goal")
    seed: int = Field(0, ge=0, lt=2**63, description="which task")
    slots: int | None = Field(None, ge=1, le=64, description="slots (default: objects and spares)")
    image: Path | None = Field(None, description="a picture of the scene instead of a world")
    goal_image: Path | None = Field(None, description="a picture of the goal instead of a world's")
    out: Path = Field(Path("runs/solve"), description="folder for GIF, strip and trace")

    def run(self) -> None:
        """Plays, draws and reports."""
        from ncs.agent import Mind

        if (self.image is None) != (self.goal_image is None):
            raise ConfigError("image, goal_image: give both or neither")
        mind = Mind.load(self.model or default_model(self.world), self.preset)
        if mind.world != self.world:
            raise ConfigError(f"model: was trained on {mind.world}, not on {self.world}")
        if self.image is not None and self.goal_image is not None:
            self._advise(mind, read_picture(self.image), read_picture(self.goal_image))
        else:
            self._play(mind)

    def _n_slots(self, mind: "Mind") -> int:
        return self.slots or self.objects + mind.spare

    def _play(self, mind: "Mind") -> None:
        """An episode in a world."""
        from ncs.cli.console import report
        from ncs.data.seeds import stream
        from ncs.envs import make_env

        env = make_env(self.world, n_objects=self.objects, goal=self.goal)
        observation, info = env.reset(
            options={"task": env.draw_task(stream("fresh", self.seed, self.objects))}
        )
        watcher = Watcher(mind, self.preset, self._n_slots(mind), self.seed)
        steps: list[dict[str, Any]] = []
        done = False
        while not done:
            title = f"step {len(steps) + 1}: {info['satisfied']}/{info['constraints']} hold"
            action = watcher.act(observation["image"], observation["goal"], title)
            observation, _, terminated, truncated, info = env.step(action)
            done = terminated or truncated
            steps.append({**watcher.reason(), "satisfied_after": info["satisfied"]})
        watcher.finish(observation["image"], observation["goal"], terminated)
        watcher.save(self.out, {"command": self._command(), "solved": terminated, "steps": steps})
        verdict = "solved" if terminated else "not solved"
        facts = {
            "solved": terminated,
            "steps": len(steps),
            "minimum_moves": info["minimum_moves"],
            "satisfied": info["satisfied"],
            "constraints": info["constraints"],
            "checkpoint": mind.checkpoint,
            "out": str(self.out),
        }
        line = (
            f"{verdict} in {len(steps)} moves ({info['minimum_moves']} at least); "
            f"{self.out}/solve.gif, strip.png and trace.json"
        )
        report(line, facts, self.as_json)

    def _advise(self, mind: "Mind", image: NDArray[np.uint8], goal: NDArray[np.uint8]) -> None:
        """What to do first about two pictures."""
        from ncs.cli.console import report

        watcher = Watcher(mind, self.preset, self._n_slots(mind), self.seed)
        watcher.act(image, goal, "now")
        step = watcher.reason()
        watcher.save(self.out, {"command": self._command(), "steps": [step]})
        report(
            f"{step['reason']}; action {step['action']} ({self.out}/strip.png)", step, self.as_json
        )

    def _command(self) -> str:
        """The command line that does this again."""
        words = ["ncs solve", f"--world {self.world}", f"--preset {self.preset}"]
        words += [f"--model {self.model}"] if self.model else []
        words += [f"--slots {self.slots}"] if self.slots else []
        if self.image is not None:
            return " ".join([*words, f"--image {self.image}", f"--goal-image {self.goal_image}"])
        return " ".join(
            [*words, f"--objects {self.objects}", f"--goal {self.goal}", f"--seed {self.seed}"]
        )


class Watcher:
    """An agent whose every step is drawn."""

    def __init__(self, mind: "Mind", preset: Literal["paper", "best"], n_slots: int, seed: int):
        from ncs.agent import Agent, Eye, arena, control_preset
        from ncs.control.policy import GraphPolicy

        self._mind = mind
        self._eye = Eye(mind.model, n_slots, seed)
        self._seen: dict[bytes, Entities] = {}
        policy = GraphPolicy(self._look, mind.graph, control_preset(preset), arena(mind.world))
        self._agent = Agent(policy, seed)
        self._rows: list[NDArray[np.uint8]] = []

    def _look(self, image_BHWC: NDArray[np.uint8], lane_B: Sequence[int]) -> list[Entities]:
        """The eye, with what it saw kept for the drawing."""
        found = self._eye(image_BHWC, lane_B)
        for image, entities in zip(image_BHWC, found, strict=True):
            self._seen[image.tobytes()] = entities
        return found

    def _as_look(self, image: NDArray[np.uint8]) -> "Look":
        from ncs.analysis.trace import Look

        entities = self._seen[image.tobytes()]
        return Look(image, entities.mask, entities.presence)

    def act(
        self, image: NDArray[np.uint8], goal: NDArray[np.uint8], title: str
    ) -> NDArray[np.float32]:
        """The next action; its reason and picture are kept."""
        from ncs.analysis.trace import draw_step
        from ncs.control.decision import explain

        decision = self._agent.act(image, goal)
        self._reason = explain(decision)
        now, then = self._as_look(image), self._as_look(goal)
        self._rows.append(draw_step(now, then, self._reason, self._mind.graph.mask, title))
        return decision.action

    def reason(self) -> dict[str, Any]:
        """The latest decision as plain values."""
        return self._reason

    def finish(self, image: NDArray[np.uint8], goal: NDArray[np.uint8], solved: bool) -> None:
        """Draws the end of an episode."""
        from ncs.analysis.pictures import enlarge, strip
        from ncs.analysis.trace import SCALE

        title = "solved" if solved else "out of steps"
        self._rows.append(strip([enlarge(image, SCALE), enlarge(goal, SCALE)], [title, "goal"], 0))

    def save(self, out: Path, trace: dict[str, Any]) -> None:
        """Writes the GIF, the strip and the trace."""
        from ncs.analysis.pictures import save_png
        from ncs.analysis.trace import save_gif, stack
        from ncs.storage import write_bytes

        save_gif(out / "solve.gif", self._rows)
        save_png(out / "strip.png", stack(self._rows))
        text = json.dumps({"checkpoint": self._mind.checkpoint, **trace}, indent=1)
        write_bytes(out / "trace.json", text.encode())


def default_model(world: str) -> Path:
    """The model that ships with the repository."""
    from ncs.agent import shipped_model

    return shipped_model(DEFAULT_MODELS[world])


def read_picture(path: Path) -> NDArray[np.uint8]:
    """A 64 x 64 picture from a PNG file; refuses anything else by name."""
    from PIL import Image

    try:
        with Image.open(path) as image:
            if image.format != "PNG":
                raise DataError(f"{path}: is {image.format}, not PNG")
            if image.size != (SIDE, SIDE):
                raise DataError(
                    f"{path}: is {image.width} x {image.height} pixels, must be {SIDE} x {SIDE}"
                )
            return np.array(image.convert("RGB"))
    except FileNotFoundError:
        raise DataError(f"{path}: there is no such file") from None
    except (OSError, ValueError, Image.DecompressionBombError, SyntaxError):
        raise DataError(f"{path}: is not a picture that can be read") from None
