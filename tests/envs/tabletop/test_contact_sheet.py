"""Every mesh has its picture on the sheet."""

import numpy as np

from ncs.envs.tabletop.contact_sheet import COLUMNS, LABEL, contact_sheet, portraits
from ncs.envs.tabletop.mesh_set import own_meshes


def test_every_portrait_shows_a_whole_object_on_white() -> None:
    for name, portrait in zip(own_meshes().names, portraits(own_meshes(), 48), strict=True):
        ink = (portrait != 255).any(axis=-1)
        assert ink.mean() > 0.02, name
        assert not ink[[0, -1]].any(), f"{name} is cut off"
        assert not ink[:, [0, -1]].any(), f"{name} is cut off"


def test_the_sheet_has_a_row_for_every_ten() -> None:
    sheet = contact_sheet(own_meshes(), 40)
    assert sheet.shape == (10 * (40 + LABEL), COLUMNS * 40, 3)
    assert (sheet[40 : 40 + LABEL, :40] != 255).any(), "no name below the first picture"
    assert (np.unique(sheet.reshape(-1, 3), axis=0).shape[0]) > 100
