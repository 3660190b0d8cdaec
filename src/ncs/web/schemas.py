"""What requests hold: typed, bounded, and refused in one line like any other setting."""

from typing import Annotated, Literal

from pydantic import Field

from ncs.settings import Settings

Name = Annotated[str, Field(min_length=1, max_length=100)]
Place = Annotated[str, Field(max_length=40)]


class ModelRequest(Settings):
    """A model and one of its graphs."""

    model: Name
    preset: Literal["paper", "best"] = "best"
    nodes: int | None = Field(None, ge=2, le=128)  # None: the graph that stands beside the model


class AgentRequest(ModelRequest):
    """How the agent is to play: what the sliders and switches say."""

    slots: int | None = Field(None, ge=1, le=32)  # None: one an object and the usual spares
    choice: Literal["sample", "argmax"] | None = None
    without: tuple[Name, ...] = Field((), max_length=20)
    only: tuple[Name, ...] = Field((), max_length=20)


class TaskRequest(AgentRequest):
    """A task drawn from a seed, with goals moved by hand."""

    objects: int = Field(5, ge=1, le=12)
    goal: Literal["complete", "partial"] = "complete"
    seed: int = Field(0, ge=0, lt=2**53)  # a page's numbers are exact up to here
    place: tuple[Place, ...] = Field((), max_length=64)  # in the order they were made


class Drag(Settings):
    """An object of the goal and where in the picture it is put."""

    index: int = Field(ge=0, le=31)
    x: float = Field(ge=-1, le=2)  # shares of width and height; a hand may leave the picture
    y: float = Field(ge=-1, le=2)


class SceneRequest(TaskRequest):
    """A task to look at, and perhaps a drag in its goal."""

    drag: Drag | None = None


class Crop(Settings):
    """A part of a picture, in shares of its width and height."""

    x: float = Field(ge=0, le=1)
    y: float = Field(ge=0, le=1)
    width: float = Field(gt=0.01, le=1)
    height: float = Field(gt=0.01, le=1)

    def box(self, pixels: tuple[int, int]) -> tuple[float, float, float, float]:
        """Its left, top, right and bottom in a picture (W, H), never outside of it."""
        wide, high = pixels
        right, bottom = min(1.0, self.x + self.width), min(1.0, self.y + self.height)
        left, top = min(self.x, right - 0.01), min(self.y, bottom - 0.01)
        return left * wide, top * high, right * wide, bottom * high


class PairRequest(AgentRequest):
    """How two pictures of one's own are to be looked at: the part of both that counts."""

    crop: Crop | None = None  # None: the largest of the right shape, in the middle


class HealthRequest(Settings):
    """A slot health report."""

    model: Name
    objects: int = Field(4, ge=1, le=12)
    clips: int = Field(20, ge=1, le=200)
