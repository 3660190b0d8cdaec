"""ncs suite: draw a task suite (for maintainers)."""

from pathlib import Path
from typing import Literal

from pydantic import Field

from ncs.cli.command import Command, World
from ncs.cli.console import report


class Suite(Command):
    """Draw a task suite: 10 seeds x 100 tasks for every goal kind and object count.

    The suites that ship with ncs were made by this command; a test draws them again and compares.
    """

    world: World = Field("block-rearrange", description="which world")
    split: Literal["dev", "test"] = Field(description="whose random stream")
    objects: tuple[int, ...] = Field(tuple(range(4, 13)), description="object counts")
    out: Path = Field(description="safetensors file to write")

    def run(self) -> None:
        """Draws, writes and reports."""
        from ncs.envs import make_env
        from ncs.evaluation.suite import draw_suite
        from ncs.storage import digest_content, write_arrays

        arrays = draw_suite(make_env, self.world, self.split, self.objects)
        write_arrays(self.out, arrays)
        content = digest_content(arrays)
        facts = {"out": str(self.out), "content": content}
        report(f"{self.out}: {self.world} {self.split}, content {content}", facts, self.as_json)
