"""What a base install brings, and how the command answers in it.

    python -m benchmarks.figures.install

Resolves the package without extras (nothing is installed), times 'ncs --help', and asks for
something whose extra is not there.
"""

import json
import re
import statistics
import subprocess
import sys
import time
from pathlib import Path

HOME = Path(__file__).parents[2]
MOST_PACKAGES, LONGEST_HELP = 25, 0.5
MISSING = (
    "import sys; sys.modules['uvicorn'] = None\n"
    "from ncs.cli.main import main; sys.exit(main(['view', '--no-browser']))"
)


def resolved() -> dict[str, list[str]]:
    """Every package a base install brings, and what it asks for itself."""
    words = ["-m", "pip", "install", "--dry-run", "--ignore-installed", "--quiet", "--report", "-"]
    command = [sys.executable, *words, "-c", str(HOME / "constraints.txt"), str(HOME)]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found = {}
    for one in json.loads(out[out.index("{") :])["install"]:
        needs = [q for q in one["metadata"].get("requires_dist", []) if "extra ==" not in q]
        found[normal(one["metadata"]["name"])] = [normal(re.split(r"[^\w.-]", q)[0]) for q in needs]
    return found


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def reach(packages: dict[str, list[str]], name: str, without: str = "") -> set[str]:
    """A package and all it needs."""
    found, todo = set(), [name]
    while todo:
        one = todo.pop()
        if one not in found and one in packages and one != without:
            found.add(one)
            todo += packages[one]
    return found


def main() -> int:
    packages = resolved()
    beyond = reach(packages, "ncs", without="torch") - {"ncs"}
    seconds = []
    for _ in range(5):
        began = time.perf_counter()
        subprocess.run([sys.executable, "-m", "ncs", "--help"], stdout=subprocess.DEVNULL)
        seconds.append(time.perf_counter() - began)
    help_seconds = statistics.median(seconds)
    missing = subprocess.run([sys.executable, "-c", MISSING], capture_output=True, text=True)
    names_extra = missing.returncode == 2 and "ncs[view]" in missing.stderr
    print(
        f"install: {len(beyond)} packages beyond torch and what torch brings; 'ncs --help' in "
        f"{help_seconds:.2f} s; a missing extra is {'' if names_extra else 'NOT '}named"
    )
    return not (len(beyond) <= MOST_PACKAGES and help_seconds < LONGEST_HELP and names_extra)


if __name__ == "__main__":
    sys.exit(main())
