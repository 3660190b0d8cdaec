"""Who plays the pieces of a grid: processes of this machine, or a Ray cluster.

An engine only chooses where a piece is played. Answers come back in order and are written by the
command that asked, so the outcome is the same whatever engine is used and whoever dies on the way.
"""

import functools
import os
import secrets
import socket
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, TypeVar

from ncs.data.workers import spread
from ncs.evaluation.grid import Engine
from ncs.records import NcsError
from ncs.storage import brief

EngineName = Literal["local", "ray"]
Job = TypeVar("Job")
Answer = TypeVar("Answer")
LOCAL = "local"
AHEAD = 4  # pieces given out for each processor: enough that none waits
GO_ON = "once it is back, the same command goes on from here"
KNOCK_SECONDS = 10.0  # for a cluster to take a connection
LOOK_SECONDS = 2.0  # between two looks whether the head of a cluster is there
HEAD_SECONDS = 30.0  # that it may be away; after a minute Ray itself ends the process, with 1


def make_engine(name: EngineName, workers: int, address: str = LOCAL) -> Engine:
    """The engine of a name.

    Args:
        name: ``"local"`` or ``"ray"``.
        workers: Processes, where they are ours to start.
        address: Of a running Ray cluster; ``"local"`` starts one of this machine alone.
    """
    if name == "ray":
        return functools.partial(spread_by_ray, workers=workers, address=address)
    return functools.partial(_spread_here, workers=workers)


def _spread_here(
    function: Callable[[Job], Answer], jobs: Sequence[Job], workers: int
) -> Iterator[Answer]:
    return spread(function, jobs, max(1, min(workers, len(jobs))))


def spread_by_ray(
    function: Callable[[Job], Answer], jobs: Sequence[Job], workers: int, address: str = LOCAL
) -> Iterator[Answer]:
    """Answers to jobs in the jobs' order, worked out by a Ray cluster.

    A piece whose worker or machine dies is given to another one, as often as it takes. Machines
    other than this one must have ncs installed and see its files under the same paths.
    """
    ray = _import_ray(address)
    _knock(address)
    try:
        ray.init(
            address=address,
            include_dashboard=False,  # its job interface is a way in, and nobody looks at it
            log_to_driver=False,
            logging_level="ERROR",
            configure_logging=False,
            **({"num_cpus": workers} if address == LOCAL else {}),
        )
    except (ConnectionError, RuntimeError, ValueError, ray.exceptions.RayError) as error:
        raise NcsError(f"ray: cannot reach {address} ({brief(error)})") from None
    try:
        task = ray.remote(num_cpus=1, max_retries=-1)(function)
        ahead = AHEAD * max(1, int(ray.cluster_resources().get("CPU", 1)))
        waiting: deque[Any] = deque()
        for job in jobs:
            waiting.append(task.remote(job))
            if len(waiting) > ahead:
                yield _answer(ray, waiting.popleft())
        while waiting:
            yield _answer(ray, waiting.popleft())
    except ray.exceptions.RayTaskError as error:
        cause = error.as_instanceof_cause()
        raise (cause if isinstance(cause, NcsError) else error) from None
    except ray.exceptions.RayError as error:
        raise NcsError(f"ray: {address} is lost ({brief(error)}); {GO_ON}") from None
    finally:
        ray.shutdown()


def _knock(address: str) -> None:
    """Refuses a host and port at which nobody listens; Ray itself would try for minutes."""
    host, _, port = address.rpartition(":")
    if "/" in host or not (host and port.isascii() and port.isdigit()):
        return  # a word such as auto, or another way to say it
    try:
        socket.create_connection((host, int(port)), timeout=KNOCK_SECONDS).close()
    except (OSError, OverflowError) as error:
        raise NcsError(f"ray: cannot reach {address} ({brief(error)})") from None


def _answer(ray: Any, piece: Any) -> Any:
    """The answer to a piece, as long as the cluster has a head."""
    host, _, port = str(ray.get_runtime_context().gcs_address).rpartition(":")
    seen = time.monotonic()
    while not ray.wait([piece], timeout=LOOK_SECONDS)[0]:
        try:
            socket.create_connection((host, int(port)), timeout=LOOK_SECONDS).close()
            seen = time.monotonic()
        except OSError:
            if time.monotonic() - seen > HEAD_SECONDS:
                raise NcsError(f"ray: the head at {host}:{port} is gone; {GO_ON}") from None
    return ray.get(piece)


def _import_ray(address: str) -> Any:
    """Ray, told to talk only to those who know the token.

    A cluster of this machine alone gets a token made for the occasion; for a running one the user
    has the token where Ray looks for it.
    """
    os.environ.setdefault("RAY_AUTH_MODE", "token")
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is sent home
    if address == LOCAL:
        os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))
    try:
        import ray
    except ImportError:
        raise NcsError("engine: ray is not installed; pip install 'ncs[cluster]'") from None
    return ray
