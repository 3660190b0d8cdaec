"""Every number of dSLATE, with the paper's hyperparameter table as defaults."""

import math
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from ncs.model.dslate.dvae import Upsampling
from ncs.model.dslate.slots import Gradient, Initial
from ncs.records import ConfigError
from ncs.settings import Settings

Six = tuple[float, float, float, float, float, float]
MOST_CELLS = 4096  # of a picture: each looks at all, so memory grows with their square
UNIT_LOW: Six = (-1.0, -1.0, 0.0, -1.0, -1.0, 0.0)
UNIT_HIGH: Six = (1.0, 1.0, 0.0, 1.0, 1.0, 0.0)


class DslateConfig(Settings):
    """Every number of dSLATE; the defaults are the paper's hyperparameter table."""

    image_size: int = Field(64, ge=8, le=512)  # the paper's
    patch: Literal[4, 8] = 4  # pixels a token covers on a side: 16×16 tokens
    vocabulary: int = Field(4096, ge=2, le=16_384)  # the paper's; SLATE's own default is 1024
    dvae_width: int = Field(64, ge=4, le=1024)  # SLATE
    dvae_norm: bool = True  # SLATE normalises every layer, STEVE none
    dvae_upsampling: Upsampling = "stepwise"  # SLATE's; "once" is a tenth of the cost
    dvae_palette: bool = False  # True: each token starts as a colour, see Dvae
    dvae_words: bool = False  # True: each starts as a patch of the buffer instead; not with --start
    temperature_start: float = Field(1.0, gt=0)
    temperature_end: float = Field(0.1, gt=0)
    temperature_steps: int = Field(
        30_000, ge=1, le=1_000_000_000
    )  # the paper's cool-down, on a cosine

    input: Literal["tokens", "cnn"] = "tokens"  # what slot attention reads
    input_patch: Literal[4, 8] = 4  # pixels a cell of slot attention covers; cnn input only
    n_slots: int = Field(5, ge=1, le=1000)  # in training: one more than the objects of the buffer
    initial: Initial = "gaussian"  # the paper's; "thinned" begins with twice as many slots
    iterations: int = Field(3, ge=1, le=100)  # in training
    inference_iterations: int = Field(7, ge=1, le=1000)  # the paper uses more for the graph
    attempts: int = Field(1, ge=1, le=64)  # starts tried in use, the best kept; the paper tries 1
    # Nats that one slot more must save in a single image, where slots are no more than that takes;
    # 0 uses as many as it is told to, as the paper does.
    slot_price: float = Field(0.0, ge=0)
    slot_width: int = Field(192, ge=2, le=4096)
    type_width: int = Field(96, ge=1, le=4096)  # the rest of a slot is its state
    slot_hidden: int = Field(
        192, ge=1, le=16_384
    )  # of the residual step; SLATE's, the paper gives none
    gradient: Gradient = "unrolled"  # implicit: through the last iteration only

    decoder_layers: int = Field(4, ge=1, le=64)
    decoder_heads: int = Field(4, ge=1, le=64)
    decoder_width: int = Field(192, ge=1, le=4096)
    dynamics_layers: int = Field(4, ge=1, le=64)
    dynamics_heads: int = Field(4, ge=1, le=64)
    dynamics_residual: bool = False  # True: a state may pass unchanged from the first step on

    clip_length: int = Field(5, ge=2, le=1000)  # frames the filter runs over in training
    consistency: float = Field(0.0, ge=0)  # pulls predicted to corrected slots; not in the paper
    consistency_after: int = Field(
        0, ge=0, le=1_000_000_000
    )  # steps before that pull: at first it hinders finding
    dropout: float = Field(0.1, ge=0, lt=1)  # as SLATE: embeddings, attention weights, branches
    bf16: bool = False  # matrix products only; wins where the CPU or GPU has bf16 units

    dvae_rate: float = Field(3e-4, gt=0)
    slots_rate: float = Field(2e-4, gt=0)
    dynamics_rate: float = Field(2e-4, gt=0)  # the paper has one rate for slots and dynamics
    decoder_rate: float = Field(2e-4, gt=0)
    warmup_steps: int = Field(30_000, ge=0, le=1_000_000_000)  # not for the dVAE

    # Metres, w then Δw, as far as actions reach; training takes them from the buffer's own where
    # none are given. Numbers whose bounds agree, such as the height, are read as 0.
    action_low: Six | None = None
    action_high: Six | None = None
    presence_mass: float = Field(0.0, ge=0)  # cells a slot must claim to count; 0: all do (paper)

    @classmethod
    def paper(cls) -> Self:
        """The paper's architecture and numbers."""
        return cls()

    @classmethod
    def cpu(cls) -> Self:
        """The same architecture, cut to what two cores can train: some 250 frames/s a core."""
        return cls(
            patch=8,  # 64 tokens cost a quarter or less of 256
            vocabulary=128,  # a palette of five levels a channel
            dvae_norm=False,  # learns faster from few steps
            dvae_upsampling="once",  # SLATE's decoder would be three quarters of the step
            dvae_palette=True,  # tokens that mean something from the first step
            temperature_steps=1500,
            n_slots=5,  # the four objects and the background: a sixth shares an object
            slot_width=64,
            type_width=32,
            slot_hidden=64,
            gradient="implicit",  # cheaper, and types come out cleaner: see dslate_options.py
            decoder_layers=2,  # a weak decoder leans on the slots
            decoder_width=64,
            dynamics_layers=2,
            dynamics_residual=True,
            attempts=4,  # one start in five settles on two objects at once
            slot_price=1.5,  # an object saves about ten, a faint one two, a shared one half
            clip_length=2,  # twice the different scenes for the same frames
            consistency=0.1,  # teaches the dynamics sooner than tokens alone do
            consistency_after=3500,  # once objects are found
            dropout=0.0,
            dvae_rate=1e-3,
            slots_rate=4e-4,
            dynamics_rate=2e-3,  # at the slots' rate it lags, and slots lose what moved
            decoder_rate=1e-3,
            warmup_steps=500,
        )

    @model_validator(mode="after")
    def _fits(self) -> Self:
        state_width = self.slot_width - self.type_width
        if state_width < 1:
            raise ValueError("type_width must leave room in slot_width for a state")
        if self.decoder_width % self.decoder_heads or state_width % self.dynamics_heads:
            raise ValueError("decoder_width and the state's width must be multiples of the heads")
        if self.dvae_words and not self.dvae_palette:
            raise ValueError("dvae_words needs dvae_palette, whose place the patches take")
        if self.image_size % self.patch or self.image_size % self.input_patch:
            raise ValueError("image_size must be a multiple of patch and input_patch")
        if (self.image_size // self.patch) ** 2 > MOST_CELLS:
            raise ValueError(f"image_size and patch make over {MOST_CELLS} cells of a picture")
        return self

    def fit(self, action_XA: NDArray[np.floating[Any]]) -> Self:
        """These settings, with bounds that hold every pick and place of a buffer's actions."""
        if self.action_low is not None and self.action_high is not None:
            return self
        point_X2 = np.concatenate([action_XA[:, :2], action_XA[:, :2] + action_XA[:, 3:5]])
        (west, south), (east, north) = point_X2.min(axis=0).tolist(), point_X2.max(axis=0).tolist()
        low = (west, south, 0.0, west - east, south - north, 0.0)
        high = (east, north, 0.0, east - west, north - south, 0.0)
        return self.model_copy(update={"action_low": low, "action_high": high})

    def check_start(self) -> None:
        """Refuses to begin with another model's weights where words would take their place."""
        if self.dvae_words:
            raise ConfigError(
                "network.dvae_words: takes words from the buffer in place of those of --start; "
                "leave one of the two away"
            )

    @property
    def action_bounds(self) -> tuple[Six, Six]:
        """The bounds, or a metre to either side until training has seen some actions."""
        return self.action_low or UNIT_LOW, self.action_high or UNIT_HIGH

    @property
    def state_width(self) -> int:
        """Channels of a slot that an action may change."""
        return self.slot_width - self.type_width

    @property
    def n_tokens(self) -> int:
        """Tokens of a picture."""
        return (self.image_size // self.patch) ** 2

    def temperature(self, step: int) -> float:
        """The Gumbel temperature at a step: a cosine from start to end, then constant."""
        done = min(step / self.temperature_steps, 1.0)
        span = self.temperature_start - self.temperature_end
        return self.temperature_end + span * 0.5 * (1 + math.cos(math.pi * done))
