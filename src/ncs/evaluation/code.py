"""Which code is running: the commit of the package's checkout, or its version."""

import functools
import subprocess
from pathlib import Path

import ncs

DIGITS = 12


@functools.cache
def commit() -> str:
    """The commit of the checkout the package is part of, marked if changed; else its version."""
    folder = Path(ncs.__file__).resolve().parent
    tracked = _git(folder, "ls-files", "--error-unmatch", "__init__.py")
    head = _git(folder, "rev-parse", f"--short={DIGITS}", "HEAD")
    if not (tracked and head):
        return ncs.__version__
    changed = _git(folder, "status", "--porcelain", "--", ".")
    return f"{head}-dirty" if changed else head


def _git(folder: Path, *words: str) -> str:
    """What git says of a folder; nothing where there is no git or no checkout."""
    try:
        out = subprocess.run(
            ["git", "-C", str(folder), *words], capture_output=True, text=True, timeout=20
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return out.stdout.strip() if out.returncode == 0 else ""
