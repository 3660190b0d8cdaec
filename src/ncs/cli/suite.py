"""ncs suite: draw a task suite (for maintainers)."""

from pathlib import Path
from typing import Literal, Self

from pydantic import Field, model_validator

from ncs.cli.command import Command, World, which_world
from ncs.cli.console import report
from ncs.registry import default_world, find_world


class Suite(Command):
    """Draw a task suite: 10 seeds x 100 tasks for every goal kind and object count.

    The suites that ship with ncs were made by this command; a test draws them again and compares.
    """

    world: World = Field(default_world(), description=which_world())
    split: Literal["dev", "test"] = Field(description="whose random stream")
    objects: tuple[int, ...] = Field((), description="object counts (default: the world's)")
    out: Path = Field(description="safetensors file to write")
    publish: bool = Field(False, description="put its hash into hashes.json beside it")

    @model_validator(mode="after")
    def _is_there(self) -> Self:
        find_world(self.world).check(self.objects)
        return self

    def run(self) -> None:
        """Draws, writes and reports."""
        from ncs.envs import make_env
        from ncs.evaluation.suite import draw_suite, publish
        from ncs.storage import digest_content, write_arrays

        counts = self.objects or find_world(self.world).suite_objects
        arrays = draw_suite(make_env, self.world, self.split, counts)
        write_arrays(self.out, arrays)
        content = digest_content(arrays)
        if self.publish:
            publish(self.out, content)
        facts = {"out": str(self.out), "content": content}
        report(f"{self.out}: {self.world} {self.split}, content {content}", facts, self.as_json)
