"""ncs export: write a buffer as a Minari dataset, losslessly."""

from pathlib import Path

import tyro
from pydantic import Field

from ncs.cli.command import Command
from ncs.cli.console import report


class Export(Command):
    """Write a buffer as a Minari dataset, losslessly.

    Minari's default would compress the pictures; this export keeps every pixel. Needs the extra
    'interop'.
    """

    buffer: tyro.conf.Positional[Path] = Field(description="a folder made by 'ncs collect'")
    out: Path = Field(description="Minari's root folder (MINARI_DATASETS_PATH)")
    name: str = Field(
        "ncs/blocks-v0", pattern=r"^[A-Za-z0-9_/-]+-v\d+$", description="the dataset's id"
    )

    def run(self) -> None:
        """Exports and reports."""
        from ncs.data.buffer import open_buffer
        from ncs.data.export import export_minari
        from ncs.envs import make_env

        buffer = open_buffer(self.buffer)
        env = make_env(buffer.world)
        spaces = (env.observation_space["image"], env.action_space)  # type: ignore[index]
        target = export_minari(buffer, self.name, self.out, spaces)
        facts = {"out": str(target), "episodes": len(buffer), "buffer": buffer.hash}
        report(f"{target}: {len(buffer)} episodes from buffer {buffer.hash}", facts, self.as_json)
