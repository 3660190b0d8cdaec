"""ncs export: write a buffer for others: Minari, LeRobot, arrays or folders."""

import re
from pathlib import Path
from typing import Literal

import tyro
from pydantic import Field

from ncs.cli.command import Command
from ncs.cli.console import report


class Export(Command):
    """Write a buffer for others: a Minari or LeRobot dataset, arrays, or folders of pictures.

    All but LeRobot's videos keep every pixel. 'ncs import' reads each of them back.
    """

    buffer: tyro.conf.Positional[Path] = Field(description="a folder of 'ncs collect' or 'import'")
    out: Path = Field(description="where to: a folder, or a file for arrays")
    format: Literal["minari", "lerobot", "arrays", "folder"] = Field(
        "minari", description="arrays: one .npz or .safetensors; folder: PNG and CSV"
    )
    name: str | None = Field(
        None,
        pattern=r"^[A-Za-z0-9_/-]+-v\d+$",
        description="the dataset's id in Minari, whose root folder is --out (default: "
        "ncs/WORLD-v0)",
    )
    video: bool = Field(False, description="LeRobot: a video, which loses a little, not pictures")

    def run(self) -> None:
        """Exports and reports."""
        from ncs.data.buffer import open_buffer

        buffer = open_buffer(self.buffer)
        if self.format == "minari":
            from ncs.data.exporting.minari import export_minari

            name = re.sub("[^A-Za-z0-9_-]", "-", buffer.world)
            target = export_minari(buffer, self.name or f"ncs/{name}-v0", self.out)
        elif self.format == "lerobot":
            from ncs.data.exporting.lerobot import export_lerobot

            target = export_lerobot(buffer, self.out, self.video)
        elif self.format == "arrays":
            from ncs.data.exporting.arrays import export_arrays

            target = export_arrays(buffer, self.out)
        else:
            from ncs.data.exporting.folder import export_folder

            target = export_folder(buffer, self.out)
        facts = {"out": str(target), "episodes": len(buffer), "buffer": buffer.hash}
        report(f"{target}: {len(buffer)} episodes from buffer {buffer.hash}", facts, self.as_json)
