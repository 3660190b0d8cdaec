"""What tests share: a small buffer, made once, and the command line in a process of its own."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import hypothesis
import pytest

from ncs.data.collect import CollectConfig, collect
from ncs.envs import make_env

REPOSITORY = Path(__file__).parents[1]
# A shell's background job ignores SIGINT, nohup SIGHUP, and both hand that on; the commands under
# test must not.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
# Files that take longest come first, so that no process is left with one of them at the end.
LONGEST = (
    "test_tutorials.py", "test_page.py", "test_docs.py", "test_engines.py", "test_learned.py",
    "test_refit.py", "test_plugins.py", "test_wheel.py", "test_main.py", "test_evaluate.py",
    "test_site.py", "test_calibrate.py", "test_contributing.py", "test_train.py",
)  # fmt: skip
# The same draws every time: what others would find is for benchmarks/fuzz.py to look for.
hypothesis.settings.register_profile("same", derandomize=True)
hypothesis.settings.load_profile("same")
PATIENCE = 900.0  # seconds after which something hangs; a busy machine is never that slow


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Puts the files that take longest first; the rest stays as it is."""
    place = {name: number for number, name in enumerate(LONGEST)}
    items.sort(key=lambda item: place.get(item.path.name, len(LONGEST)))


@pytest.fixture(scope="session")
def small_buffer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """130 clips of block-rearrange in two shards."""
    folder = tmp_path_factory.mktemp("buffer") / "blocks"
    for _ in collect(make_env, CollectConfig(world="block-rearrange", episodes=130), folder):
        pass
    return folder


def ncs_process(*words: object, cwd: Path | None = None) -> "subprocess.Popen[str]":
    """A command under way, in its own process group so that it can be killed whole."""
    return subprocess.Popen(
        [sys.executable, "-m", "ncs.cli.main", *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=cwd,
        start_new_session=True,
        env={**os.environ, "COLUMNS": "100"},
    )


def ncs(*words: object, cwd: Path | None = None) -> "subprocess.CompletedProcess[str]":
    """A command, run to its end."""
    process = ncs_process(*words, cwd=cwd)
    out, err = process.communicate(timeout=PATIENCE)
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


@pytest.fixture(scope="session")
def tiny_buffer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twenty clips of noise."""
    from tests.tiny_world import write_buffer

    return write_buffer(tmp_path_factory.mktemp("tiny") / "buffer")
