"""What the page asks for is what the library gives."""

import io
import json
import re
import socket
import sys
import threading
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from urllib.parse import quote

import numpy as np
import pytest
from PIL import Image
from tests.conftest import PATIENCE
from tests.web.conftest import FOLDER, Site

from ncs.analysis.formatter import as_markdown
from ncs.cli.main import main
from ncs.control.extensions import EXTENSIONS
from ncs.envs import make_env
from ncs.evaluation.results import read_results
from ncs.web.app import read_static
from ncs.web.jobs import MOST_SLOW
from ncs.web.sessions import MOST_RUNNING

MODEL = FOLDER.name
PAGE = read_static()
SECRETS = (b"root:", b"secret", b"BEGIN", b"def create_app", b"[project]", b"weights-")
UP = (Path(__file__).parent / "traversal.txt").read_text().splitlines()


def get(site: Site, path: str) -> bytes:
    """The answer to a path sent as it is, which no client library would do."""
    request = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{site.port}\r\nConnection: close\r\n\r\n"
    with socket.create_connection(("127.0.0.1", site.port), timeout=PATIENCE) as link:
        link.sendall(request.encode())
        answer = b""
        while part := link.recv(65536):
            answer += part
    return answer


def test_there_are_forty_payloads() -> None:
    assert len(set(UP)) == 40


@pytest.mark.parametrize("payload", UP)
def test_no_path_leads_out(site: Site, payload: str) -> None:
    prefixes = ("/static/", "/api/figures/", "/api/episodes/x/", f"/api/health/{payload}/4/", "/")
    for prefix in prefixes:
        answer = get(site, prefix + payload)
        assert not answer.startswith(b"HTTP/1.1 2")
        assert not any(secret in answer for secret in SECRETS)
    for path in ("/api/scene", "/api/health"):
        answer = site.post(path, model=payload)
        assert answer.status_code in (400, 422)


def test_only_pictures_are_figures_and_links_lead_nowhere(site: Site) -> None:
    told = site.client.get("/api/results").json()
    assert told["figures"] == ["chart.png"]
    answer = site.client.get("/api/figures/chart.png")
    assert answer.headers["content-type"] == "image/png"
    assert Image.open(io.BytesIO(answer.content)).format == "PNG"


def test_the_page_weighs_little() -> None:
    assert sum(len(content) for content, _ in PAGE.values()) < 300_000


def test_the_page_asks_nobody_else() -> None:
    for name, (content, _) in PAGE.items():
        text = content.decode().replace("http://www.w3.org/2000/svg", "")
        assert not re.search(r"https?:|//\w+\.\w|@import|url\(", text), name


def test_every_file_the_page_names_is_there(site: Site) -> None:
    named = set()
    for content, _ in PAGE.values():
        text = content.decode()
        named |= set(re.findall(r'"/static/([\w.]+)"', text))
        named |= set(re.findall(r'from "\./([\w.]+)"', text))
    assert named | {"index.html"} == set(PAGE)
    for name in named:
        answer = site.client.get(f"/static/{name}")
        assert answer.content == PAGE[name][0]
    assert site.client.get("/").content == PAGE["index.html"][0]


def test_the_server_connects_to_nobody(site: Site) -> None:
    """No socket of the process leaves the loopback address while the page is used."""
    seen: list[str] = []
    watching = True

    def note(event: str, arguments: tuple[object, ...]) -> None:
        if watching and event in ("socket.connect", "socket.sendto"):
            seen.append(str(arguments[1]))
        if watching and event == "socket.getaddrinfo":
            seen.append(str(arguments[:2]))

    sys.addaudithook(note)
    try:
        name = site.start(objects=4, goal="partial", seed=3)
        site.follow(name)
        site.client.get("/api/results")
        site.post("/api/graph", model=MODEL)
    finally:
        watching = False
    assert all("127.0.0.1" in one for one in seen)


def test_the_models_are_listed_with_what_they_can_do(site: Site) -> None:
    told = site.client.get("/api/models").json()
    assert told["models"] == [
        {
            "name": MODEL,
            "world": "block-rearrange",
            "kind": "touched",
            "most_objects": 12,
            "key_step": 0.25,
            "presets": ["best", "paper"],
            "shape": 1.0,
        }
    ]
    assert "residual" in told["extensions"]


