"""Work spread over processes, its results handed back in order; no worker outlives its parent."""

import multiprocessing
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import TypeVar

from ncs.records import NcsError

Job = TypeVar("Job")
Answer = TypeVar("Answer")


def spread(
    function: Callable[[Job], Answer], jobs: Iterable[Job], workers: int
) -> Iterator[Answer]:
    """Answers to jobs in the jobs' order, worked out by spawned processes (or here, with one)."""
    if workers == 1:
        yield from map(function, jobs)
        return
    pool = ProcessPoolExecutor(
        workers,
        mp_context=multiprocessing.get_context("spawn"),
        initializer=_start_worker,
        initargs=(os.getpid(),),
    )
    waiting: deque[Future[Answer]] = deque()
    try:
        for job in jobs:
            waiting.append(pool.submit(function, job))
            if len(waiting) > 2 * workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    except BrokenProcessPool:
        raise NcsError(
            "a worker process was killed (out of memory?): run the same command again to go on "
            "from there, with fewer --workers if it happens twice"
        ) from None
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _start_worker(parent: int) -> None:
    """Keeps a worker to one core, and ends it when its parent is gone."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    threading.Thread(target=_watch_parent, args=(parent,), daemon=True).start()


def _watch_parent(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)
