"""One thread does the work, and no more waits for it than it can soon do."""

import asyncio
import threading

from ncs.web.jobs import MOST_WAITING, BusyError, JobQueue


def test_what_is_too_much_is_refused_at_once() -> None:
    gate = threading.Event()
    queue = JobQueue()

    async def crowd() -> list[object]:
        jobs = [asyncio.create_task(queue.run(gate.wait)) for _ in range(MOST_WAITING + 4)]
        done, _ = await asyncio.wait(jobs, return_when=asyncio.FIRST_COMPLETED)
        assert len(done) == 4  # refused while the others wait
        gate.set()
        return await asyncio.gather(*jobs, return_exceptions=True)

    answers = asyncio.run(crowd())
    assert answers.count(True) == MOST_WAITING
    assert sum(isinstance(answer, BusyError) for answer in answers) == 4
    assert asyncio.run(queue.run(threading.get_ident)) != threading.get_ident()
    queue.close()
