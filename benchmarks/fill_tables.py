"""Fills every table of the documents with what its command prints; ``make results`` runs it.

A table stands between two comments, the first of which names the command:

    <!-- ncs table results/laptop --format markdown -->
    ...
    <!-- end -->

Run ``python benchmarks/fill_tables.py`` to write; ``--check`` only tells which would change.
"""

import argparse
import contextlib
import io
import re
import shlex
import sys
from pathlib import Path

from ncs.cli.main import main as run_command

HOME = Path(__file__).resolve().parents[1]
TABLE = re.compile(r"<!-- ncs (?P<words>[^\n]*?) -->\n(?P<text>.*?)\n?<!-- end -->", re.DOTALL)


def documents() -> list[Path]:
    """The files that may hold tables."""
    folders = (HOME / "docs", HOME / "model_cards")
    return [HOME / "README.md", *sorted(p for folder in folders for p in folder.glob("*.md"))]


def print_of(words: str) -> str:
    """What a command prints, run in the repository."""
    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.chdir(HOME):
        if run_command(shlex.split(words)) != 0:
            raise SystemExit(f"fill_tables: 'ncs {words}' failed")
    return output.getvalue().strip()


def filled(text: str) -> str:
    """A document with every table as its command prints it today."""

    def fill(table: re.Match[str]) -> str:
        return f"<!-- ncs {table['words']} -->\n{print_of(table['words'])}\n<!-- end -->"

    return TABLE.sub(fill, text)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing")
    options = parser.parse_args()
    changed = []
    for path in documents():
        before = path.read_text()
        after = filled(before)
        if after != before:
            changed.append(str(path.relative_to(HOME)))
            if not options.check:
                path.write_text(after)
    print("changed: " + (", ".join(changed) or "nothing"))
    return int(options.check and bool(changed))


if __name__ == "__main__":
    sys.exit(main())
