"""How much of the paper is done again: a smoke test, a laptop's share, or all of it."""

from typing import Literal, Self

from pydantic import Field

from ncs.records import ConfigError, Split
from ncs.registry import paper_worlds
from ncs.settings import Settings

ScaleName = Literal["smoke", "laptop", "paper"]
STUDIES = ("clusters", "clips", "slots", "horizon", "noise", "choice", "representation")


class Scale(Settings):
    """The size of everything; the defaults are the paper's."""

    name: ScaleName
    worlds: tuple[str, ...] = Field(default_factory=paper_worlds)
    methods: tuple[str, ...] = ()  # all there are
    studies: tuple[str, ...] = STUDIES
    # What is learned from, and how long
    clips: int = Field(5000, ge=1)
    preset: Literal["paper", "cpu", "fast"] = "paper"
    steps: int | None = None  # the preset's
    rival_steps: int | None = None  # the rival's own
    rival_batch: int | None = None
    graph_clips: int = Field(5000, ge=1)  # with every extension, which compose edges
    paper_clips: int = Field(5000, ge=1)  # the paper's way, where an edge must have been seen
    dslate: tuple[str, ...] = ()  # worlds that get a dSLATE of preset "cpu" beside the model
    # Table 1
    split: Split = "test"
    objects: tuple[int, ...] = (4, 5, 6, 7)
    seeds: int = Field(10, ge=1, le=10)
    episodes: int = Field(100, ge=1, le=100)
    slow_seeds: int = Field(10, ge=1, le=10)  # of methods that plan by rolling a model out
    slow_episodes: int = Field(100, ge=1, le=100)
    dslate_episodes: int = Field(100, ge=1, le=100)  # of a dSLATE beside the model
    slowest_episodes: int = Field(100, ge=1, le=100)  # of planning with that dSLATE
    population: int | None = None  # of MPC's search; its own
    iterations: int | None = None
    # Ablations: four objects and complete goals, as in Appendix C, on tasks kept for tuning
    study_split: Split = "dev"
    study_objects: int = 4
    study_seeds: int = Field(10, ge=1, le=10)
    study_episodes: int = Field(100, ge=1, le=100)
    clusters: tuple[int, ...] = (16, 20, 25, 30, 35, 40, 45, 50)
    shares: tuple[float, ...] = (0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0)  # of each graph's clips
    slots: tuple[int, ...] = (3, 4, 5, 6, 8, 10)  # too few, enough, double
    horizons: tuple[int, ...] = (1, 2, 4, 8)
    noises: tuple[float, ...] = (0.0, 0.25, 0.5, 1.0, 2.0)  # of what a pick may miss by
    # Figures
    states: int = Field(1500, ge=10)  # points of the t-SNE: more hide one another

    @classmethod
    def named(cls, name: ScaleName) -> Self:
        """The scale of a name."""
        return cls(**{"name": name, **_CHANGES[name]})

    def narrowed(
        self,
        worlds: tuple[str, ...],
        methods: tuple[str, ...],
        studies: tuple[str, ...] | None,
        seeds: int | None,
        episodes: int | None,
    ) -> Self:
        """The scale with less in it."""
        unknown = sorted(set(studies or ()) - set(STUDIES))
        if unknown:
            raise ConfigError(f"studies: there is no {unknown[0]!r}, choose from {STUDIES}")
        values = self.model_dump()
        values |= {"worlds": worlds or self.worlds, "methods": methods or self.methods}
        values |= {} if studies is None else {"studies": studies}
        for limit, fields in ((seeds, "seeds"), (episodes, "episodes")):
            if limit is not None:
                for prefix in ("", "slow_", "dslate_", "slowest_", "study_"):
                    if prefix + fields in values:
                        values[prefix + fields] = limit
        return type(self)(**values)


_CHANGES: dict[ScaleName, dict[str, object]] = {
    "paper": {},
    # Hours on two cores. A fast model stands in for dSLATE, which has lines of its own in one
    # world, and MPC plays fewer episodes, which its line in the table says.
    "laptop": {
        "preset": "fast",
        "methods": ("random", "ncs", "nf", "mpc", "bc", "iql", "gcivl"),  # no oracle
        "dslate": paper_worlds()[:1],
        "graph_clips": 500,  # more gain nothing where edges are composed
        "slow_episodes": 5,
        "dslate_episodes": 20,
        "slowest_episodes": 1,
        "study_seeds": 2,
        "study_episodes": 25,
    },
    # Minutes on two cores: every part runs, none of its numbers means anything.
    "smoke": {
        "clips": 60,
        "preset": "fast",
        "steps": 60,
        "rival_steps": 20,
        "rival_batch": 8,
        "graph_clips": 40,
        "paper_clips": 60,
        "dslate": paper_worlds()[:1],
        "dslate_episodes": 1,
        "slowest_episodes": 1,
        "split": "dev",
        "seeds": 2,
        "episodes": 1,
        "slow_seeds": 1,
        "slow_episodes": 1,
        "population": 50,
        "iterations": 2,
        "study_seeds": 1,
        "study_episodes": 2,
        "clusters": (16, 50),
        "shares": (0.25, 1.0),
        "slots": (3, 5, 10),
        "horizons": (1, 8),
        "noises": (0.0, 1.0),
        "states": 200,
    },
}