def test_an_episode_is_the_one_its_command_line_gives(
    site: Site, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    body = {"objects": 5, "seed": 3, "without": ["residual"], "choice": "sample", "slots": 7}
    scene = site.post(
        "/api/scene", model=MODEL, **body, drag={"index": 1, "x": 0.1, "y": 0.1}
    ).json()
    name = site.start(**body, place=scene["place"])
    *moments, (last, verdict) = site.follow(name)
    assert last == "end"
    assert all(kind == "moment" for kind, _ in moments)
    (command,) = verdict["commands"]
    words = command.split()[1:]
    assert main([*words, "--out", str(tmp_path), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["solved"] == verdict["solved"]
    theirs = json.loads((tmp_path / "trace.json").read_text())
    ours = site.client.get(f"/api/episodes/{name}/trace.json").json()
    assert ours["steps"] == theirs["steps"]
    assert ours["checkpoint"] == theirs["checkpoint"]
    gif = Image.open(io.BytesIO(site.client.get(f"/api/episodes/{name}/solve.gif").content))
    assert gif.n_frames == len(moments)  # type: ignore[attr-defined]
    assert (tmp_path / "solve.gif").read_bytes() == gif.fp.getvalue()  # type: ignore[union-attr]


def test_each_moment_shows_slots_nodes_and_reasons(site: Site) -> None:
    events = site.follow(site.start(objects=4, goal="partial", seed=3))
    moments = [data for kind, data in events if kind == "moment"]
    for moment in moments[:-1]:
        assert len(moment["step"]["why"]) == 3
        assert len(moment["colours"]) == len(moment["step"]["pairs"])
        for key in ("image", "goal", "scene_seen", "goal_seen", "nodes_seen"):
            assert moment[key].startswith("data:image/png;base64,")
    assert moments[-1]["step"] is None
    assert moments[-1]["solved"]


def test_a_reader_who_comes_back_misses_nothing_and_gets_nothing_twice(site: Site) -> None:
    name = site.start(objects=4, goal="partial", seed=3)
    whole = site.follow(name)
    assert site.follow(name) == whole
    assert site.follow(name, **{"last-event-id": "0"}) == whole[1:]
    for odd in ("\xb2", "-1", "9" * 40, "x"):  # a digit only to Python, and no numbers at all
        assert site.follow(name, **{"last-event-id": odd}) == whole


def test_no_more_episodes_are_played_at_once_than_there_is_room_for(site: Site) -> None:
    answers = [
        site.post("/api/episodes", model=MODEL, objects=12, seed=seed, slots=4) for seed in range(6)
    ]
    codes = [answer.status_code for answer in answers]
    assert codes.count(200) == MOST_RUNNING
    assert codes.count(429) == 6 - MOST_RUNNING
    assert "being played already" in answers[-1].json()["error"]
    names = [answer.json()["id"] for answer in answers if answer.status_code == 200]
    for name in names:
        assert site.client.delete(f"/api/episodes/{name}").json() == {"stopped": True}
        assert site.follow(name)[-1][1]["stopped"]
    site.follow(site.start(objects=4, goal="partial", seed=3))


def test_a_drag_that_cannot_be_is_refused_and_changes_nothing(site: Site) -> None:
    body = {"model": MODEL, "objects": 4, "seed": 3}
    before = site.post("/api/scene", **body).json()
    first, second = before["handles"][:2]
    onto = {"index": first["index"], "x": second["x"], "y": second["y"]}
    after = site.post("/api/scene", **body, drag=onto).json()
    assert "goal of another object already" in after.pop("refusal")
    assert after == {key: value for key, value in before.items() if key != "refusal"}


def test_one_hand_makes_one_move(site: Site) -> None:
    body = {"model": MODEL, "objects": 2, "seed": 3}
    other = site.post("/api/scene", **body).json()["handles"][1]
    row = 0.1 if other["y"] > 0.5 else 0.9  # where the other object's goal is not
    place: list[str] = []
    for x in (0.1, 0.4, 0.6):
        scene = site.post("/api/scene", **body, place=place, drag={"index": 0, "x": x, "y": row})
        place = scene.json()["place"]
        assert len(place) == 1
    scene = site.post("/api/scene", **body, place=place, drag={"index": 1, "x": 0.6, "y": 1 - row})
    assert len(scene.json()["place"]) == 2


@pytest.mark.parametrize(
    ("path", "body", "complaint"),
    [
        ("/api/scene", {"model": "none"}, "there is no 'none'"),
        ("/api/scene", {"model": MODEL, "objects": 99}, "objects"),
        ("/api/scene", {"model": MODEL, "seed": -1}, "seed"),
        ("/api/scene", {"model": MODEL, "place": ["x"]}, "must be OBJECT:X,Y"),
        ("/api/scene", {"model": MODEL, "magic": 1}, "magic"),
        ("/api/scene", {}, "model"),
        ("/api/graph", {"model": MODEL, "nodes": 1}, "nodes"),
        ("/api/episodes", {"model": MODEL, "without": ["magic"]}, "magic"),
        ("/api/episodes", {"model": MODEL, "preset": "worst"}, "preset"),
        ("/api/health", {"model": MODEL, "clips": 10**9}, "clips"),
    ],
)
def test_bad_requests_are_one_line(
    site: Site, path: str, body: dict[str, object], complaint: str
) -> None:
    answer = site.post(path, **body)
    assert answer.status_code in (400, 422)
    error = answer.json()["error"]
    assert complaint in error
    assert "\n" not in error


def picture(array: np.ndarray, kind: str = "PNG", size: int = 64) -> bytes:
    data = io.BytesIO()
    Image.fromarray(array).resize((size, size), Image.Resampling.NEAREST).save(data, kind)
    return data.getvalue()


def upload(site: Site, image: bytes, goal: bytes, **options: object):
    files = {"image": ("a.png", image), "goal": ("b.png", goal)}
    data = {"options": json.dumps({"model": MODEL, **options})}
    return site.client.post("/api/plans", data=data, files=files)


def test_two_pictures_of_ones_own_get_a_plan(site: Site) -> None:
    seen, _ = make_env("block-rearrange", n_objects=4).reset(seed=1)
    answer = upload(site, picture(seen["image"], size=256), picture(seen["goal"], size=640))
    assert answer.status_code == 200, answer.text
    events = site.follow(answer.json()["id"])
    moments = [data for kind, data in events if kind == "moment"]
    assert moments[-1]["solved"]
    assert len(moments) == 5
    verdict = events[-1][1]
    assert verdict["files"] == ["goal.png", "now.png"]
    assert verdict["commands"][-1].endswith("--image now.png --goal-image goal.png")
    kept = site.client.get(f"/api/episodes/{answer.json()['id']}/now.png").content
    assert (np.array(Image.open(io.BytesIO(kept))) == seen["image"]).all()


def test_uploads_that_are_no_pictures_are_refused(site: Site) -> None:
    good = picture(np.zeros((64, 64, 3), np.uint8))
    pickled = (
        b"\x80\x04\x95\x1a\x00\x00\x00\x00\x00\x00\x00\x8c\x05posix\x94\x8c\x06system\x94\x93."
    )
    for bad in (b"", b"GIF89a", pickled, b"<svg/>", good[:40], b"\x93NUMPY\x01\x00v\x00"):
        answer = upload(site, good, bad)
        assert answer.status_code == 400
        assert answer.json()["error"].startswith("goal: is not a PNG, JPEG or WebP picture")
    assert site.client.post("/api/plans", files={"image": ("a", good)}).status_code == 400
    assert upload(site, good, good, magic=1).status_code == 400
    assert site.client.post("/api/plans", content=b"nonsense").status_code == 400


def test_the_graph_has_every_node_and_every_edge(site: Site) -> None:
    told = site.post("/api/graph", model=MODEL).json()
    assert len(told["nodes"]) == told["facts"]["nodes"] == 16
    assert len(told["edges"]) == told["facts"]["edges"]
    assert sum(edge["count"] for edge in told["edges"]) == told["facts"]["transitions"]
    places = site.post("/api/graph/tsne", model=MODEL).json()["places"]
    for place in (*places, *(node["mask"] for node in told["nodes"])):
        assert all(0 <= share <= 1 for share in place)


def test_who_only_looks_does_not_wait_for_slow_jobs_and_few_of_these_wait(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = threading.Event()
    monkeypatch.setattr("ncs.web.app.tsne_payload", lambda _: [[float(gate.wait(PATIENCE))]])
    with ThreadPoolExecutor(MOST_SLOW + 1) as crowd:
        asked = [
            crowd.submit(site.post, "/api/graph/tsne", model=MODEL) for _ in range(MOST_SLOW + 1)
        ]
        try:
            refused = next(as_completed(asked, PATIENCE)).result()
            assert refused.status_code == 429
            assert site.post("/api/scene", model=MODEL).status_code == 200
            assert sum(one.done() for one in asked) == 1
        finally:
            gate.set()
    assert sorted(one.result().status_code for one in asked) == [200] * MOST_SLOW + [429]


def test_results_stand_beside_the_papers(site: Site) -> None:
    run, file, _ = site.client.get("/api/results").json()["files"]
    assert (run["name"], file["name"]) == ("run", "few.jsonl")
    labels = {row["texts"][0] for table in run["tables"] for row in table["rows"]}
    assert {label.partition(", dev")[0] for label in labels} == {"ours, named", "NCS (paper)"}
    rows = [row for table in file["tables"] for row in table["rows"]]
    assert {row["source"] for row in rows} == {"ours", "paper"}
    assert {table["score"] for table in file["tables"]} == {"best", "final"}
    assert site.folders.results is not None
    printed = as_markdown(read_results(site.folders.results / "few.jsonl"), "best")
    best = [table for table in file["tables"] if table["score"] == "best"]
    assert all("| " + " | ".join(row["texts"]) + " |" in printed for row in best[0]["rows"])


def test_a_bad_result_file_does_not_hide_the_others(site: Site) -> None:
    assert site.folders.results is not None
    bad = site.folders.results / "bad.jsonl"
    bad.write_text("[1]\n")
    try:
        files = {one["name"]: one for one in site.client.get("/api/results").json()["files"]}
    finally:
        bad.unlink()
    assert "bad.jsonl" in files["bad.jsonl"]["error"]
    assert files["bad.jsonl"]["tables"] == []
    assert len(files["few.jsonl"]["tables"]) > 0


def test_slot_health_is_what_the_command_says(site: Site) -> None:
    body = {"model": MODEL, "objects": 3, "clips": 2}
    told = site.post("/api/health", **body).json()
    assert told["reports"][0]["objects"] == 3
    assert told["command"].startswith("ncs slots --model ")
    with pytest.MonkeyPatch.context() as patch:
        patch.delattr("ncs.web.health.run_slots")  # it is kept, so nobody runs the command again
        assert site.post("/api/health", **body).json() == told
    page = site.client.get(f"/api/health/{quote(MODEL)}/3/2")
    assert b"Slot health" in page.content
    assert "sandbox" in page.headers["content-security-policy"]
    assert site.client.get(f"/api/health/{quote(MODEL)}/3/9").status_code == 400


def test_a_model_brings_its_own_report_or_none(site: Site) -> None:
    told = site.client.get(f"/api/health/{quote(MODEL)}").json()["report"]
    page = site.client.get(f"/api/health/{quote(MODEL)}/page")
    assert (told is not None) == (page.status_code == 200) == (FOLDER / "health").exists()


def test_the_viewer_joins_the_rooms_without_the_command_line() -> None:
    for path in (Path(__file__).parents[2] / "src" / "ncs" / "web").glob("*.py"):
        assert not re.search(r"^\s*(from|import) ncs\.cli", path.read_text(), re.MULTILINE)


def test_every_extension_is_explained_on_the_page(site: Site) -> None:
    told = site.client.get("/api/models").json()["extensions"]
    assert list(told) == list(EXTENSIONS)
    assert all(len(line) > 20 for line in told.values())


def test_code_that_a_caller_names_is_not_imported(site: Site) -> None:
    for options in ({"only": ["this:s"]}, {"without": ["this:s"]}):
        answer = site.post("/api/episodes", model=FOLDER.name, **options)
        assert answer.status_code == 400
        assert "is code of somebody's own" in answer.json()["error"]
    assert "this" not in sys.modules
