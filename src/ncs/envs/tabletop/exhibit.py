"""What 'ncs inspect' shows of the table: the meshes of a folder, or of the set in use."""

from pathlib import Path

from ncs.envs.tabletop.mesh_set import choose_meshes
from ncs.registry import Exhibit

WORD = "meshes"


def show_meshes(path: Path) -> Exhibit | None:
    """Every mesh of a mesh folder, or of the set in use for the word; None for anything else."""
    if str(path) != WORD and not (path / "geom").is_dir():
        return None
    from ncs.envs.tabletop.contact_sheet import contact_sheet

    mesh_set = choose_meshes(path if path.is_dir() else None)
    facts = {"kind": WORD, "meshes": len(mesh_set.names), "hash": mesh_set.hash}
    line = f"{path}: {len(mesh_set.names)} meshes (set {mesh_set.hash[:12]}), all sound"
    return Exhibit(line, facts, contact_sheet(mesh_set))
