"""Puts the model of every world into the wheel; all else about the package is in pyproject.toml.

Which model is a world's own is said by its ``World`` record alone. The record is read, not
imported, so that a wheel can be built where none of the package's dependencies is installed.
"""

import ast
import shutil
from collections.abc import Iterator
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

HOME = Path(__file__).parent
SHELF = "checkpoints"
# What only going on with a training or drawing its curves needs, and the rival NF.
LEFT = ("state-*", "metrics.jsonl", "curves.png", "pictures/*", "sets-*")


def named_models() -> Iterator[str]:
    """The models that records of worlds name."""
    for path in sorted((HOME / "src" / "ncs" / "envs").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "World":
                values = [word.value for word in node.keywords if word.arg == "model"]
                yield from (ast.literal_eval(value) for value in values)


class WithModels(build_py):
    """The package and, beside its modules, the models; an editable install finds them in place."""

    def run(self) -> None:
        """Copies of each model what playing with it needs."""
        super().run()
        if self.editable_mode:
            return
        for name in dict.fromkeys(named_models()):
            found = (path for path in (HOME / SHELF / name).rglob("*") if path.is_file())
            parts = [path for path in found if not any(map(path.match, LEFT))]
            if not parts:
                raise SystemExit(f"{SHELF}/{name}: is named by a world and is not here")
            for part in parts:
                target = Path(self.build_lib, "ncs", SHELF, part.relative_to(HOME / SHELF))
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(part, target)


setup(cmdclass={"build_py": WithModels})
