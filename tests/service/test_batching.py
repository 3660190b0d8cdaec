import asyncio
import threading
import time
from collections.abc import Sequence

import pytest

from ncs.service.batching import Batcher, BusyError, ClosingError


def test_answers_come_back_to_those_who_asked() -> None:
    async def go() -> list[int]:
        batcher = Batcher(lambda batch: [2 * question for question in batch])
        answers = await asyncio.gather(*(batcher.ask(number) for number in range(50)))
        await batcher.close()
        return list(answers)

    assert asyncio.run(go()) == [2 * number for number in range(50)]


def test_those_who_wait_are_answered_together_and_no_batch_is_too_large() -> None:
    sizes = []
    gate = threading.Event()

    def answer(batch: Sequence[int]) -> Sequence[int]:
        sizes.append(len(batch))
        gate.wait(30)
        return batch

    async def go() -> None:
        batcher = Batcher(answer, largest=4)
        first = asyncio.create_task(batcher.ask(0))
        while not sizes:
            await asyncio.sleep(0.001)
        rest = [asyncio.create_task(batcher.ask(number)) for number in range(1, 10)]
        await asyncio.sleep(0)
        gate.set()
        assert await asyncio.gather(first, *rest) == list(range(10))
        await batcher.close()

    asyncio.run(go())
    assert sizes == [1, 4, 4, 1]


def test_more_than_can_wait_are_refused_at_once() -> None:
    gate = threading.Event()

    def answer(batch: Sequence[int]) -> Sequence[int]:
        gate.wait(30)
        return batch

    async def go() -> None:
        batcher = Batcher(answer, largest=1, waiting=3)
        held = [asyncio.create_task(batcher.ask(0))]
        while batcher.waiting or not held[0]:
            await asyncio.sleep(0.001)
        await asyncio.sleep(0.01)
        held += [asyncio.create_task(batcher.ask(number)) for number in (1, 2, 3)]
        await asyncio.sleep(0.01)
        with pytest.raises(BusyError, match="3 requests wait already"):
            await batcher.ask(4)
        gate.set()
        assert await asyncio.gather(*held) == [0, 1, 2, 3]
        await batcher.close()

    asyncio.run(go())


def test_an_error_reaches_everybody_of_the_batch_and_the_next_batch_is_answered() -> None:
    calls = []

    def answer(batch: Sequence[int]) -> Sequence[int]:
        calls.append(batch)
        if len(calls) == 1:
            raise RuntimeError("no")
        return batch

    async def go() -> None:
        batcher = Batcher(answer)
        with pytest.raises(RuntimeError, match="no"):
            await batcher.ask(1)
        assert await batcher.ask(2) == 2
        await batcher.close()

    asyncio.run(go())


def slowly(batch: Sequence[int]) -> Sequence[int]:
    time.sleep(0.05)
    return batch


def test_closing_answers_what_waits_and_refuses_what_comes() -> None:
    async def go() -> None:
        batcher = Batcher(slowly)
        asked = [asyncio.create_task(batcher.ask(number)) for number in range(5)]
        while batcher.waiting == 0 and not asked[0].done():  # until some are under way
            await asyncio.sleep(0)
        await batcher.close()
        assert await asyncio.gather(*asked) == list(range(5))
        with pytest.raises(ClosingError):
            await batcher.ask(9)

    asyncio.run(go())
