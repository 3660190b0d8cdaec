"""How a decision is made: the paper's way, and the extensions one by one."""

from typing import Literal, Self

from ncs.settings import Settings

EXTENSIONS = (
    "composed",
    "residual",
    "whiten",
    "shortest_path",
    "order",
    "distrust",
    "settled",
    "presence",
    "remember",
    "doubt",
    "room",
)


class ControlConfig(Settings):
    """Switches of Algorithm 2. The defaults are the paper's; every extension is off."""

    choice: Literal["sample", "argmax"] = "sample"  # the paper found sampling better
    # Extensions
    presence: bool = False  # slots that stand for nothing are neither matched nor chosen
    whiten: bool = False  # types are compared in the metric learned from moved pairs
    settled: bool = False  # constraints that hold are not touched again
    composed: bool = False  # where no edge was seen: pick as from node i, place as at node j
    residual: bool = False  # actions are aimed at the exact states, not at their nodes
    shortest_path: bool = False  # where no edge leads there: by way of other nodes
    order: bool = False  # an occupied target waits, and a ring of them is broken by parking one
    distrust: bool = False  # an edge that failed is not used again in this episode
    remember: bool = False  # entities are followed from frame to frame, their types averaged
    room: bool = False  # what would not go where it should is put a little away from what is near
    doubt: bool = False  # all holds, yet it goes on: two look-alikes may have been confused

    @classmethod
    def paper(cls) -> Self:
        """The paper's control."""
        return cls()

    @classmethod
    def best(cls) -> Self:
        """Every extension on."""
        # Settled constraints are told apart by a learned threshold, so there is nothing to sample.
        return cls(choice="argmax", **dict.fromkeys(EXTENSIONS, True))
