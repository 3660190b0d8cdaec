"""Asks PyPI for known vulnerabilities of every pin, where 'pip-audit' cannot.

    python -m benchmarks.figures.audit

'pip-audit --strict -r requirements.lock' asks by version. Mirrors often answer by name alone, which
tells of the newest release; so a pin that is not the newest may go unanswered, and is counted.
"""

import json
import re
import sys
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

LOCK = Path(__file__).parents[2] / "requirements.lock"
PYPI = "https://pypi.org/pypi"


def ask(path: str, seconds: float = 20) -> dict[str, Any]:
    """PyPI's answer; nothing if there is none."""
    try:
        with urllib.request.urlopen(f"{PYPI}/{path}/json", timeout=seconds) as answer:
            found: dict[str, Any] = json.load(answer)
            return found
    except (OSError, ValueError):
        return {}


def known(pin: tuple[str, str]) -> list[str] | None:
    """Names of a pin's vulnerabilities; None where nobody says."""
    name, version = pin
    facts = ask(f"{name}/{version}") or ask(name)
    if facts.get("info", {}).get("version") != version:
        return None
    return [one["id"] for one in facts["vulnerabilities"] if not one.get("withdrawn")]


def main() -> int:
    pins = re.findall(r"^([\w.-]+)==([\w.!]+)", LOCK.read_text(), re.MULTILINE)
    if not ask(pins[0][0], seconds=5):
        print("audit: no registry answers; nothing was audited")
        return 0
    with ThreadPoolExecutor(32) as threads:
        answers = dict(zip(pins, threads.map(known, pins), strict=True))
    bad = [f"{name} {version}: {', '.join(ids)}" for (name, version), ids in answers.items() if ids]
    unknown = [f"{name} {version}" for (name, version), ids in answers.items() if ids is None]
    print("\n".join(bad))
    print("nobody says:", ", ".join(unknown) or "none")
    asked = len(pins) - len(unknown)
    print(f"audit: {asked} of {len(pins)} pins are answered for, {len(bad)} known to be vulnerable")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
