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

from benchmarks.attacks import memory_of, start
from benchmarks.figures.attackers import Target

MOST_GROWTH = 20.0  # MB after the first tenth


def grow(name: str, times: int) -> float:
    """MB by which a server grew after the first tenth of its requests."""
    with tempfile.TemporaryDirectory() as folder:
        process, port = start(name, Path(folder))
        target = Target(name, port)
        link, early = http.client.HTTPConnection("127.0.0.1", port, timeout=60), 0.0
        try:
            for number in range(times):
                if number % 100 == 0:
                    target.question(number)
                ask(link, "/healthz" if number % 2 else "/")
                if number == times // 10:
                    early = memory_of(process.pid)
            growth = memory_of(process.pid) - early
        finally:
            link.close()
            process.send_signal(signal.SIGTERM)
            process.wait(20)
    print(f"{name}: {times} requests, grew by {growth:.1f} MB after the first tenth", flush=True)
    return growth


def ask(link: http.client.HTTPConnection, path: str) -> None:
    """One request by a connection that is kept; anew where it was idle for too long."""
    try:
        link.request("GET", path)
        link.getresponse().read()
    except (http.client.RemoteDisconnected, ConnectionResetError):
        link.close()
        link.request("GET", path)
        link.getresponse().read()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--times", type=int, default=10_000)
    asked = parser.parse_args()
    growth = [grow(name, asked.times) for name in ("serve", "view")]
    print(f"memory: grew by at most {max(growth):.1f} MB in {asked.times} requests a server")
    return max(growth) >= MOST_GROWTH


if __name__ == "__main__":
    sys.exit(main())
