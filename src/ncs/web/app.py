"""What the page can ask for, by address."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from importlib import resources
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response, StreamingResponse
from starlette.datastructures import UploadFile
from starlette.formparsers import MultiPartException

from ncs.analysis.points import CELLS
from ncs.analysis.table import SCORES, as_records
from ncs.analysis.trace import encode_gif
from ncs.control.config import EXTENSIONS, ControlConfig
from ncs.evaluation.results import read_results
from ncs.records import ConfigError, DataError, NcsError
from ncs.storage import read_json
from ncs.web.asks import HealthAsk, Manner, ModelAsk, SceneAsk, TaskAsk
from ncs.web.guard import UPLOAD_PATH, Guard
from ncs.web.health import SHIPPED, Clinic, read_page, shipped_report
from ncs.web.programme import Performance, Programme
from ncs.web.shelf import PICTURES, Places, Shelf, pictures, result_files
from ncs.web.studio import BusyError, Studio
from ncs.web.uploads import read_picture

STATIC = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}
# A report is a page of its own: nothing in it runs, and its style and pictures stand inside it.
REPORT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox"


class Hall:
    """Everything a server holds."""

    def __init__(self, places: Places) -> None:
        self.places = places
        self.studio = Studio(Shelf(places))
        self.programme = Programme(self.studio)
        self.clinic = Clinic(self.studio, places.work)
        self.page = read_static()
        self.results: dict[str, tuple[int, list[dict[str, Any]]]] = {}  # by file and its age

    @contextlib.asynccontextmanager
    async def lifespan(self, _: FastAPI) -> AsyncIterator[None]:
        """Warms up, and tidies up."""
        warming = asyncio.create_task(self.studio.do(self.studio.warm_up))
        yield
        warming.cancel()
        await asyncio.gather(warming, return_exceptions=True)  # what ails a model, its user is told
        await self.programme.close()
        self.studio.close()


def read_static() -> dict[str, tuple[bytes, str]]:
    """The page's files by name, read once: no request ever names a path."""
    folder = resources.files("ncs.web") / "static"
    found = {}
    for file in folder.iterdir():
        kind = STATIC.get(f".{file.name.rpartition('.')[2]}")
        if kind:
            found[file.name] = (file.read_bytes(), kind)
    return found


def create_app(places: Places, hosts: frozenset[str]) -> Guard:
    """The viewer as an ASGI application that answers to the given hosts alone."""
    hall = Hall(places)
    app = FastAPI(
        title="ncs view", docs_url=None, redoc_url=None, openapi_url=None, lifespan=hall.lifespan
    )
    app.add_exception_handler(NcsError, refuse)
    app.add_exception_handler(RequestValidationError, refuse_form)
    add_page(app, hall)
    add_tasks(app, hall)
    add_shows(app, hall)
    add_evidence(app, hall)
    return Guard(app, hosts)


async def refuse(_: Request, error: Exception) -> Response:
    """A user's mistake as one line."""
    status = 429 if isinstance(error, BusyError) else 400
    return JSONResponse({"error": str(error)}, status)


async def refuse_form(_: Request, error: Exception) -> Response:
    """A request of the wrong shape as one line."""
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    name = ".".join(str(part) for part in first["loc"])
    return JSONResponse({"error": f"{name}: {first['msg'].lower()}"}, 422)


def add_page(app: FastAPI, hall: Hall) -> None:
    """The page and its parts."""

    @app.get("/")
    async def index() -> Response:
        return Response(hall.page["index.html"][0], media_type="text/html")

    @app.get("/static/{name}")
    async def static(name: str) -> Response:
        if name not in hall.page:
            return JSONResponse({"error": "there is no such file"}, 404)
        content, kind = hall.page[name]
        return Response(content, media_type=kind)

    @app.get("/api/models")
    async def models() -> dict[str, Any]:
        fields = ControlConfig.model_fields
        return {
            "models": await hall.studio.do(hall.studio.models),
            "extensions": [name for name in fields if name in EXTENSIONS],
        }


def add_tasks(app: FastAPI, hall: Hall) -> None:
    """Tasks, and what is drawn of models."""

    @app.post("/api/scene")
    async def scene(ask: SceneAsk) -> dict[str, Any]:
        return await hall.studio.do(hall.studio.scene, ask)

    @app.post("/api/graph")
    async def graph(ask: ModelAsk) -> dict[str, Any]:
        return await hall.studio.do(hall.studio.graph, ask)


