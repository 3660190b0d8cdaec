"""What a path holds, opened by the reader that knows it."""

from pathlib import Path

from ncs.data.importing.arrays import open_arrays
from ncs.data.importing.clip import Source
from ncs.data.importing.folder import open_folder
from ncs.data.importing.lerobot import Columns, open_lerobot
from ncs.data.importing.minari import open_minari
from ncs.records import DataError

ARRAYS = (".npz", ".safetensors")


def open_source(path: Path, columns: Columns, longest: int) -> Source:
    """Experience of others at a path: a file of arrays, LeRobot, Minari, or folders of pictures."""
    if not path.exists():
        raise DataError(f"{path}: there is no such file or folder")
    if path.suffix in ARRAYS:
        return open_arrays(path)
    if not path.is_dir():
        raise DataError(f"{path}: is neither a folder nor one of {', '.join(ARRAYS)}")
    if (path / "meta" / "info.json").exists():
        return open_lerobot(path, columns)
    if (path / "data" / "metadata.json").exists():
        return open_minari(path, columns.picture.rpartition(".")[2])
    return open_folder(path, longest)
