"""PyBullet says nothing that nobody asked for."""

import subprocess
import sys


def test_importing_it_prints_nothing() -> None:
    command = [sys.executable, "-c", "import ncs.envs.bullet"]
    out = subprocess.run(command, capture_output=True, text=True, check=True)
    assert out.stdout + out.stderr == ""
