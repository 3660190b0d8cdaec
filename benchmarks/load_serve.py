"""'ncs serve' under load: one caller, then sixteen for ten minutes, then killed and restarted.

Prints errors, memory at the start and at the end, and p95 and throughput as ratios to one caller,
all of one run. While the callers go on, the service is asked to end (SIGTERM), killed (SIGKILL),
and started again each time; every caller must get answers again, and what it saw meanwhile is
counted.

    python benchmarks/load_serve.py --model checkpoints/blocks-fast-0
"""

import argparse
import base64
import http.client
import io
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from PIL import Image

from ncs.envs import make_env

PAIRS = 64  # pictures of scene and goal that are asked about
EPISODE = 12  # questions of a caller before it opens another episode
NOBODY = "nobody answers"
PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass
class Notes:
    """What callers saw."""

    seconds: list[float] = field(default_factory=list)  # of every answer
    seen: Counter[str] = field(default_factory=Counter)  # statuses, and silence
    lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, what: str, seconds: float | None = None) -> None:
        """Takes note of an answer, or of silence."""
        with self.lock:
            self.seen[what] += 1
            if seconds is not None:
                self.seconds.append(seconds)

    @property
    def p95(self) -> float:
        """Seconds within which 95 % of answers came."""
        return float(np.percentile(self.seconds, 95))


class Server:
    """The service as a process that can be ended and started again on the same port."""

    def __init__(self, model: Path) -> None:
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            self.port = int(listener.getsockname()[1])
        self._words = [sys.executable, "-m", "ncs", "serve", "--model", str(model)]
        self._words += ["--port", str(self.port), "--json"]
        self.start()

    def start(self) -> None:
        """Starts it, and returns when it answers."""
        self.process = subprocess.Popen(self._words, stdout=subprocess.PIPE)
        assert self.process.stdout is not None
        if not self.process.stdout.readline():  # one line when it answers
            raise SystemExit("the service did not start")

    def end(self, how: signal.Signals) -> None:
        """Ends it by a signal."""
        self.process.send_signal(how)
        self.process.wait()

    def megabytes(self) -> float:
        """Memory that it holds."""
        pages = Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]
        return int(pages) * PAGE / 2**20


class Caller(threading.Thread):
    """Asks without a pause, each time with other pictures; after a refusal it waits and goes on."""

    def __init__(self, port: int, bodies: list[dict[str, str]], notes: Notes, number: int) -> None:
        super().__init__(daemon=True)
        self._port, self._bodies, self._notes = port, bodies, notes
        self._number = number
        self._episode = ""
        self.done = threading.Event()
        self.last = 0.0  # when it was last answered

    def run(self) -> None:
        """Asks until it is told to stop."""
        line = http.client.HTTPConnection("127.0.0.1", self._port, timeout=60)
        asked = self._number
        while not self.done.is_set():
            try:
                if not self._episode or asked % EPISODE == 0:
                    self._episode = self._ask(line, "/v1/episodes", {}).get("episode", "")
                body = self._bodies[asked % len(self._bodies)]
                self._ask(line, "/v1/act", {**body, "episode": self._episode or None})
                asked += 1
            except (OSError, http.client.HTTPException):
                self._notes.add(NOBODY)
                line.close()
                time.sleep(0.2)

    def _ask(self, line: http.client.HTTPConnection, path: str, body: dict) -> dict:
        began = time.perf_counter()
        line.request("POST", path, json.dumps(body), {"content-type": "application/json"})
        answer = line.getresponse()
        told = json.loads(answer.read())
        good = answer.status in (200, 201)
        took = time.perf_counter() - began if path == "/v1/act" and good else None
        self._notes.add(str(answer.status), took)
        if answer.status == 404:
            self._episode = ""
        if answer.status == 503:
            time.sleep(0.2)
        if good:
            self.last = time.monotonic()
        return told


