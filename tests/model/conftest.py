"""Lets tests of this room import the tiny world model by its name."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="session")
def tiny_buffer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twenty clips of noise."""
    from tiny_world import write_buffer

    return write_buffer(tmp_path_factory.mktemp("tiny") / "buffer")
