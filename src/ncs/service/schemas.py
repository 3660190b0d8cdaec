"""What the service takes and gives, typed and bounded."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

MOST_PICTURE = 12 << 20  # characters: 9 MB of PNG, JPEG or WebP
GREY = (  # a picture of 8 x 8 pixels
    "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAFUlEQVR42mPct28fAzbAxIADDE4JAL/zAkpMrtAdAAAAAE"
    "lFTkSuQmCC"
)
PICTURE = {"contentEncoding": "base64", "contentMediaType": "image/*"}
Base64 = Annotated[
    str,
    Field(
        max_length=MOST_PICTURE,
        description="PNG, JPEG or WebP, in base64",
        examples=[GREY],
        json_schema_extra=dict(PICTURE),
    ),
]
Name = Annotated[str, Field(pattern=r"^[0-9a-f]{16}$", description="as 'POST /v1/episodes' gave")]


class Body(BaseModel):
    """Base of every request and answer: no unknown keys."""

    model_config = ConfigDict(extra="forbid")


class Question(Body):
    """Base of every request: nothing is taken for what it is not, such as true for 1."""

    model_config = ConfigDict(strict=True)


class ActRequest(Question):
    """Two pictures of any size, and the episode they belong to."""

    now: Base64
    goal: Base64
    episode: Name | None = None


class EpisodeRequest(Question):
    """A new episode: what was tried in it is remembered until it is closed."""

    seed: int = Field(0, ge=0, lt=2**63)


class EpisodeAnswer(Body):
    """An episode's name."""

    episode: str


class Move(Body):
    """A pick and a place."""

    pick: list[float] = Field(description="x, y, z")
    place: list[float] = Field(description="x, y, z")


class ActAnswer(Body):
    """What to do next, and why."""

    holds: bool = Field(description="the goal holds as far as can be seen: nothing is to be done")
    move: Move | None = Field(description="in the unit below; null where the goal holds")
    unit: str
    reason: str
    seen: int = Field(description="things seen in the scene")
    wanted: int = Field(description="things seen in the goal")


class Health(Body):
    """Whether the service is up, and with what."""

    status: str
    world: str
    checkpoint: str
    episodes: int
    waiting: int


class Refusal(Body):
    """One line that says what is wrong."""

    error: str
