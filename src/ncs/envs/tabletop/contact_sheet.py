"""A picture of every mesh of a set, from above, with its name.

Legend: M meshes, H height, W width, C colour channels.
"""

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from ncs.envs.tabletop.meshes import MeshSet
from ncs.envs.tabletop.scene import stage_for

COLUMNS = 10
LETTER = 6  # pixels a letter of the default font is wide
LABEL = 14  # pixels below a picture for its name
# Softer than a scene's colours, which are so full that they drown the shading.
INKS = np.array([[0.1, 0.45, 0.85], [1, 0.5, 0], [0, 0.7, 0.3], [0.8, 0.1, 0.3], [0.5, 0.2, 0.9]])


def portraits(mesh_set: MeshSet, size: int = 120) -> NDArray[np.uint8]:
    """Every mesh alone, close up, (M, size, size, 3)."""
    stage = stage_for(mesh_set)
    return np.stack(
        [stage.portrait(kind, INKS[kind % len(INKS)], size) for kind in range(len(mesh_set.mesh))]
    )


def contact_sheet(mesh_set: MeshSet, size: int = 120) -> NDArray[np.uint8]:
    """All meshes on one sheet (H, W, 3), row by row in the order of their names."""
    n_rows = -(-len(mesh_set.mesh) // COLUMNS)
    sheet = Image.new("RGB", (COLUMNS * size, n_rows * (size + LABEL)), "white")
    draw = ImageDraw.Draw(sheet)
    for kind, portrait_HWC in enumerate(portraits(mesh_set, size)):
        left, top = kind % COLUMNS * size, kind // COLUMNS * (size + LABEL)
        sheet.paste(Image.fromarray(portrait_HWC), (left, top))
        name = mesh_set.names[kind][: size // LETTER]
        draw.text((left + 2, top + size), name, fill="black")
    return np.asarray(sheet)
