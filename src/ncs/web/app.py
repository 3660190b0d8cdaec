"""Takes requests, gives answers: the viewer's addresses and the state they share."""

import asyncio
import contextlib
import json
import sys
from collections.abc import AsyncIterator
from importlib import resources
from typing import Any

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse
from starlette.datastructures import UploadFile
from starlette.formparsers import MultiPartException

from ncs.agent.familiar import load_familiar, warn_unlike
from ncs.analysis.trace import encode_gif
from ncs.control.extensions import EXTENSIONS, Extension
from ncs.records import ConfigError, DataError, Graph, NcsError
from ncs.web.catalogue import (
    PICTURES,
    Catalogue,
    Folders,
    build_graph,
    pictures,
    result_files,
)
from ncs.web.episodes import begin_episode, begin_plan, draw_scene
from ncs.web.guard import UPLOAD_PATH, Guard
from ncs.web.health import SHIPPED, HealthReports, read_page, shipped_report
from ncs.web.jobs import MOST_SLOW, BusyError, JobQueue
from ncs.web.payloads import graph_payload, result_payloads, tsne_payload
from ncs.web.refusals import add_refusals
from ncs.web.schemas import HealthRequest, ModelRequest, PairRequest, SceneRequest, TaskRequest
from ncs.web.sessions import Session, Sessions
from ncs.web.uploads import USUAL_SIZE, read_picture

STATIC = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}
# A report is a page of its own: nothing in it runs, and its style and pictures stand inside it.
REPORT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox"


class AppState:
    """Everything a server holds while it runs."""

    def __init__(self, folders: Folders) -> None:
        self.folders = folders
        self.catalogue = Catalogue(folders)
        self.jobs = JobQueue()
        self.slow = JobQueue(MOST_SLOW)
        self.sessions = Sessions(self.jobs)
        self.health = HealthReports(self.jobs, self.catalogue)
        self.page = read_static()
        self.results: dict[str, tuple[int, list[dict[str, Any]]]] = {}  # by file and its age

    @contextlib.asynccontextmanager
    async def lifespan(self, _: FastAPI) -> AsyncIterator[None]:
        """Warms up, and tidies up."""
        warming = asyncio.create_task(self.jobs.run(self.catalogue.load_first))
        yield
        warming.cancel()
        await asyncio.gather(warming, return_exceptions=True)  # what ails a model, its user is told
        await self.sessions.close()
        self.jobs.close()
        self.slow.close()

    async def have_graph(self, request: ModelRequest) -> None:
        """Sees to it that a request's graph is there: one of so many nodes may have to be built."""
        if request.nodes is None:
            return
        names = (request.model, request.preset)
        path = await self.jobs.run(self.catalogue.graph_file, *names, request.nodes)
        if not path.exists():
            builder = await self.jobs.run(self.catalogue.builder, *names)
            await self.slow.run(build_graph, builder, request.preset, request.nodes, path)


def read_static() -> dict[str, tuple[bytes, str]]:
    """The page's files by name, read once: no request ever names a path."""
    folder = resources.files("ncs.web") / "static"
    found = {}
    for file in folder.iterdir():
        kind = STATIC.get(f".{file.name.rpartition('.')[2]}")
        if kind:
            found[file.name] = (file.read_bytes(), kind)
    return found


def create_app(state: AppState, hosts: frozenset[str]) -> Guard:
    """The viewer as an ASGI application that answers to the given hosts alone."""
    app = FastAPI(
        title="ncs view", docs_url=None, redoc_url=None, openapi_url=None, lifespan=state.lifespan
    )
    app.add_exception_handler(NcsError, refuse)
    add_refusals(app)
    add_page(app, state)
    add_tasks(app, state)
    add_sessions(app, state)
    add_session(app, state)
    add_evidence(app, state)
    return Guard(app, hosts)


async def refuse(_: Request, error: Exception) -> Response:
    """A user's mistake as one line."""
    status = 429 if isinstance(error, BusyError) else 400
    return JSONResponse({"error": str(error)}, status)


def add_page(app: FastAPI, state: AppState) -> None:
    """The page and its parts."""

    @app.get("/")
    async def index() -> Response:
        return Response(state.page["index.html"][0], media_type="text/html")

    @app.get("/healthz")
    async def health() -> dict[str, str]:
        return {"status": "ok"}

    @app.get("/static/{name}")
    async def static(name: str) -> Response:
        if name not in state.page:
            return JSONResponse({"error": "there is no such file"}, 404)
        content, kind = state.page[name]
        return Response(content, media_type=kind)

    @app.get("/api/models")
    async def models() -> dict[str, Any]:
        return {
            "models": await state.jobs.run(lambda: state.catalogue.models),
            "extensions": {name: first_line(extend) for name, extend in EXTENSIONS.items()},
        }


def first_line(extend: Extension) -> str:
    """What an extension does: the first line of its module's docstring."""
    return (sys.modules[extend.__module__].__doc__ or "").partition("\n")[0]


def add_tasks(app: FastAPI, state: AppState) -> None:
    """Tasks, and what is drawn of models."""

    @app.post("/api/scene")
    async def scene(request: SceneRequest) -> dict[str, Any]:
        return await state.jobs.run(draw_scene, state.catalogue, request)

    async def graph_of(request: ModelRequest) -> Graph:
        await state.have_graph(request)
        names = (request.model, request.preset, request.nodes)
        return (await state.jobs.run(state.catalogue.trained, *names)).graph

    @app.post("/api/graph")
    async def graph(request: ModelRequest) -> dict[str, Any]:
        return await state.jobs.run(graph_payload, await graph_of(request))

    @app.post("/api/graph/tsne")
    async def graph_tsne(request: ModelRequest) -> dict[str, Any]:
        return {"places": await state.slow.run(tsne_payload, await graph_of(request))}


