"""A robot's loop goes on when its service is killed and started again."""

import contextlib
import importlib.util
import io
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from PIL import Image
from tests.conftest import PATIENCE, REPOSITORY, ncs_process

from ncs.envs import make_env

MODEL = REPOSITORY / "checkpoints" / "blocks-fast-0"


def load_example() -> Any:
    spec = importlib.util.spec_from_file_location(
        "robot_loop", REPOSITORY / "examples" / "robot_loop.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@contextlib.contextmanager
def service(port: int) -> Iterator["subprocess.Popen[str]"]:
    """A service at a port; whatever becomes of it, it is gone in the end."""
    with ncs_process("serve", "--model", MODEL, "--port", port) as process:
        try:
            assert process.stdout is not None
            assert "http" in process.stdout.readline()
            yield process
        finally:
            process.kill()
            process.communicate(timeout=PATIENCE)


def png(image: Any) -> bytes:
    file = io.BytesIO()
    Image.fromarray(image).save(file, "PNG")
    return file.getvalue()


@pytest.fixture
def port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def test_a_killed_service_is_waited_for_and_its_episodes_are_begun_anew(port: int) -> None:
    example = load_example()
    env = make_env("block-rearrange", n_objects=3)
    observation, _ = env.reset(seed=2)
    pair = png(observation["image"]), png(observation["goal"])
    answers: list[dict[str, Any]] = []
    with service(port) as first:
        client = example.Client(f"http://127.0.0.1:{port}", patience=PATIENCE)
        before, episode = client.act(*pair), client.episode
        first.send_signal(signal.SIGKILL)
        first.wait(PATIENCE)
        caller = threading.Thread(target=lambda: answers.append(client.act(*pair)))
        caller.start()  # while nobody answers
        with service(port):
            caller.join(PATIENCE)
    assert answers == [before]
    assert client.episode != episode
    assert not before["holds"]
