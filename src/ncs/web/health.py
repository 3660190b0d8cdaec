"""Takes a model's name, gives its slot health report: 'ncs slots' is run, its report kept."""

import asyncio
import shlex
import sys
from pathlib import Path
from typing import Any

from ncs.bounded import MOST_JSON, read_regular
from ncs.records import DataError, NcsError
from ncs.storage import read_json
from ncs.training.checkpoint import checkpoint_hash
from ncs.web.catalogue import Catalogue
from ncs.web.jobs import BusyError, JobQueue
from ncs.web.schemas import HealthRequest

LONGEST = 600.0  # seconds
SHIPPED = "health"  # a model's folder may hold its report under this name


class HealthReports:
    """Reports by model and number of objects; one model is examined at a time."""

    def __init__(self, jobs: JobQueue, catalogue: Catalogue) -> None:
        self._jobs, self._catalogue = jobs, catalogue
        self._examining = False

    def folder(self, request: HealthRequest) -> Path:
        """Where a report is kept."""
        name = f"health-{request.model}-{request.objects}-{request.clips}"
        return self._catalogue.folders.work / name

    async def report(self, request: HealthRequest) -> dict[str, Any]:
        """The report that is requested, made if there is none of these very weights."""
        if self._examining:
            raise BusyError("a model is being examined already; wait for its report")
        self._examining = True
        try:
            model, buffer = await self._jobs.run(self._catalogue.model_and_buffer, request.model)
            out = self.folder(request)
            words = ["--model", str(model), "--buffer", str(buffer), "--out", str(out)]
            words += ["--objects", str(request.objects), "--clips", str(request.clips)]
            kept = out / "health.json"
            weights = await asyncio.to_thread(checkpoint_hash, model)
            if not kept.exists() or read_json(kept)["checkpoint"] != weights:
                await run_slots(words)
            return {**read_json(kept), "command": shlex.join(["ncs", "slots", *words])}
        finally:
            self._examining = False

    def page(self, request: HealthRequest) -> bytes:
        """A report as a page of its own, pictures inside."""
        return read_page(self.folder(request))


def shipped_report(model: Path) -> dict[str, Any] | None:
    """The report that stands beside a model's weights, if there is one and it is of these."""
    kept = model / SHIPPED / "health.json"
    if not kept.exists():
        return None
    report = read_json(kept)
    return report if report.get("checkpoint") == checkpoint_hash(model) else None


def read_page(folder: Path) -> bytes:
    """The page in a report's folder."""
    path = folder / "health.html"
    if not path.exists():
        raise DataError("health: there is no such report yet")
    return read_regular(path, MOST_JSON)


async def run_slots(words: list[str]) -> None:
    """Runs 'ncs slots' to its end in a process of its own; its complaint is ours."""
    process = await asyncio.create_subprocess_exec(
        *[sys.executable, "-m", "ncs.cli.main", "slots", *words],
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        _, complaint = await asyncio.wait_for(process.communicate(), LONGEST)
    except BaseException:
        process.kill()
        await process.wait()
        raise
    if process.returncode != 0:
        lines = complaint.decode(errors="replace").strip().splitlines()
        raise NcsError(lines[-1] if lines else "ncs slots: failed without a word")