def add_sessions(app: FastAPI, state: AppState) -> None:
    """Episodes and plans are started."""
    jobs, sessions, catalogue = state.jobs, state.sessions, state.catalogue

    @app.post("/api/episodes")
    async def solve(request: TaskRequest) -> dict[str, str]:
        async with sessions.reserve():
            await state.have_graph(request)
            return {"id": sessions.open(await jobs.run(begin_episode, catalogue, request))}

    @app.post(UPLOAD_PATH)
    async def plan(request: Request) -> dict[str, Any]:
        async with sessions.reserve():
            options, image, goal = await read_pair(request)
            known = await asyncio.to_thread(load_familiar, catalogue.folder(options.model))
            size = USUAL_SIZE if known is None else (int(known.size[0]), int(known.size[1]))
            pair = {
                name: await asyncio.to_thread(read_picture, data, name, size, options.crop)
                for name, data in (("scene", image), ("goal", goal))
            }
            unlike, warning = warn_unlike(known, pair)
            await state.have_graph(options)
            episode = await jobs.run(begin_plan, catalogue, options, *pair.values())
            return {"id": sessions.open(episode), "unlike": unlike, "warning": warning}


def add_session(app: FastAPI, state: AppState) -> None:
    """What has been started is followed, stopped, downloaded."""
    jobs, sessions = state.jobs, state.sessions

    @app.get("/api/episodes/{name}/events")
    async def events(name: str, request: Request) -> Response:
        last = request.headers.get("last-event-id", "")
        first = int(last) + 1 if last.isascii() and last.isdigit() and len(last) < 8 else 0
        return StreamingResponse(sessions.find(name).read(first), media_type="text/event-stream")

    @app.delete("/api/episodes/{name}")
    async def stop(name: str) -> dict[str, bool]:
        sessions.find(name).stopped = True
        return {"stopped": True}

    @app.get("/api/episodes/{name}/seen/{step}")
    async def seen(name: str, step: int) -> dict[str, Any]:
        return await jobs.run(sessions.find(name).episode.seen, step)

    @app.get("/api/episodes/{name}/{file}")
    async def download(name: str, file: str) -> Response:
        content, kind = await asyncio.to_thread(export, sessions.find(name), file)
        headers = {"content-disposition": f"attachment; filename={file}"}
        return Response(content, media_type=kind, headers=headers)


async def read_pair(request: Request) -> tuple[PairRequest, bytes, bytes]:
    """The options and the two files of an upload."""
    try:
        async with request.form(max_files=2, max_fields=1) as form:
            pair, text = [form.get("image"), form.get("goal")], form.get("options")
            files = [await f.read() for f in pair if isinstance(f, UploadFile)]
    except MultiPartException as error:
        raise ConfigError(f"upload: {error.message}") from None
    if len(files) != 2 or not isinstance(text, str):
        raise ConfigError("upload: needs two files, image and goal, and the options")
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        values = None
    if not isinstance(values, dict):
        raise ConfigError("options: is not a JSON object")
    return PairRequest(**values), files[0], files[1]


def export(one: Session, file: str) -> tuple[bytes, str]:
    """The bytes and media type of a film, a trace or a picture of a session."""
    if file == "solve.gif" and one.episode.recorder.rows:
        return encode_gif(list(one.episode.recorder.rows)), "image/gif"
    if file == "trace.json":
        return one.episode.trace(), "application/json"
    if file in one.episode.files:
        return one.episode.files[file], "image/png"
    raise DataError("export: choose solve.gif or trace.json")


def add_evidence(app: FastAPI, state: AppState) -> None:
    """Results, figures and slot health."""

    @app.get("/api/results")
    async def results() -> dict[str, Any]:
        return await asyncio.to_thread(list_results, state)

    @app.get("/api/figures/{name}")
    async def figure(name: str) -> Response:
        path = (await asyncio.to_thread(pictures, state.folders)).get(name)
        if path is None:
            return JSONResponse({"error": "there is no such picture"}, 404)
        content = await asyncio.to_thread(path.read_bytes)
        return Response(content, media_type=PICTURES[path.suffix.lower()])

    @app.post("/api/health")
    async def health(request: HealthRequest) -> dict[str, Any]:
        return await state.health.report(request)

    add_reports(app, state)


def add_reports(app: FastAPI, state: AppState) -> None:
    """Health reports that are there already."""
    headers = {"content-security-policy": REPORT_POLICY}

    @app.get("/api/health/{model}")
    async def shipped(model: str) -> dict[str, Any]:
        folder = state.catalogue.folder(model)
        return {"report": await asyncio.to_thread(shipped_report, folder)}

    @app.get("/api/health/{model}/page")
    async def shipped_page(model: str) -> Response:
        content = read_page(state.catalogue.folder(model) / SHIPPED)
        return Response(content, media_type="text/html", headers=headers)

    @app.get("/api/health/{model}/{objects}/{clips}")
    async def page(model: str, objects: int, clips: int) -> Response:
        state.catalogue.folder(model)
        request = HealthRequest(model=model, objects=objects, clips=clips)
        return Response(state.health.page(request), media_type="text/html", headers=headers)


def list_results(state: AppState) -> dict[str, Any]:
    """Every result file's tables beside the paper's, and the names of figures."""
    files = []
    for name, path in result_files(state.folders).items():
        try:
            age = path.stat().st_mtime_ns
            if state.results.get(name, (0, []))[0] != age:
                state.results[name] = (age, result_payloads(path))
            files.append({"name": name, "tables": state.results[name][1]})
        except NcsError as error:  # one bad file does not hide the others
            files.append({"name": name, "tables": [], "error": str(error)})
    return {"files": files, "figures": list(pictures(state.folders))}
