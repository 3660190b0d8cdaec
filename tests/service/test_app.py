"""The service answers its schema, refuses in one line, and lets nobody in without the token."""

import base64
import io
from collections.abc import Sequence
from typing import Any

import httpx
import numpy as np
import pytest
from PIL import Image

from ncs.agent.advice import Advice
from ncs.agent.players import Ask, UnknownEpisodeError
from ncs.service.app import Service, create_app
from ncs.service.schemas import GREY
from ncs.service.token import TokenGate
from ncs.web.guard import Guard

HOST = "robot.local"
TOKEN = "a-long-enough-secret"


class FakePlayers:
    """Answers with the number of red pixels, and knows one episode."""

    def __len__(self) -> int:
        return 1

    def open(self, seed: int) -> str:
        return "0123456789abcdef"

    def close(self, name: str) -> None:
        if name != "0123456789abcdef":
            raise UnknownEpisodeError(f"episode: there is no {name!r}")

    def act(self, asks: Sequence[Ask]) -> list[Any]:
        return [int((ask.now[..., 0] > 128).sum()) for ask in asks]


def advise(count: Any) -> Advice:
    return Advice(count == 0, [1.0, 2.0, 0.0], [float(count), 4.0, 0.0], "cm", "because", 2, 3)


def picture(red: int = 5, size: tuple[int, int] = (40, 30), kind: str = "PNG") -> str:
    image = np.zeros((size[1], size[0], 3), np.uint8)
    image.reshape(-1, 3)[:red, 0] = 255
    file = io.BytesIO()
    Image.fromarray(image).save(file, kind)
    return base64.b64encode(file.getvalue()).decode()


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def client(token: str | None = None, limit: int = 1 << 20) -> httpx.AsyncClient:
    facts = {"world": "own", "checkpoint": "abc"}
    app = create_app(Service(FakePlayers(), advise, facts))  # type: ignore[arg-type]
    guarded = Guard(TokenGate(app, token), frozenset({HOST}), lambda _: limit)
    transport = httpx.ASGITransport(app=guarded)
    return httpx.AsyncClient(transport=transport, base_url=f"http://{HOST}")


async def ask(body: dict[str, Any], **headers: str) -> httpx.Response:
    async with client() as http:
        return await http.post("/v1/act", json=body, headers=headers)


@pytest.mark.anyio
async def test_two_pictures_get_a_move_in_the_users_unit() -> None:
    answer = await ask({"now": picture(7), "goal": picture(0)})
    assert answer.status_code == 200
    assert answer.json() == {
        "holds": False,
        "move": {"pick": [1.0, 2.0, 0.0], "place": [7.0, 4.0, 0.0]},
        "unit": "cm",
        "reason": "because",
        "seen": 2,
        "wanted": 3,
    }


@pytest.mark.anyio
async def test_a_goal_that_holds_asks_for_no_move() -> None:
    answer = (await ask({"now": picture(0), "goal": picture(0)})).json()
    assert answer["holds"]
    assert answer["move"] is None


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("body", "status", "line"),
    [
        ({"now": "%%%", "goal": picture()}, 400, "now: is not base64"),
        ({"now": picture(), "goal": base64.b64encode(b"GIF89a").decode()}, 400, "goal: is not a"),
        ({"now": picture(), "goal": picture(size=(50, 30))}, 400, "two pictures of one camera"),
        ({"now": picture()}, 422, "goal: field required"),
        ({"now": picture(), "goal": picture(), "x": 1}, 422, "extra inputs are not permitted"),
        ({"now": picture(), "goal": picture(), "episode": "../.."}, 422, "episode"),
    ],
)
async def test_bad_requests_are_one_line(body: dict[str, Any], status: int, line: str) -> None:
    answer = await ask(body)
    assert answer.status_code == status
    assert line in answer.json()["error"]


@pytest.mark.anyio
async def test_episodes_are_opened_and_closed() -> None:
    async with client() as http:
        opened = await http.post("/v1/episodes", json={})
        assert opened.status_code == 201
        name = opened.json()["episode"]
        assert (await http.delete(f"/v1/episodes/{name}")).status_code == 204
        assert (await http.delete("/v1/episodes/ffff")).status_code == 404


@pytest.mark.anyio
@pytest.mark.parametrize("given", ["", "Bearer wrong", TOKEN, "Bearer \xff"])
async def test_without_the_token_nothing_is_answered_but_health(given: str) -> None:
    headers = {b"authorization": given.encode("latin-1")} if given else {}
    async with client(TOKEN) as http:
        refused = await http.post("/v1/episodes", json={}, headers=headers)  # type: ignore[arg-type]
        assert refused.status_code == 401
        assert (await http.get("/openapi.json")).status_code == 401
        assert (await http.get("/healthz")).status_code == 200
        good = await http.post(
            "/v1/episodes", json={}, headers={"authorization": f"Bearer {TOKEN}"}
        )
        assert good.status_code == 201


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "evil.example"}, 400),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "http://[::1"}, 403),
        ({"sec-fetch-site": "cross-site"}, 403),
    ],
)
async def test_foreign_pages_are_turned_away(headers: dict[str, str], status: int) -> None:
    async with client() as http:
        assert (await http.get("/healthz", headers=headers)).status_code == status


@pytest.mark.anyio
async def test_a_body_over_the_limit_is_refused() -> None:
    async with client(limit=1000) as http:
        answer = await http.post("/v1/act", json={"now": "A" * 2000, "goal": "A"})
    assert answer.status_code == 413


@pytest.mark.anyio
async def test_metrics_count_answers_by_status() -> None:
    async with client() as http:
        await http.post("/v1/act", json={"now": picture(), "goal": picture()})
        await http.post("/v1/act", json={})
        text = (await http.get("/metrics")).text
    assert 'ncs_answers_total{status="200"} 1' in text
    assert 'ncs_answers_total{status="422"} 1' in text
    assert "ncs_mean_batch 1" in text


@pytest.mark.anyio
async def test_the_interface_describes_every_refusal() -> None:
    async with client() as http:
        described = (await http.get("/openapi.json")).json()
    act = described["paths"]["/v1/act"]["post"]["responses"]
    assert {"200", "400", "401", "404", "422", "503"} <= set(act)


@pytest.mark.anyio
async def test_whatever_is_refused_is_refused_as_the_schema_says() -> None:
    async with client() as asked:
        for method, path, status in (
            ("GET", "/nowhere", 404),
            ("PUT", "/v1/act", 405),
        ):
            answer = await asked.request(method, path)
            assert (answer.status_code, list(answer.json())) == (status, ["error"])
        kind = {"content-type": "application/json"}
        answer = await asked.post("/v1/episodes", content=b"\xff", headers=kind)
        assert (answer.status_code, list(answer.json())) == (400, ["error"])
        answer = await asked.post("/v1/episodes", json={"seed": False})
        assert (answer.status_code, "seed" in answer.json()["error"]) == (422, True)
        schema = (await asked.get("/openapi.json")).json()["components"]["schemas"]
        assert schema["ActRequest"]["properties"]["now"]["contentEncoding"] == "base64"
        pair = dict.fromkeys(("now", "goal"), GREY)
        assert (await asked.post("/v1/act", json=pair)).status_code == 200
