"""Which meshes a world draws from: the package's own 94, or a folder the user names."""

import functools
import os
from pathlib import Path

from ncs.envs.tabletop.facts import MESHES_VARIABLE
from ncs.envs.tabletop.household import household
from ncs.envs.tabletop.meshes import MeshSet, load_folder, make_set
from ncs.envs.tabletop.solids import solids


def choose_meshes(folder: str | os.PathLike[str] | None = None) -> MeshSet:
    """The meshes of a folder, else of the folder NCS_MESHES names, else the package's own.

    A set is read once a process; changes to a folder are seen by the next process.
    """
    chosen = folder or os.environ.get(MESHES_VARIABLE)
    return _folder_meshes(Path(chosen).expanduser().absolute()) if chosen else own_meshes()


@functools.lru_cache(maxsize=4)
def _folder_meshes(folder: Path) -> MeshSet:
    """The meshes of a folder, read once."""
    return load_folder(folder)


@functools.cache
def own_meshes() -> MeshSet:
    """The package's own 94: 15 geometric solids and 79 household shapes."""
    parts = {name: [surface] for name, surface in solids().items()}
    return make_set({**parts, **household()})
