"""Takes a model folder, gives the service that answers with it."""

from pathlib import Path

from ncs.agent.advice import advise
from ncs.agent.players import players_of
from ncs.agent.presets import Manner
from ncs.agent.trained import Trained
from ncs.records import Preset
from ncs.registry import facts_of
from ncs.service.app import Service


def make_service(
    folder: Path, preset: Preset = "best", objects: int | None = None, world: str | None = None
) -> Service:
    """The service of a folder made by 'ncs train' and 'ncs graph'.

    Args:
        folder: Of the model.
        preset: The paper's way, or ours.
        objects: Things there may be at most; as many as the world has where nobody says.
        world: Where it is to act, of those that the model was trained on.
    """
    trained = Trained.load(folder, preset, world=world)
    n_slots = trained.slots_for(objects or facts_of(trained.world).objects[1], preset)
    players = players_of(trained, Manner(preset), n_slots)
    facts = {"world": trained.world, "checkpoint": str(trained.checkpoint)}
    return Service(players, lambda decision: advise(decision, trained.seen.unit), facts)
