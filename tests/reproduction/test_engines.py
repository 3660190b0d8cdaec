"""Engines choose where a piece is played and nothing else; nodes may die."""

import builtins
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.conftest import PATIENCE, REPOSITORY
from tests.reproduction.small_grid import REQUESTS

from ncs.analysis.formatter import as_markdown
from ncs.envs import make_env
from ncs.evaluation.grid import missing, play, results_of
from ncs.records import NcsError
from ncs.reproduction import engines
from ncs.reproduction.engines import make_engine


def table(folder: Path) -> str:
    results = [result for request in REQUESTS for result in results_of(request, folder)]
    return as_markdown(results, "best")


@pytest.fixture(scope="module")
def serial(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("serial")
    for _ in play(make_env, REQUESTS, folder, make_engine("local", 1)):
        pass
    return table(folder)


@pytest.mark.skipif(sys.platform == "win32", reason="Ray's test cluster needs POSIX")
def test_a_ray_node_killed_midway_leaves_the_table_the_same_to_the_byte(
    serial: str, tmp_path: Path
) -> None:
    pytest.importorskip("ray")
    done = subprocess.run(
        [sys.executable, "-m", "tests.reproduction.kill_ray_node", str(tmp_path)],
        cwd=REPOSITORY,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert missing(REQUESTS, tmp_path) == 0
    assert table(tmp_path) == serial


def test_without_ray_the_way_out_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def refuse(name: str, *rest: Any, **more: Any) -> Any:
        if name == "ray":
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", refuse)
    monkeypatch.setenv("RAY_AUTH_TOKEN", "x")
    with pytest.raises(NcsError, match=r"pip install 'ncs\[cluster\]'"):
        next(iter(make_engine("ray", 1)(lambda job: [], [])))  # type: ignore[arg-type]


def test_a_local_cluster_gets_a_token_and_a_remote_one_keeps_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("ray")
    from ncs.reproduction.engines import _import_ray

    monkeypatch.setenv("RAY_AUTH_MODE", "")
    monkeypatch.delenv("RAY_AUTH_MODE")
    monkeypatch.setenv("RAY_AUTH_TOKEN", "")
    monkeypatch.delenv("RAY_AUTH_TOKEN")
    _import_ray("somewhere:6379")
    assert os.environ["RAY_AUTH_MODE"] == "token"
    assert "RAY_AUTH_TOKEN" not in os.environ
    _import_ray("local")
    assert len(os.environ["RAY_AUTH_TOKEN"]) == 64


def test_whoever_lacks_the_token_is_told_in_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    class RayError(Exception):
        pass

    def init(**_: Any) -> None:
        raise RayError("no authentication token\nwas found")

    ray = SimpleNamespace(init=init, exceptions=SimpleNamespace(RayError=RayError))
    monkeypatch.setattr(engines, "_import_ray", lambda _: ray)
    with pytest.raises(NcsError, match=r"^ray: cannot reach auto .*token") as refusal:
        next(iter(make_engine("ray", 1, "auto")(lambda job: [], [])))  # type: ignore[arg-type]
    assert len(str(refusal.value).splitlines()) == 1


def test_an_address_where_nobody_listens_is_refused_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(engines, "_import_ray", lambda _: None)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = f"127.0.0.1:{listener.getsockname()[1]}"
    with pytest.raises(NcsError, match=f"^ray: cannot reach {address} .*refused"):
        next(iter(make_engine("ray", 1, address)(lambda job: [], [])))  # type: ignore[arg-type]


def test_a_head_that_is_gone_ends_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    for name in ("LOOK_SECONDS", "HEAD_SECONDS"):
        monkeypatch.setattr(engines, name, 0.01)
    ray = SimpleNamespace(
        get_runtime_context=lambda: SimpleNamespace(gcs_address=f"127.0.0.1:{port}"),
        wait=lambda pieces, timeout: ([], pieces),
    )
    with pytest.raises(NcsError, match=f"the head at 127.0.0.1:{port} is gone; once it is back"):
        engines._answer(ray, "a piece")


def test_local_answers_come_in_order() -> None:
    answers: Iterator[Any] = make_engine("local", 1)(lambda job: [job], [3, 1, 2])  # type: ignore[arg-type, list-item]
    assert list(answers) == [[3], [1], [2]]
