"""The models that come with ncs: where they stand, and which of them a world is played with."""

from collections.abc import Iterator
from pathlib import Path

from ncs.records import DataError
from ncs.registry import find_world

SHELF = "checkpoints"  # of the folder one stands in, of the clone, or of the installed package


def shelves() -> Iterator[Path]:
    """Folders of models: the one near by first, then that of the clone or of the wheel."""
    places = (Path.cwd(), *Path(__file__).resolve().parents)
    return (place / SHELF for place in places if (place / SHELF).is_dir())


def shipped_model(name: str) -> Path:
    """The folder of a model that comes with ncs."""
    for shelf in shelves():
        if (shelf / name).is_dir():
            return shelf / name
    raise DataError(
        f"{SHELF}/{name}: is not here; run in a clone of the repository or name a model folder"
    )


def default_model(world: str) -> Path:
    """The folder of the model that is used in a world where none is named."""
    named = find_world(world).model
    if not named:
        raise DataError(f"model: none comes with ncs for {world}; train one and name its folder")
    return named if isinstance(named, Path) else shipped_model(named)