def add_shows(app: FastAPI, hall: Hall) -> None:
    """Episodes and plans: started, watched, stopped, taken home."""
    studio, programme = hall.studio, hall.programme

    @app.post("/api/episodes")
    async def solve(ask: TaskAsk) -> dict[str, str]:
        async with programme.room():
            return {"id": programme.open(await studio.do(studio.begin, ask))}

    @app.post(UPLOAD_PATH)
    async def plan(request: Request) -> dict[str, str]:
        async with programme.room():
            ask, image, goal = await read_pair(request)
            pair = [
                await asyncio.to_thread(read_picture, data, name)
                for name, data in (("image", image), ("goal", goal))
            ]
            return {"id": programme.open(await studio.do(studio.begin_plan, ask, *pair))}

    @app.get("/api/episodes/{name}/events")
    async def events(name: str, request: Request) -> Response:
        last = request.headers.get("last-event-id", "")
        first = int(last) + 1 if last.isdigit() and len(last) < 8 else 0
        return StreamingResponse(programme.find(name).read(first), media_type="text/event-stream")

    @app.delete("/api/episodes/{name}")
    async def stop(name: str) -> dict[str, bool]:
        programme.find(name).stopped = True
        return {"stopped": True}

    @app.get("/api/episodes/{name}/{file}")
    async def take_home(name: str, file: str) -> Response:
        content, kind = await asyncio.to_thread(export, programme.find(name), file)
        return Response(
            content,
            media_type=kind,
            headers={"content-disposition": f"attachment; filename={file}"},
        )


async def read_pair(request: Request) -> tuple[Manner, bytes, bytes]:
    """The settings and the two files of an upload."""
    try:
        async with request.form(max_files=2, max_fields=1) as form:
            pair, ask = [form.get("image"), form.get("goal")], form.get("ask")
            files = [await f.read() for f in pair if isinstance(f, UploadFile)]
    except MultiPartException as error:
        raise ConfigError(f"upload: {error.message}") from None
    if len(files) != 2 or not isinstance(ask, str):
        raise ConfigError("upload: needs two files, image and goal, and the settings as ask")
    try:
        values = json.loads(ask)
    except (ValueError, RecursionError):
        values = None
    if not isinstance(values, dict):
        raise ConfigError("ask: is not a JSON object")
    return Manner(**values), files[0], files[1]


def export(one: Performance, file: str) -> tuple[bytes, str]:
    """A film, a trace or a picture of a show."""
    if file == "solve.gif" and one.show.watcher.rows:
        return encode_gif(list(one.show.watcher.rows)), "image/gif"
    if file == "trace.json":
        return one.show.trace(), "application/json"
    if file in one.show.files:
        return one.show.files[file], "image/png"
    raise DataError("export: choose solve.gif or trace.json")


def add_evidence(app: FastAPI, hall: Hall) -> None:
    """Results, figures and slot health."""

    @app.get("/api/results")
    async def results() -> dict[str, Any]:
        return await asyncio.to_thread(list_results, hall)

    @app.get("/api/figures/{name}")
    async def figure(name: str) -> Response:
        path = (await asyncio.to_thread(pictures, hall.places)).get(name)
        if path is None:
            return JSONResponse({"error": "there is no such picture"}, 404)
        content = await asyncio.to_thread(path.read_bytes)
        return Response(content, media_type=PICTURES[path.suffix.lower()])

    @app.post("/api/health")
    async def health(ask: HealthAsk) -> dict[str, Any]:
        return await hall.clinic.report(ask)

    add_reports(app, hall)


def add_reports(app: FastAPI, hall: Hall) -> None:
    """Health reports that are there already."""
    headers = {"content-security-policy": REPORT_POLICY}

    @app.get("/api/health/{model}")
    async def shipped(model: str) -> dict[str, Any]:
        folder = hall.studio.shelf.folder(model)
        return {"report": await asyncio.to_thread(shipped_report, folder)}

    @app.get("/api/health/{model}/page")
    async def shipped_page(model: str) -> Response:
        content = read_page(hall.studio.shelf.folder(model) / SHIPPED)
        return Response(content, media_type="text/html", headers=headers)

    @app.get("/api/health/{model}/{objects}/{clips}")
    async def page(model: str, objects: int, clips: int) -> Response:
        hall.studio.shelf.folder(model)
        ask = HealthAsk(model=model, objects=objects, clips=clips)
        return Response(hall.clinic.page(ask), media_type="text/html", headers=headers)


def read_cells(path: Path) -> list[dict[str, Any]]:
    """The cells of a result file, or of the run that wrote them down."""
    if path.name == CELLS:
        cells: list[dict[str, Any]] = read_json(path)["cells"]
        return cells
    rows = read_results(path)
    return [cell for score in SCORES for cell in as_records(rows, score)]


def list_results(hall: Hall) -> dict[str, Any]:
    """Every result file's cells beside the paper's, and the names of figures."""
    files = []
    for name, path in result_files(hall.places).items():
        age = path.stat().st_mtime_ns
        if hall.results.get(name, (0, []))[0] != age:
            hall.results[name] = (age, read_cells(path))
        files.append({"name": name, "cells": hall.results[name][1]})
    return {"files": files, "figures": list(pictures(hall.places))}
