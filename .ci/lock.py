"""Writes requirements.lock: every pin of constraints.txt with the hashes of all its files.

    python .ci/lock.py            # asks the package index; run it after changing constraints.txt
    python .ci/lock.py --check    # only says whether the two files agree

torch is left out: its builds for a processor and for CUDA differ, and come from different places.
"""

import argparse
import re
import sys
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HOME = Path(__file__).parents[1]
PINS, LOCK = HOME / "constraints.txt", HOME / "requirements.lock"
INDEX = "https://pypi.org/simple"
LEFT_OUT = {"torch"}
HEAD = """\
# Every pin of constraints.txt with the hashes of its files; written by .ci/lock.py.
# pip install torch==2.13.0 && pip install --no-deps --require-hashes -r requirements.lock
"""


def normal(name: str) -> str:
    """A package's name in its one spelling."""
    return re.sub(r"[-_.]+", "-", name).lower()


def pins() -> dict[str, str]:
    """Versions by name."""
    found = re.findall(r"^([\w.-]+)==(\S+)$", PINS.read_text(), re.MULTILINE)
    return {normal(name): version for name, version in found if name not in LEFT_OUT}


def locked() -> dict[str, str]:
    """What the lock file pins, by name."""
    return dict(re.findall(r"^([\w.-]+)==(\S+) \\$", LOCK.read_text(), re.MULTILINE))


def hashes(name: str, version: str) -> list[str]:
    """The hashes of every file of a release."""
    with urllib.request.urlopen(f"{INDEX}/{name}/", timeout=60) as answer:
        page = answer.read().decode()
    found = set()
    for file, sha256 in re.findall(r"/([^/\"]+)#sha256=([0-9a-f]{64})", page):
        stem = normal(re.sub(r"\.(tar\.gz|zip|whl)$", "", file))
        if re.match(rf"{re.escape(name)}-{re.escape(normal(version))}(-|$)", stem):
            found.add(sha256)
    if not found:
        raise SystemExit(f"{name} {version}: the index has no such release")
    return sorted(found)


def main() -> int:
    """Writes the lock file, or compares."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    if parser.parse_args().check:
        if pins() != locked():
            print("requirements.lock is not of these pins: run python .ci/lock.py", file=sys.stderr)
            return 1
        return 0
    wanted = pins()
    with ThreadPoolExecutor(8) as pool:
        found = pool.map(hashes, wanted, wanted.values())
    blocks = [
        f"{name}=={version} \\\n" + " \\\n".join(f"    --hash=sha256:{one}" for one in sums)
        for (name, version), sums in zip(wanted.items(), found, strict=True)
    ]
    LOCK.write_text(HEAD + "\n".join(blocks) + "\n")
    print(f"{LOCK.name}: {len(blocks)} packages")
    return 0


if __name__ == "__main__":
    sys.exit(main())
