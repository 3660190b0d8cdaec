"""Takes questions one by one, answers them in batches on one thread, and refuses too many.

While a batch is answered the next one gathers, so nobody waits for others to come.
"""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Generic, TypeVar

from ncs.records import NcsError

Q = TypeVar("Q")
A = TypeVar("A")


class BusyError(NcsError):
    """Too much is asked at once."""


class ClosingError(NcsError):
    """The service is about to end."""


class Batcher(Generic[Q, A]):
    """A bounded queue, and one thread that empties it batch by batch."""

    def __init__(
        self, answer: Callable[[Sequence[Q]], Sequence[A]], largest: int = 16, waiting: int = 64
    ) -> None:
        self._answer, self._largest, self._most = answer, largest, waiting
        self._queue: list[tuple[Q, asyncio.Future[A]]] = []
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="batches")
        self._worker: asyncio.Task[None] | None = None
        self._news = asyncio.Event()
        self._busy = False
        self.closing = False
        self.batches = 0
        self.answered = 0

    async def ask(self, question: Q) -> A:
        """The answer to a question; refused when too many wait, or when the service ends."""
        if self.closing:
            raise ClosingError("the service is ending; ask again in a moment")
        if len(self._queue) >= self._most:
            raise BusyError(f"{self._most} requests wait already; try again in a moment")
        if self._worker is None:
            self._worker = asyncio.create_task(self._work())
        future: asyncio.Future[A] = asyncio.get_running_loop().create_future()
        self._queue.append((question, future))
        self._news.set()
        return await future

    @property
    def waiting(self) -> int:
        """Questions that are not yet being answered."""
        return len(self._queue)

    async def _work(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            await self._news.wait()
            batch, self._queue = self._queue[: self._largest], self._queue[self._largest :]
            if not self._queue:
                self._news.clear()
            batch = [(question, future) for question, future in batch if not future.cancelled()]
            if not batch:
                continue
            questions = [question for question, _ in batch]
            self._busy = True
            try:
                answers = await loop.run_in_executor(self._thread, self._answer, questions)
            except Exception as error:  # every caller of the batch is told
                for _, future in batch:
                    if not future.done():
                        future.set_exception(error)
                continue
            finally:
                self._busy = False
            self.batches, self.answered = self.batches + 1, self.answered + len(batch)
            for (_, future), answer in zip(batch, answers, strict=True):
                if not future.done():
                    future.set_result(answer)

    async def close(self, patience: float = 5.0) -> None:
        """Answers what waits, refuses what comes, and ends."""
        self.closing = True
        deadline = asyncio.get_running_loop().time() + patience
        while (self._queue or self._busy) and asyncio.get_running_loop().time() < deadline:
            await asyncio.sleep(0.02)
        if self._worker is not None:
            self._worker.cancel()
            await asyncio.gather(self._worker, return_exceptions=True)
        for _, future in self._queue:
            future.cancel()
        self._thread.shutdown(wait=False, cancel_futures=True)
