"""The health report is the command's own, and so is its complaint."""

import asyncio
import shutil
from pathlib import Path

import pytest
from tests.web.conftest import FOLDER

from ncs.records import DataError, NcsError
from ncs.storage import write_json
from ncs.training.checkpoint import checkpoint_hash
from ncs.web.catalogue import Catalogue, Folders
from ncs.web.health import SHIPPED, HealthReports, run_slots, shipped_report
from ncs.web.jobs import BusyError
from ncs.web.schemas import HealthRequest

REQUEST = HealthRequest(model="m", objects=3, clips=2)


class Waiting:
    """Stands for a job queue that never comes back."""

    async def run(self, *_: object) -> None:
        await asyncio.Event().wait()


def catalogue_in(folder: Path) -> Catalogue:
    return Catalogue(Folders((), None, (), folder))


def test_the_commands_complaint_is_passed_on() -> None:
    with pytest.raises(NcsError, match="ncs slots: Missing from ncs slots"):
        asyncio.run(run_slots([]))


def test_one_model_is_examined_at_a_time(tmp_path: Path) -> None:
    async def two() -> None:
        health = HealthReports(Waiting(), catalogue_in(tmp_path))  # type: ignore[arg-type]
        first = asyncio.create_task(health.report(REQUEST))
        await asyncio.sleep(0)
        with pytest.raises(BusyError, match="being examined already"):
            await health.report(REQUEST)
        first.cancel()

    asyncio.run(two())


def test_a_report_of_other_weights_is_not_a_models_own(tmp_path: Path) -> None:
    model = tmp_path / "model"
    shutil.copytree(FOLDER, model, ignore=shutil.ignore_patterns("health", "graph-*", "sets-*"))
    assert shipped_report(model) is None
    for checkpoint, own in (("0" * 64, False), (checkpoint_hash(model), True)):
        write_json(model / SHIPPED / "health.json", {"checkpoint": checkpoint, "reports": []})
        assert (shipped_report(model) is not None) == own


def test_there_is_no_page_before_there_is_a_report(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such report"):
        HealthReports(Waiting(), catalogue_in(tmp_path)).page(REQUEST)  # type: ignore[arg-type]
