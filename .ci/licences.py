"""Writes docs/licences.md: the licence of every package that is pinned, as it says itself.

python .ci/licences.py        # in an environment with everything installed: make setup
"""

import re
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

HOME = Path(__file__).parents[1]
HEAD = """\
# Licences of what is installed

Every package of `constraints.txt`, written by `python .ci/licences.py` from what the packages say
of themselves. ncs itself is under the MIT licence; nothing of these packages is copied into it.

| package | licence |
|---|---|
"""


def licence(name: str) -> str:
    """What a package says of its licence, in few words."""
    try:
        said = metadata(name)
    except PackageNotFoundError:
        return "not installed here"
    if said.get("License-Expression"):
        return str(said["License-Expression"])
    kinds = [line for line in said.get_all("Classifier", []) if line.startswith("License ::")]
    named = [line.rpartition(" :: ")[2] for line in kinds if line.count("::") > 1]
    short = (said.get("License") or "").strip().splitlines()
    return ", ".join(named) or (short[0][:60] if short else "not said")


def main() -> None:
    """Writes the page."""
    names = re.findall(r"^([\w.-]+)==", (HOME / "constraints.txt").read_text(), re.MULTILINE)
    lines = [f"| {name} | {licence(name)} |" for name in sorted(names, key=str.lower)]
    (HOME / "docs" / "licences.md").write_text(HEAD + "\n".join(lines) + "\n")
    print(f"docs/licences.md: {len(lines)} packages")


if __name__ == "__main__":
    main()
