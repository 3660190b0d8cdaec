"""The fast world model's settings."""

from typing import Literal, Self

from pydantic import Field, model_validator

from ncs.records import ConfigError
from ncs.registry import facts_of
from ncs.settings import Settings


class PlacedConfig(Settings):
    """Every part of the fast world model; the defaults are for equal cubes.

    Lengths without a unit are in places: the picture is 2 wide, so 1 is 32 pixels of 64.
    """

    size: int = Field(64, ge=8, le=1024)  # pixels of an image's side
    cell: int = Field(4, ge=1, le=64)  # pixels of a grid cell's side: a cube spans three or four

    # What the buffer says about the background: its median, a constant, or pixels learned along.
    background: Literal["median", "learned"] = "median"
    # Pixels where the buffer shows nothing but background are never looked at.
    stage: bool = False
    # Cells that differ from the background go to slots, the others to the background.
    saliency: bool = True
    saliency_scale: float = Field(0.01, gt=0, le=1)  # a sure difference: three of 255 levels
    # Slots start on what stands out, one thing at a time, or anywhere.
    seeding: Literal["salient", "random"] = "salient"
    seed_colour: float = Field(0.15, gt=0)  # how far the colours of one thing's cells may differ
    # Cosine from which colours are one thing's. Things of other colours may be near each other; 0:
    # nothing may, as on a grid, where a cube's neighbour is a cell away and may have its colour.
    alike: float = Field(0.0, ge=0, le=1)
    spacing: float = Field(0.4, gt=0)  # things are further apart: cells are 0.5 wide

    features: int = Field(64, ge=4, le=4096)
    slot_width: int = Field(32, ge=4, le=4096)
    # Initial radius of a slot's attention, 0 is everywhere. At 0.25 neighbours blur each other.
    locality: float = Field(0.12, ge=0)
    absolute: bool = False  # adds positions to keys: off, nothing depends on where a thing is
    iterations: int = Field(3, ge=1, le=20)
    gradient: Literal["unrolled", "implicit"] = "unrolled"  # with salient seeds either learns
    normalise: Literal["mean", "sum"] = "mean"

    type_width: int = Field(12, ge=1, le=4096)
    type_reach: Literal[1, 3] = 1  # cells across; 3 sees as well: docs/ablations.md
    place: Literal["pixels", "cells"] = "pixels"  # centre of what stands out, or of whole cells
    window: int = Field(
        19, ge=2, le=1024
    )  # pixels a slot paints: a cube's 13 and a margin, odd alike
    decoder_width: int = Field(128, ge=4, le=4096)

    # Slots in training, drawn for each batch: always a few too many, never a number to rely on.
    slots_low: int = Field(5, ge=1, le=1000)
    slots_high: int = Field(7, ge=1, le=1000)
    consistency: float = Field(0.0, ge=0)  # weight of type changes from frame to frame
    # Weight of half-opaque pixels: a pale square and a glaring veil look alike on plain ground.
    crispness: float = Field(0.05, ge=0)

    dynamics_width: int = Field(32, ge=1, le=4096)
    pick_radius: float = Field(0.25, gt=0)  # half a cell; exact picks cannot teach it
    solid: bool = True  # predicts no move onto another thing: the buffer shows none

    # Use: what the figures of graph and control are made with.
    encode_iterations: int = Field(5, ge=1, le=50)
    attempts: int = Field(6, ge=1, le=100)  # at most: two that agree and leave nothing are enough
    tolerance: float = Field(0.15, ge=0)  # a colour that is further off is something left
    repairs: int = Field(1, ge=0, le=20)  # rounds of moving idle slots onto what is unexplained
    least_pixels: float = Field(50.0, ge=0)  # a slot that explains fewer stands for nothing
    slot_price: float = Field(0.02, ge=0)  # squared error that one slot more must save
    chunk: int = Field(64, ge=1)  # images at a time: stays in the cache

    peak_rate: float = Field(1e-3, gt=0, le=1)
    mover_rate: float = Field(5e-3, gt=0, le=1)  # a few numbers that have a long way to go
    warmup_steps: int = Field(200, ge=0)

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.size % self.cell:
            raise ConfigError(f"cell: must divide size {self.size}, got {self.cell}")
        if self.slots_low > self.slots_high:
            raise ConfigError(
                f"slots_low: must be at most slots_high {self.slots_high}, got {self.slots_low}"
            )
        return self

    @property
    def side(self) -> int:
        """Cells of the grid's side."""
        return self.size // self.cell

    @classmethod
    def fast(cls, world: str) -> Self:
        """The settings that two cores train in a quarter of an hour, for a world."""
        return cls(**facts_of(world).networks.get("placed", {}))
