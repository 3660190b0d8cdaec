"""Tutorials do what they say: their own blocks are run, smaller, in their own order."""

import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

from tests.conftest import PATIENCE, REPOSITORY

SMALLER = {"clips 300": "clips 24", "--steps 400": "--steps 30 --batch 8", " 50": " 2"}


def blocks(page: str) -> list[str]:
    """The command lines of a tutorial, one after another."""
    text = (REPOSITORY / "docs" / "tutorials" / page).read_text()
    found = re.findall(r"```sh\n(.*?)```", text, re.DOTALL)
    return [line for block in found for line in block.strip().splitlines()]


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def as_command(line: str, port: int) -> list[str]:
    """A line as a process of this Python, with smaller numbers and a port that is free."""
    for large, small in {**SMALLER, "8766": str(port)}.items():
        line = line.replace(large, small)
    words = line.split()
    start = [sys.executable, "-m", "ncs.cli.main"] if words[0] == "ncs" else [sys.executable]
    return [*start, *words[1:]]


def wait_for(address: str) -> None:
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            urllib.request.urlopen(f"{address}/healthz", timeout=5)
            return
        except OSError:
            assert time.monotonic() < deadline
            time.sleep(0.2)


def test_own_pictures_go_from_a_log_to_a_robots_loop(tmp_path: Path) -> None:
    for script in (REPOSITORY / "examples" / "own_table").glob("*.py"):
        shutil.copy(script, tmp_path)
    environment = {**os.environ, "PYTHONPATH": f"{REPOSITORY / 'examples'}"}
    environment["PYTHONPATH"] += f":{os.environ.get('PYTHONPATH', '')}"
    outputs = []
    server, port = None, free_port()
    try:
        for line in blocks("own_pictures.md"):
            command = as_command(line, port)
            if " serve " in f" {line} ":
                server = subprocess.Popen(command, cwd=tmp_path, env=environment)
                wait_for(f"http://127.0.0.1:{port}")
                continue
            done = subprocess.run(
                command, cwd=tmp_path, env=environment, capture_output=True, text=True
            )
            assert done.returncode in (0, 3), f"{line}: {done.stderr}"
            outputs.append(done.stdout)
    finally:
        if server is not None:
            server.terminate()
            server.wait(PATIENCE)
    assert "24 clips of 5 pictures, 128 x 96 pixels" in outputs[1]
    assert "cm" in outputs[4]
    assert (tmp_path / "act.png").exists()
    assert "of things in place" in outputs[5]
