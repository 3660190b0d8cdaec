"""Asks a server ten thousand times, and says how its memory grew.

    python -m benchmarks.figures.memory --times 10000

One question in a hundred is for a decision or a scene, the others for the health and the page.
"""

import argparse
import http.client
import signal
import sys
import tempfile
from pathlib import Path

from benchmarks.attacks import Target, start

MOST_GROWTH = 20.0  # MB after the first tenth


def grow(name: str, times: int) -> float:
    """MB by which a server grew after the first tenth of its requests."""
    with tempfile.TemporaryDirectory() as folder:
        process, port = start(name, Path(folder))
        target = Target(name, port, process.pid)
        link = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        early = 0.0
        for number in range(times):
            if number % 100 == 0:
                target.question(number)
            link.request("GET", "/healthz" if number % 2 else "/")
            link.getresponse().read()
            if number == times // 10:
                early = target.memory
        growth = target.memory - early
        link.close()
        process.send_signal(signal.SIGTERM)
        process.wait(20)
    print(f"{name}: {times} requests, grew by {growth:.1f} MB after the first tenth", flush=True)
    return growth


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--times", type=int, default=10_000)
    asked = parser.parse_args()
    return not all(grow(name, asked.times) < MOST_GROWTH for name in ("serve", "view"))


if __name__ == "__main__":
    sys.exit(main())