def questions(world: str, objects: int) -> list[dict[str, str]]:
    """Pictures of scenes and goals, as the service takes them."""
    env = make_env(world, n_objects=objects)
    bodies = []
    for seed in range(PAIRS):
        seen, _ = env.reset(seed=seed)
        bodies.append({"now": as_text(seen["image"]), "goal": as_text(seen["goal"])})
    return bodies


def as_text(picture: np.ndarray) -> str:
    file = io.BytesIO()
    Image.fromarray(picture).save(file, "PNG")
    return base64.b64encode(file.getvalue()).decode()


def hold(server: Server, bodies: list[dict[str, str]], count: int, seconds: float) -> tuple:
    """Callers for a while; what they saw, and the service's memory every few seconds."""
    notes, memory = Notes(), []
    callers = [Caller(server.port, bodies, notes, number) for number in range(count)]
    for caller in callers:
        caller.start()
    began = time.monotonic()
    while time.monotonic() - began < seconds:
        time.sleep(min(5.0, seconds / 10))
        memory.append(server.megabytes())
    stop(callers)
    return notes, memory, time.monotonic() - began


def stop(callers: list[Caller]) -> None:
    for caller in callers:
        caller.done.set()
    for caller in callers:
        caller.join()


def restarts(server: Server, bodies: list[dict[str, str]], count: int) -> None:
    """Ends the service in two ways under load, and prints what callers saw until they went on."""
    for how in (signal.SIGTERM, signal.SIGKILL):
        notes = Notes()
        callers = [Caller(server.port, bodies, notes, number) for number in range(count)]
        for caller in callers:
            caller.start()
        time.sleep(5)
        server.end(how)
        server.start()
        again = time.monotonic()
        while min(caller.last for caller in callers) < again and time.monotonic() < again + 120:
            time.sleep(0.2)
        went_on = sum(caller.last >= again for caller in callers)
        took = time.monotonic() - again
        stop(callers)
        seen = ", ".join(f"{what}: {n}" for what, n in sorted(notes.seen.items()))
        print(f"{how.name}: {went_on} of {count} callers went on {took:.1f} s after it was up")
        print(f"  they saw {seen}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, default=Path("checkpoints/blocks-fast-0"))
    parser.add_argument("--world", default="block-rearrange")
    parser.add_argument("--objects", type=int, default=5)
    parser.add_argument("--callers", type=int, default=16)
    parser.add_argument("--alone", type=float, default=60.0, help="seconds with one caller")
    parser.add_argument("--seconds", type=float, default=600.0, help="with all of them")
    options = parser.parse_args()
    bodies, server = questions(options.world, options.objects), Server(options.model)
    try:
        hold(server, bodies, 1, min(5.0, options.alone))  # everything is loaded once
        one, _, one_took = hold(server, bodies, 1, options.alone)
        all_, memory, all_took = hold(server, bodies, options.callers, options.seconds)
        report(one, one_took, all_, all_took, memory, options.callers)
        restarts(server, bodies, options.callers)
    finally:
        server.end(signal.SIGKILL)


def report(
    one: Notes, one_took: float, many: Notes, took: float, memory: list[float], count: int
) -> None:
    """Prints figures of both runs, and their ratios."""
    slow, quick = len(one.seconds) / one_took, len(many.seconds) / took
    errors = {what: n for what, n in many.seen.items() if what not in ("200", "201")}
    part = max(1, len(memory) // 5)
    first, last = np.mean(memory[part : 2 * part]), np.mean(memory[-part:])
    print(f"1 caller: {slow:.1f} answers a second, p95 {1000 * one.p95:.0f} ms")
    print(
        f"{count} callers, {took:.0f} s: {len(many.seconds)} answers, {errors or 'no error'}, "
        f"{quick:.1f} a second, p95 {1000 * many.p95:.0f} ms"
    )
    print(f"throughput x {quick / slow:.2f}, p95 x {many.p95 / one.p95:.2f}, of one caller's")
    print(
        f"memory {first:.0f} MB early, {last:.0f} MB at the end: x {last / first:.3f}", flush=True
    )


if __name__ == "__main__":
    main()
