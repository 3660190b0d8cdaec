"""What is installed is pinned with hashes, and what reads files never unpickles."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY

SRC = REPOSITORY / "src" / "ncs"
# Ways by which bytes become code.
DANGEROUS = re.compile(
    r"^\s*(import|from) (pickle|marshal|shelve|dill|cloudpickle|joblib|yaml)\b"
    r"|\btorch\.load\(|allow_pickle=True|weights_only=False|(?<![\w.])(eval|exec)\(",
    re.MULTILINE,
)
READ_EVERYTHING = """
import sys, tempfile
from pathlib import Path
from benchmarks.hostile_files import KINDS
seen = []
WATCHED = ("pickle.find_class", "os.system", "subprocess.Popen", "os.exec", "socket.connect")
for kind, (make, read) in KINDS.items():
    with tempfile.TemporaryDirectory() as folder:
        make(Path(folder) / kind)
        if not seen:
            sys.addaudithook(lambda event, _: event in WATCHED and seen.append(event))
            seen.append("watching")
        try:
            read(Path(folder) / kind)
        except Exception as error:
            assert type(error).__module__.startswith("ncs"), error
print(*seen, *sorted(name for name in sys.modules if name.startswith("ncs")))
"""


def test_the_lock_file_is_of_the_pins() -> None:
    subprocess.run([sys.executable, REPOSITORY / ".ci" / "lock.py", "--check"], check=True)


def test_actions_are_pinned_by_commit_and_run_make_targets() -> None:
    [path] = (REPOSITORY / ".github" / "workflows").glob("*.yml")
    used = re.findall(r"uses: (\S+)", path.read_text())
    assert used
    assert all(re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", name) for name in used)
    targets = re.findall(r"target: ([\w-]+)}", path.read_text())
    assert {"lint", "test", "test-core", "docs", "wheel", "demo"} == set(targets)
    made = re.findall(r"^([\w-]+): setup", (REPOSITORY / "Makefile").read_text(), re.MULTILINE)
    assert set(targets) <= set(made)


def test_reading_files_of_every_kind_unpickles_and_starts_nothing() -> None:
    """Over the whole import tree of the readers: while they read, and in their source."""
    out = subprocess.run(
        [sys.executable, "-c", READ_EVERYTHING], cwd=REPOSITORY, capture_output=True, text=True
    )
    assert out.returncode == 0, out.stderr
    first, *modules = out.stdout.split()
    assert first == "watching"
    assert modules[0].startswith("ncs"), modules[0]  # nothing that is watched for has happened
    assert {"ncs.bounded", "ncs.graph.store", "ncs.training.checkpoint"} <= set(modules)


@pytest.mark.parametrize(
    "path", sorted(SRC.rglob("*.py")), ids=lambda path: str(path.relative_to(SRC))
)
def test_no_source_file_turns_bytes_into_code(path: Path) -> None:
    assert not DANGEROUS.search(path.read_text())
