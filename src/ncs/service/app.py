"""What a robot's loop can ask for, by address; described at /openapi.json."""

import asyncio
import base64
import binascii
import contextlib
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from importlib import resources
from typing import Any

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, PlainTextResponse, Response

from ncs.agent.advice import Advice
from ncs.agent.players import Ask, Picture, Players, UnknownEpisodeError
from ncs.control.decision import Decision
from ncs.data.importing.pictures import decode_picture
from ncs.records import DataError, NcsError
from ncs.service.batching import Batcher, BusyError, ClosingError
from ncs.service.metrics import Metrics
from ncs.service.schemas import (
    ActAnswer,
    ActRequest,
    EpisodeAnswer,
    EpisodeRequest,
    Health,
    Move,
    Refusal,
)
from ncs.web.refusals import add_refusals

LONGEST = 512  # pixels to which larger pictures are reduced as they are read
REFUSALS: dict[int | str, dict[str, Any]] = {
    400: {"model": Refusal, "description": "a picture that cannot be read"},
    401: {"model": Refusal, "description": "the token is missing or wrong"},
    404: {"model": Refusal, "description": "an unknown episode: open a new one"},
    422: {"model": Refusal, "description": "a request of the wrong shape"},
    503: {"model": Refusal, "description": "busy, or about to end: ask again in a moment"},
}


class Service:
    """Everything a server holds: the model's facts, its players, and the queue before them."""

    def __init__(
        self, players: Players, advise: Callable[[Decision], Advice], facts: dict[str, str]
    ) -> None:
        self.players, self.advise, self.facts = players, advise, facts
        self.batcher: Batcher[Ask, Decision | NcsError] = Batcher(players.act)
        self.metrics = Metrics()

    @contextlib.asynccontextmanager
    async def lifespan(self, _: FastAPI) -> AsyncIterator[None]:
        """Answers what waits before it ends."""
        yield
        await self.batcher.close()

    async def act(self, request: ActRequest) -> ActAnswer:
        """The next move for two pictures."""
        now, goal = await asyncio.gather(
            asyncio.to_thread(self._read, request.now, "now"),
            asyncio.to_thread(self._read, request.goal, "goal"),
        )
        if now.shape != goal.shape:
            raise DataError(
                f"goal: is {goal.shape[1]} x {goal.shape[0]} pixels and now {now.shape[1]} x "
                f"{now.shape[0]}; give two pictures of one camera"
            )
        found = await self.batcher.ask(Ask(request.episode or "", now, goal))
        if isinstance(found, NcsError):
            raise found
        return as_answer(self.advise(found))

    def _read(self, text: str, name: str) -> Picture:
        try:
            data = base64.b64decode(text, validate=True)
        except (binascii.Error, ValueError):
            raise DataError(f"{name}: is not base64") from None
        return decode_picture(data, name, LONGEST)


def as_answer(advice: Advice) -> ActAnswer:
    """Advice as the service puts it."""
    move = None if advice.holds else Move(pick=advice.pick, place=advice.place)
    return ActAnswer(
        holds=advice.holds,
        move=move,
        unit=advice.unit,
        reason=advice.reason,
        seen=advice.seen,
        wanted=advice.wanted,
    )


def create_app(service: Service) -> FastAPI:
    """The service as an application."""
    app = FastAPI(
        title="ncs serve",
        summary="Two pictures in, the next pick and place out.",
        version="1",
        docs_url=None,  # these pages would load scripts from elsewhere
        redoc_url=None,
        lifespan=service.lifespan,
    )
    app.add_exception_handler(NcsError, refuse)
    add_refusals(app)
    app.middleware("http")(timed(service.metrics))
    add_questions(app, service)
    add_facts(app, service)
    return app


def timed(
    metrics: Metrics,
) -> Callable[[Request, Callable[[Request], Awaitable[Response]]], Awaitable[Response]]:
    """Middleware that takes note of every answer."""

    async def note(request: Request, go_on: Callable[[Request], Awaitable[Response]]) -> Response:
        began = time.perf_counter()
        response = await go_on(request)
        metrics.count(response.status_code, time.perf_counter() - began)
        return response

    return note


async def refuse(_: Request, error: Exception) -> Response:
    """A caller's mistake as one line; 503 says when to ask again."""
    if isinstance(error, BusyError | ClosingError):
        return JSONResponse({"error": str(error)}, 503, {"retry-after": "1"})
    return JSONResponse(
        {"error": str(error)}, 404 if isinstance(error, UnknownEpisodeError) else 400
    )


def add_questions(app: FastAPI, service: Service) -> None:
    """What to do next, and episodes that remember what was tried."""

    @app.post("/v1/act", responses=REFUSALS)
    async def act(request: ActRequest) -> ActAnswer:
        """The next pick and place for two pictures."""
        return await service.act(request)

    @app.post("/v1/episodes", status_code=201, responses=REFUSALS)
    async def open_episode(request: EpisodeRequest) -> EpisodeAnswer:
        """Starts an episode: moves that failed in it are tried in another way."""
        return EpisodeAnswer(episode=service.players.open(request.seed))

    @app.delete("/v1/episodes/{episode}", status_code=204, responses=REFUSALS)
    async def close_episode(episode: str) -> Response:
        """Forgets an episode."""
        service.players.close(episode)
        return Response(status_code=204)


def add_facts(app: FastAPI, service: Service) -> None:
    """Health, figures, and a page that says how to ask."""

    @app.get("/healthz", responses={503: {"model": Health}})
    async def health(response: Response) -> Health:
        """Whether the service takes questions."""
        closing = service.batcher.closing
        response.status_code = 503 if closing else 200
        return Health(
            status="ending" if closing else "ok",
            world=service.facts["world"],
            checkpoint=service.facts["checkpoint"],
            episodes=len(service.players),
            waiting=service.batcher.waiting,
        )

    @app.get("/metrics", response_class=PlainTextResponse, responses=REFUSALS)
    async def metrics() -> str:
        """Figures for Prometheus."""
        batches = max(service.batcher.batches, 1)
        return service.metrics.text(
            {
                "episodes": len(service.players),
                "waiting": service.batcher.waiting,
                "mean_batch": service.batcher.answered / batches,
            }
        )

    @app.get("/", include_in_schema=False)
    async def page() -> Response:
        text = (resources.files("ncs.service") / "page.html").read_text()
        return Response(text, media_type="text/html")
