"""The settings of the touched world model: none of them speaks of a world."""

from typing import Self

from pydantic import Field

from ncs.settings import Settings


class TouchedConfig(Settings):
    """Sizes of the network and how it learns; all that a world decides is measured instead."""

    n_slots: int = Field(8, ge=1, le=1000)  # looked for where nobody says how many; costs nothing
    longest: int = Field(128, ge=32, le=1024)  # pixels of the longer side; larger ones are reduced
    width: int = Field(32, ge=4, le=1024)  # channels at half the picture's size, more below
    type_width: int = Field(16, ge=2, le=1024)
    grid: int = Field(16, ge=2, le=128)  # cells of a mask's side
    worlds: int = Field(1, ge=1, le=100)  # buffers it learns from, each with measures of its own

    # Things of another clip are pasted into a picture with this chance: fuller scenes than the
    # buffer's, so that four things teach to see seven.
    paste: float = Field(0.5, ge=0, le=1)
    # Pictures of one clip are lit differently by up to this share: types must not know the light.
    light: float = Field(0.0, ge=0, lt=1)
    # Half of the grounds are painted with blots, darker and paler by up to this share: things on
    # any surface.
    ground: float = Field(0.0, ge=0, lt=1)
    temperature: float = Field(0.1, gt=0)  # of types: how unlike two things should be
    vote_weight: float = Field(0.3, ge=0)
    type_weight: float = Field(0.5, ge=0)
    place_weight: float = Field(5.0, ge=0)
    solid: bool = True  # predicts no move onto another thing

    chunk: int = Field(64, ge=1)  # pictures at a time: stays in the cache
    peak_rate: float = Field(3e-3, gt=0, le=1)
    mover_rate: float = Field(1e-2, gt=0, le=1)  # two numbers that have a long way to go
    warmup_steps: int = Field(50, ge=0)

    def of_several(self, count: int) -> Self:
        """These settings, with room for the measures of several buffers."""
        return self.model_copy(update={"worlds": count})
