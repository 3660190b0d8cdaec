"""Lets 'ncs reproduce' judge on a Ray cluster to which something happens, and compares the table.

    python -m benchmarks.figures.clusters                     # all four
    python -m benchmarks.figures.clusters restarted

A node is killed; a node stands still; the head is killed and another one takes its place; somebody
comes with a wrong token or none. The cluster is of this machine and wants a token.
"""

import os
import secrets
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

HOME = Path(__file__).parents[2]
LONGEST = 300.0  # seconds of a command
QUICK = {  # of a node that stands still
    "RAY_health_check_initial_delay_ms": "1000", "RAY_health_check_period_ms": "1000",
    "RAY_health_check_timeout_ms": "2000", "RAY_health_check_failure_threshold": "3",
}  # fmt: skip
os.environ |= {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32), **QUICK}
os.environ["RAY_USAGE_STATS_ENABLED"] = "0"


def words(out: Path, address: str = "") -> list[str]:
    """The command: small, and in enough pieces that something can happen between two."""
    asked = ["reproduce", "--scale", "smoke", "--worlds", "block-rearrange", "--methods", "random"]
    asked += ["oracle", "--studies", "--seeds", "2", "--episodes", "4", "--workers", "1"]
    asked += ["--engine", "ray", "--address", address] if address else []
    return [sys.executable, "-m", "ncs", *asked, "--out", str(out)]


def begin(out: Path, address: str, token: str | None = None) -> "subprocess.Popen[str]":
    """The command on a cluster, under way."""
    environ = os.environ | ({} if token is None else {"RAY_AUTH_TOKEN": token})
    said = subprocess.PIPE
    return subprocess.Popen(
        words(out, address), cwd=HOME, env=environ, stdout=said, stderr=said, text=True
    )


def wait_for_pieces(out: Path, one: "subprocess.Popen[str]", count: int = 3) -> int:
    """Waits until some pieces are written; how many there are by then."""
    deadline = time.monotonic() + LONGEST
    while (found := len([*out.glob("cells/*/*/*.jsonl")])) < count and one.poll() is None:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return found


def table(out: Path) -> list[object]:
    """Keys and scores of a run's results."""
    from ncs.evaluation.results import key_of, read_results

    rows = read_results(out / "results" / "table.jsonl.gz")
    return [(key_of(row), row.task, row.best, row.final, row.steps) for row in rows]


def new_cluster(nodes: int, port: int | None = None) -> Any:
    """A cluster of so many nodes, of one processor each."""
    from ray.cluster_utils import Cluster

    quiet: dict[str, Any] = {"num_cpus": 1, "include_dashboard": False}
    cluster = Cluster(initialize_head=True, head_node_args=quiet | ({"port": port} if port else {}))
    for _ in range(nodes - 1):
        cluster.add_node(num_cpus=1)
    return cluster


def ended(one: "subprocess.Popen[str]") -> tuple[int, str]:
    """The exit code and the standard error of a command."""
    said = one.communicate(timeout=LONGEST)[1]
    return one.returncode, said


def is_one_line(said: str) -> bool:
    """Whether a command ended with a line about Ray; before it Ray's own log may have a word."""
    lines = said.strip().splitlines()
    ours = all(line.startswith(("ncs reproduce: ", "[20")) for line in lines)
    return ours and lines[-1].startswith("ncs reproduce: ray: ")


def removed(home: Path) -> str:
    """A node is killed in the middle."""
    cluster = new_cluster(2)
    one = begin(home / "removed", cluster.address)
    pieces = wait_for_pieces(home / "removed", one)
    cluster.remove_node(cluster.list_all_nodes()[-1], allow_graceful=False)
    code, said = ended(one)
    cluster.shutdown()
    assert code == 0, said[-500:]
    return f"a node was killed after {pieces} pieces"


def still(home: Path) -> str:
    """A node stands still in the middle, and never answers again."""
    cluster = new_cluster(2)
    node = cluster.list_all_nodes()[-1]
    one = begin(home / "still", cluster.address)
    pieces = wait_for_pieces(home / "still", one)
    stopped = [info.process.pid for kind in node.all_processes.values() for info in kind]
    stopped += [pid for parent in stopped for pid in children(parent)]
    for pid in stopped:
        os.kill(pid, signal.SIGSTOP)
    code, said = ended(one)
    for pid in stopped:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    cluster.shutdown()
    assert code == 0, said[-500:]
    return f"a node stood still after {pieces} pieces"


def children(pid: int) -> list[int]:
    """Processes that a process began."""
    text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    return [int(word) for word in text.split()]


def restarted(home: Path) -> str:
    """The head is killed in the middle; the same command goes on at another head."""
    cluster = new_cluster(1)
    one = begin(home / "restarted", cluster.address)
    pieces = wait_for_pieces(home / "restarted", one)
    began = time.monotonic()
    cluster.remove_node(cluster.head_node, allow_graceful=False)
    code, said = ended(one)
    seconds = time.monotonic() - began
    assert code == 2, (code, said[-1500:])
    assert is_one_line(said), said[-1500:]
    other = new_cluster(1)
    code, said = ended(begin(home / "restarted", other.address))
    other.shutdown()
    assert code == 0, said[-500:]
    return f"the head was killed after {pieces} pieces, noticed in {seconds:.0f} s"


def strangers(home: Path) -> str:
    """Nobody gets in with a wrong token or none; then somebody with the right one does."""
    cluster = new_cluster(1)
    for token in (secrets.token_hex(32), ""):
        code, said = ended(begin(home / "strangers", cluster.address, token))
        assert code == 2, (code, said[-1500:])
        assert is_one_line(said), said[-1500:]
        assert not [*home.glob("strangers/cells/*/*/*.jsonl")]
    code, said = ended(begin(home / "strangers", cluster.address))
    cluster.shutdown()
    assert code == 0, said[-500:]
    return "a wrong token and none were refused"


EVENTS: dict[str, Callable[[Path], str]] = {
    "removed": removed, "still": still, "restarted": restarted, "strangers": strangers,
}  # fmt: skip


def show(name: str) -> str:
    """What happened and what became of the table, seen by a process of its own."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        home = Path(folder)
        subprocess.run(words(home / "calm"), cwd=HOME, check=True, capture_output=True)
        told = EVENTS[name](home)
        assert table(home / name) == table(home / "calm"), "another table"
    return told


def main() -> int:
    if len(sys.argv) == 2:
        print(show(sys.argv[1]))
        return 0
    told = []
    for name in EVENTS:
        command = [sys.executable, "-m", "benchmarks.figures.clusters", name]
        out = subprocess.run(command, cwd=HOME, capture_output=True, text=True)
        assert out.returncode == 0, out.stderr[-2000:]
        told.append(out.stdout.strip().splitlines()[-1])
        print(told[-1], flush=True)
    print(f"clusters: the same table {len(told)} of {len(EVENTS)} times: {'; '.join(told)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
