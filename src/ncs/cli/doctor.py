"""ncs doctor: check a world of your own, and say what is missing."""

from typing import Literal

import tyro
from pydantic import Field

from ncs.cli.command import Command, which_world

FAILED = 1


class Doctor(Command):
    """Try out every promise that a world makes to the other commands, one line a check.

    What Gymnasium's check_env is to an environment, this is to a world: tasks that can be drawn
    again, starts that are not yet solved, an oracle that needs the fewest moves, moves that
    change the picture, and worker processes that see the same. The exit code is 1 when something
    is missing.
    """

    what: tyro.conf.Positional[Literal["world"]] = Field(description="what is checked")
    name: tyro.conf.Positional[str] = Field(description=f"{which_world()}, or MODULE:RECORD")

    def run(self) -> int:
        """Checks and reports; 1 comes back when something is missing."""
        from dataclasses import asdict

        from ncs.cli.console import progress, report
        from ncs.data.checkup import CHECKS, Subject, check_world
        from ncs.envs import make_env
        from ncs.registry import find_world

        checks = []
        with progress(f"checking {self.name}", len(CHECKS), "checks") as advance:
            subject = Subject(self.name, find_world(self.name), make_env)
            for check in check_world(subject):
                checks.append(check)
                advance(len(checks))
        failed = [check for check in checks if not check.ok]
        width = max(len(check.name) for check in checks)
        lines = [
            f"{'ok     ' if check.ok else 'MISSING'}  {check.name.ljust(width)}  {check.line}"
            for check in checks
        ]
        verdict = f"{len(failed)} of {len(checks)} checks failed" if failed else "all is well"
        facts = {"world": self.name, "ok": not failed, "checks": [asdict(c) for c in checks]}
        report("\n".join([*lines, f"{self.name}: {verdict}"]), facts, self.as_json)
        return FAILED if failed else 0
