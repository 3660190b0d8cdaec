"""Work spread over processes, its results handed back in order; no worker outlives its parent."""

import contextlib
import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.connection import Connection
from typing import TypeVar

from ncs.records import NcsError

SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
Job = TypeVar("Job")
Answer = TypeVar("Answer")


def spread(
    function: Callable[[Job], Answer], jobs: Iterable[Job], workers: int
) -> Iterator[Answer]:
    """Answers to jobs in the jobs' order, worked out by spawned processes (or here, with one).

    Whatever breaks this off, such as an interrupt, ends the workers in the middle of their jobs.
    """
    if workers == 1:
        yield from map(function, jobs)
        return
    context = multiprocessing.get_context("spawn")
    # The workers end when our end of the pipe is closed, be it by our own death.
    theirs, ours = context.Pipe(duplex=False)
    with held_back():
        pool = ProcessPoolExecutor(
            workers, mp_context=context, initializer=_start_worker, initargs=(theirs,)
        )
    waiting: deque[Future[Answer]] = deque()
    try:
        for job in jobs:
            with held_back():  # the first one starts the workers
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
    except BaseException:
        ours.close()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
        ours.close()
        theirs.close()


def _start_worker(parent: "Connection[object, object]") -> None:
    """Keeps a worker to one core, and ends it when its parent is gone or says so."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    threading.Thread(target=_watch, args=(parent,), daemon=True).start()


def _watch(parent: "Connection[object, object]") -> None:
    with contextlib.suppress(EOFError, OSError):
        parent.recv()  # nothing is ever sent
    os._exit(1)


@contextlib.contextmanager
def held_back() -> Iterator[None]:
    """Lets signals wait while processes are started, and keeps those of a terminal from them.

    Ctrl-C and a terminal that closes reach all processes of a group. They are the parent's to act
    on: in a worker they would only end one job, and be handed over as its answer.
    """
    came: list[int] = []
    before = {}
    if threading.current_thread() is threading.main_thread():
        handlers = {number: signal.getsignal(number) for number in SIGNALS}
        before = {n: handler for n, handler in handlers.items() if handler is not signal.SIG_IGN}
        for number in before:
            signal.signal(number, lambda number, _: came.append(number))
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGHUP))
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        for number, handler in before.items():
            signal.signal(number, handler)
        for late in came:
            signal.raise_signal(late)
