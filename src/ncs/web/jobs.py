"""A job queue: takes functions, runs them one at a time on one thread, gives their results.

Simulators and their drawing contexts belong to one thread. What takes seconds and draws nothing
has a queue and a thread of its own, so that nobody who only wants to look waits for it.
"""

import asyncio
import functools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from ncs.records import NcsError

MOST_WAITING = 16  # each takes a fraction of a second
MOST_SLOW = 2  # each takes seconds
T = TypeVar("T")


class BusyError(NcsError):
    """Too much is asked at once."""


class JobQueue:
    """One thread, and a bounded queue before it."""

    def __init__(self, most: int = MOST_WAITING) -> None:
        """Starts with nothing to do; ``most`` jobs may wait, the one under way among them."""
        self._most = most
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="jobs")
        self._waiting = 0

    async def run(self, job: Callable[..., T], *arguments: Any) -> T:
        """The result of a function called on the thread; refuses when too many wait already."""
        if self._waiting >= self._most:
            raise BusyError(f"{self._most} requests wait already; try again in a moment")
        self._waiting += 1
        try:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._thread, functools.partial(job, *arguments))
        finally:
            self._waiting -= 1

    def close(self) -> None:
        """Lets the thread end when its present job is done."""
        self._thread.shutdown(wait=False, cancel_futures=True)
