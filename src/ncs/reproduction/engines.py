"""Who plays the pieces of a grid: processes of this machine, or a Ray cluster.

An engine only chooses where a piece is played. Answers come back in order and are written by the
command that asked, so the outcome is the same whatever engine is used and whoever dies on the way.
"""

import functools
import os
import secrets
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
    try:
        ray.init(
            address=address,
            include_dashboard=False,  # its job interface is a way in, and nobody looks at it
            log_to_driver=False,
            logging_level="ERROR",
            configure_logging=False,
            **({"num_cpus": workers} if address == LOCAL else {}),
        )
    except (ConnectionError, RuntimeError, ValueError) as error:
        raise NcsError(f"ray: cannot reach {address} ({brief(error)})") from None
    try:
        task = ray.remote(num_cpus=1, max_retries=-1)(function)
        ahead = AHEAD * max(1, int(ray.cluster_resources().get("CPU", 1)))
        waiting: deque[Any] = deque()
        for job in jobs:
            waiting.append(task.remote(job))
            if len(waiting) > ahead:
                yield ray.get(waiting.popleft())
        while waiting:
            yield ray.get(waiting.popleft())
    except ray.exceptions.RayTaskError as error:
        cause = error.as_instanceof_cause()
        raise (cause if isinstance(cause, NcsError) else error) from None
    finally:
        ray.shutdown()


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
