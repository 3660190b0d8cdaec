"""Shows are bounded in number, read by many, and end even when they fail."""

import asyncio
import json
from typing import Any

import pytest

from ncs.records import DataError
from ncs.web.programme import MOST_KEPT, MOST_RUNNING, Programme
from ncs.web.studio import BusyError


class Film:
    """A show of some pictures, which may tear."""

    def __init__(self, length: int, tears: bool = False) -> None:
        self.left, self.tears = length, tears
        self.commands, self.files, self.solved = ["ncs"], {}, True

    def next(self) -> dict[str, Any] | None:
        if self.left == 0 and self.tears:
            raise DataError("film: torn")
        self.left -= 1
        return {"left": self.left} if self.left >= 0 else None


class Hands:
    """A studio that does its jobs on the spot, and is busy at first."""

    def __init__(self) -> None:
        self.refusals = 2

    async def do(self, job: Any, *arguments: Any) -> Any:
        await asyncio.sleep(0)
        if self.refusals:
            self.refusals -= 1
            raise BusyError("later")
        return job(*arguments)


def events(text: list[str]) -> list[tuple[str, Any]]:
    parts = [dict(line.split(": ", 1) for line in one.strip().splitlines()) for one in text]
    return [(part["event"], json.loads(part["data"])) for part in parts]


async def read(programme: Programme, name: str, first: int = 0) -> list[tuple[str, Any]]:
    return events([text async for text in programme.find(name).read(first)])


def test_every_reader_sees_the_whole_show_whenever_it_comes() -> None:
    async def evening() -> None:
        programme = Programme(Hands())  # type: ignore[arg-type]
        name = programme.open(Film(3))  # type: ignore[arg-type]
        early, also = await asyncio.gather(read(programme, name), read(programme, name))
        late = await read(programme, name, first=2)
        assert early == also
        assert [kind for kind, _ in early] == ["moment"] * 3 + ["end"]
        assert late == early[2:]

    asyncio.run(evening())


def test_a_show_that_fails_says_so_and_ends() -> None:
    async def evening() -> None:
        programme = Programme(Hands())  # type: ignore[arg-type]
        told = await read(programme, programme.open(Film(1, tears=True)))  # type: ignore[arg-type]
        assert told[-1] == (
            "end", {"solved": False, "error": "film: torn", "commands": ["ncs"], "files": []}
        )  # fmt: skip

    asyncio.run(evening())


def test_the_oldest_are_forgotten_and_the_stage_is_small() -> None:
    async def evening() -> None:
        programme = Programme(Hands())  # type: ignore[arg-type]
        names = []
        for _ in range(MOST_KEPT + 3):
            names.append(programme.open(Film(0)))  # type: ignore[arg-type]
            await read(programme, names[-1])
        with pytest.raises(DataError, match="the oldest are forgotten"):
            programme.find(names[0])
        for _ in range(MOST_RUNNING):
            programme.open(Film(10**9))  # type: ignore[arg-type]
        with pytest.raises(BusyError, match="being played already"):
            async with programme.room():
                pass
        await programme.close()

    asyncio.run(evening())


def test_a_place_on_the_stage_is_taken_while_a_show_is_prepared() -> None:
    async def evening() -> None:
        programme = Programme(Hands())  # type: ignore[arg-type]
        async with programme.room(), programme.room():
            with pytest.raises(BusyError):
                async with programme.room():
                    pass
        async with programme.room():
            pass

    assert MOST_RUNNING == 2
    asyncio.run(evening())
