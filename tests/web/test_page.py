"""The page in a real browser: solved, dragged, stepped, slid, uploaded to, read in the dark."""

import io
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from tests.conftest import PATIENCE
from tests.web.conftest import Site

from ncs.envs import make_env

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
expect = playwright.expect

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
QUIET = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip
SLOW = 1000 * PATIENCE  # milliseconds
expect.set_options(timeout=SLOW)


def find_chromium() -> str | None:
    """A Chromium of the system."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    path = find_chromium()
    with playwright.sync_playwright() as engine:
        if path is None and not Path(engine.chromium.executable_path).exists():
            pytest.skip("no Chromium here: apt install chromium, or playwright install chromium")
        one = engine.chromium.launch(executable_path=path, args=QUIET)
        yield one
        one.close()


@pytest.fixture
def open_page(browser: Any, site: Site) -> Iterator[Any]:
    """Opens the page; in the end it must have complained of nothing and asked nobody else."""
    complaints: list[str] = []
    asked: list[str] = []
    contexts = []

    def note(message: Any) -> None:
        if message.type in ("error", "warning"):
            complaints.append(message.text)

    def open_it(**settings: Any) -> Any:
        first_visit = settings.pop("first_visit", False)
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **settings})
        contexts.append(context)
        if not first_visit:
            context.add_init_script("localStorage.setItem('toured', 'yes')")
        page = context.new_page()
        page.set_default_timeout(SLOW)
        page.on("console", note)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: asked.append(request.url))
        page.goto(site.address)
        page.locator("body[data-ready]").wait_for()
        return page

    yield open_it
    for context in contexts:
        context.close()
    assert complaints == []
    assert asked
    assert all(url.startswith((site.address, "data:")) for url in asked)


def set_range(page: Any, name: str, value: int) -> None:
    page.locator(name).evaluate(
        "(slider, value) => { slider.value = value;"
        " slider.dispatchEvent(new Event('input', {bubbles: true}));"
        " slider.dispatchEvent(new Event('change', {bubbles: true})); }",
        value,
    )


def solve(page: Any, kind: str = "solved") -> str:
    """Presses solve and waits for the verdict."""
    page.click("#go")
    page.locator(f"#status.{kind}").wait_for()
    return str(page.inner_text("#status"))


def free_spot(page: Any) -> tuple[float, float]:
    """The middle of a cell of the goal picture where no handle is, in pixels of the window."""
    box = page.locator("#goal-frame").bounding_box()
    taken = set()
    for handle in page.locator(".handle").all():
        at = handle.bounding_box()
        x, y = at["x"] + at["width"] / 2 - box["x"], at["y"] + at["height"] / 2 - box["y"]
        taken.add((int(4 * x / box["width"]), int(4 * y / box["height"])))
    column, row = next((c, r) for c in range(4) for r in range(4) if (c, r) not in taken)
    return box["x"] + box["width"] * (column + 0.5) / 4, box["y"] + box["height"] * (row + 0.5) / 4


def test_five_blocks_are_solved_and_every_step_can_be_gone_back_to(open_page: Any) -> None:
    page = open_page()
    verdict = solve(page)
    assert verdict == "solved in 5 moves (5 at least)"
    assert page.get_attribute("#scene", "src") == page.get_attribute("#goal", "src")
    said = []
    for key, status in (
        ("Home", "step 1: 0 of 5 hold"),
        ("ArrowRight", "step 2: 1 of 5 hold"),
        ("ArrowRight", "step 3: 2 of 5 hold"),
        ("ArrowLeft", "step 2: 1 of 5 hold"),
        ("End", verdict),
    ):
        page.keyboard.press(key)
        expect(page.locator("#status")).to_have_text(status)
        said.append((page.inner_text("#why"), page.get_attribute("#scene", "src")))
    assert said[1] == said[3]
    assert said[0] != said[1] != said[2]
    expect(page.locator("#why")).to_contain_text("All 5 constraints hold, so the task is solved.")
    expect(page.locator("#why")).to_contain_text("It took 5 moves. No plan could be shorter.")
    expect(page.locator("#pairs li")).to_have_count(0)
    expect(page.locator("#why-kind")).to_be_hidden()  # its lines say of themselves what they are
    expect(page.locator("#status-kind")).to_have_text("truth")
    page.click("#back")
    expect(page.locator("#status")).to_have_text("step 5: 4 of 5 hold")
    assert page.locator("#why li").count() == 3
    assert page.locator("#pairs li").count() == 5
    expect(page.locator("#pairs-title .belief")).to_be_visible()
    expect(page.locator("#why-kind")).to_be_visible()
    expect(page.locator("#pairs li.chosen")).to_have_count(1)
    set_range(page, "#time", 1)
    expect(page.locator("#status")).to_have_text("step 2: 1 of 5 hold")
    assert "node" in page.get_attribute("#nodes", "alt")


def test_why_something_is_a_thing_is_shown_when_asked_for(open_page: Any) -> None:
    page = open_page()
    solve(page)
    page.click("#seen summary")
    expect(page.locator("#seen-parts")).to_contain_text("go to a step")
    page.keyboard.press("Home")
    scene, goal = (page.locator(f"#seen section:nth-of-type({number})") for number in (1, 2))
    for part in (scene, goal):
        expect(part.locator("h3")).to_contain_text(": 5 things")
        expect(part).to_contain_text("5 peaks with votes enough")
        expect(part.locator(".chips .taken")).to_have_count(5)
        expect(part.locator(".tiles .taken")).to_have_count(5)
        expect(part).to_contain_text("4 spare slots claim no pixel")
        expect(part.locator(".seen-pictures img")).to_have_count(2)
    before = scene.locator("img").first.get_attribute("src")
    page.keyboard.press("ArrowRight")
    expect(scene.locator("img").first).not_to_have_attribute("src", before)
    page.click("#another")
    expect(page.locator("#seen-parts")).to_contain_text("go to a step")


def test_nothing_is_asked_about_sight_until_it_is_opened(open_page: Any) -> None:
    page = open_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    solve(page)
    page.keyboard.press("Home")
    assert not [url for url in asked if "/seen/" in url]


def test_what_is_taken_home_is_a_film_a_trace_and_a_command(open_page: Any) -> None:
    page = open_page()
    solve(page)
    for name, start in (("#gif", b"GIF89a"), ("#trace", b"{")):
        with page.expect_download() as download:
            page.click(name)
        assert Path(download.value.path()).read_bytes().startswith(start)
    assert page.inner_text("#command").startswith("ncs solve --world block-rearrange --model ")


def test_a_dragged_object_takes_the_goal_with_it(open_page: Any) -> None:
    page = open_page()
    before = page.get_attribute("#goal", "src")
    handle = page.locator(".handle").first
    at = handle.bounding_box()
    x, y = free_spot(page)
    page.mouse.move(at["x"] + at["width"] / 2, at["y"] + at["height"] / 2)
    page.mouse.down()
    page.mouse.move(x, y, steps=5)
    page.mouse.up()
    expect(page.locator(".handle.held")).to_have_count(0)
    now = handle.bounding_box()
    assert abs(now["x"] + now["width"] / 2 - x) < 3
    assert abs(now["y"] + now["height"] / 2 - y) < 3
    dragged = page.get_attribute("#goal", "src")
    assert dragged != before
    solve(page)
    assert page.get_attribute("#scene", "src") == dragged
    assert "--place 0:" in page.inner_text("#command")
    page.click("#undo")
    expect(page.locator("#goal")).to_have_attribute("src", before)


def test_an_object_on_top_of_another_goes_back(open_page: Any) -> None:
    page = open_page()
    before = page.get_attribute("#goal", "src")
    boxes = [page.locator(".handle").nth(i).bounding_box() for i in (0, 1)]
    middles = [(b["x"] + b["width"] / 2, b["y"] + b["height"] / 2) for b in boxes]
    page.mouse.move(*middles[0])
    page.mouse.down()
    page.mouse.move(*middles[1])
    page.mouse.up()
    expect(page.locator("#goal-words")).to_contain_text("is the goal of another object already")
    expect(page.locator(".handle.held")).to_have_count(0)
    assert page.locator(".handle").first.bounding_box() == boxes[0]
    assert page.get_attribute("#goal", "src") == before


def test_everything_can_be_done_from_the_keyboard(open_page: Any) -> None:
    page = open_page()
    before = page.get_attribute("#goal", "src")
    page.keyboard.press("n")
    expect(page.locator("#goal")).not_to_have_attribute("src", before)
    before = page.get_attribute("#goal", "src")
    page.locator(".handle").first.focus()
    for key in ("ArrowLeft", "ArrowUp", "ArrowRight", "ArrowDown"):  # some way must be free
        with page.expect_response("**/api/scene") as answer:
            page.keyboard.press(key)
        if not answer.value.json()["refusal"]:
            break
    expect(page.locator("#goal")).not_to_have_attribute("src", before)
    page.locator("#show-slots").focus()
    for _ in range(5):  # what has the keyboard is ringed
        page.keyboard.press("Tab")
        ring = page.evaluate("() => getComputedStyle(document.activeElement).outline")
        assert "solid" in ring
        assert "3px" in ring
    page.locator("body").evaluate("() => document.activeElement.blur()")
    page.keyboard.press("s")
    page.locator("#status.solved").wait_for()
    seen = page.get_attribute("#scene", "src")
    page.keyboard.press("Home")
    page.keyboard.press("m")
    assert page.get_attribute("#scene", "src") != seen
    page.keyboard.press(" ")
    expect(page.locator("#play")).to_have_text("❚❚")
    page.keyboard.press(" ")
    for key, name in zip("4321", ("health", "results", "graph", "solve"), strict=True):
        page.keyboard.press(key)
        expect(page.locator(f"#{name}")).to_be_visible()
    page.locator("#tab-solve").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#graph")).to_be_visible()
    page.locator("g.node").first.focus()
    expect(page.locator("#evidence h2")).to_have_text("Node 0")


def test_a_slider_and_a_switch_change_the_outcome(open_page: Any) -> None:
    page = open_page()
    set_range(page, "#objects", 3)
    expect(page.locator("#scene-words")).to_contain_text("of 3 hold")
    solve(page)
    set_range(page, "#nodes-count", 3)
    page.uncheck("#ext-residual")
    page.uncheck("#ext-leeway")
    verdict = solve(page, "failed")
    assert verdict.startswith("not solved")
    command = page.inner_text("#command")
    assert "--nodes 3" in command
    assert "--without residual leeway" in command
    page.click("#usual")
    expect(page.locator("#nodes-out")).to_have_text("16, as trained")
    solve(page)


def test_two_pictures_of_ones_own_get_slots_and_a_plan(open_page: Any, tmp_path: Path) -> None:
    page = open_page()
    observation, _ = make_env("block-rearrange", n_objects=4).reset(seed=1)
    page.click("#look")
    expect(page.locator("#complaint")).to_contain_text("choose a picture")
    for name, kind in (("image", "PNG"), ("goal", "JPEG")):
        data = io.BytesIO()
        big = Image.fromarray(observation[name]).resize((512, 512), Image.Resampling.NEAREST)
        big.save(data, kind, **({"quality": 95} if kind == "JPEG" else {}))
        path = tmp_path / f"{name}.{kind.lower()}"
        path.write_bytes(data.getvalue())
        page.set_input_files(f"#own-{name}", path)
    page.click("#look")
    page.locator("#status.solved").wait_for()
    assert page.inner_text("#status").startswith("a plan of 4 moves")
    page.keyboard.press("Home")
    assert page.locator("#why li").count() == 3
    assert page.locator(".handle").count() == 0
    assert "--goal-image goal.png" in page.inner_text("#command")


def test_every_tab_renders(open_page: Any) -> None:
    page = open_page()
    solve(page)
    page.keyboard.press("Home")
    page.click("#tab-graph")
    expect(page.locator("g.node")).to_have_count(16)
    expect(page.locator("#evidence h2")).to_contain_text("Edge from node")  # the step's own
    expect(page.locator("#drawing line:not(.hit)")).to_have_count(1)
    page.locator("g.node").nth(3).click()
    expect(page.locator("#evidence")).to_contain_text("Objects left it")
    assert 1 < page.locator("#drawing line:not(.hit)").count() < 16  # its own edges alone
    folders = [image.get_attribute("x") for image in page.locator("g.node image").all()]
    with page.expect_response("**/api/graph/tsne"):
        page.select_option("#layout", "tsne")
    page.wait_for_function(
        "(x) => document.querySelector('g.node image').getAttribute('x') !== x", arg=folders[0]
    )
    assert [image.get_attribute("x") for image in page.locator("g.node image").all()] != folders
    before = page.locator("#drawing line:not(.hit)").count()
    set_range(page, "#least", 25)
    assert page.locator("#drawing line:not(.hit)").count() < before
    page.click("#tab-results")
    expect(page.locator("#tables table").first).to_contain_text("NCS (paper)")
    expect(page.locator("#figures img")).to_have_count(1)
    page.select_option("#score", "final")
    page.click("#tab-health")
    page.fill("#health-objects", "3")
    page.fill("#health-clips", "2")
    page.click("#examine")
    expect(page.locator("#report")).to_contain_text("ncs slots --model")
    expect(page.locator("#report")).to_contain_text("Foreground ARI")


def test_it_fits_a_telephone(open_page: Any) -> None:
    page = open_page(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    solve(page)
    for tab in ("solve", "graph", "results", "health"):
        page.click(f"#tab-{tab}")
        page.wait_for_load_state("networkidle")
        assert page.evaluate("() => document.documentElement.scrollWidth") <= 360
    page.click("#tab-solve")
    pictures = [page.locator(name).bounding_box() for name in ("#scene-frame", "#goal-frame")]
    assert all(box["width"] > 330 for box in pictures)
    page.click("#another")
    handle = page.locator(".handle").first
    handle.wait_for()
    assert min(handle.bounding_box()["width"], handle.bounding_box()["height"]) >= 44
    page.evaluate("() => scrollTo(0, 0)")
    low = page.locator("#go").bounding_box()
    assert low["y"] + low["height"] < 740  # no scrolling to press solve
    assert low["height"] >= 44


def test_it_is_light_or_dark_as_the_system_is_or_as_one_likes(open_page: Any) -> None:
    def brightness(page: Any) -> float:
        colour = page.evaluate("() => getComputedStyle(document.body).backgroundColor")
        numbers = [int(word) for word in colour.strip("rgba()").split(",")[:3]]
        return sum(numbers) / 3

    light, dark = open_page(color_scheme="light"), open_page(color_scheme="dark")
    assert brightness(light) > 200
    assert brightness(dark) < 60
    dark.click("#theme")
    assert brightness(dark) > 200
    dark.reload()
    dark.locator("body[data-ready]").wait_for()
    assert brightness(dark) > 200


def test_the_first_visit_is_a_tour_of_six_things(open_page: Any) -> None:
    page = open_page(first_visit=True)
    titles = []
    for _ in range(6):
        expect(page.locator("#tour")).to_be_visible()
        titles.append(page.inner_text("#tour-title"))
        pointed = page.locator(".pointed")
        expect(pointed).to_have_count(1)
        expect(pointed).to_be_in_viewport()
        page.click("#tour-next")
    assert titles == ["Slots", "Type and state", "The graph", "Align", "Select", "Bind"]
    expect(page.locator("#tour")).to_be_hidden()
    page.locator("#time[max='5']").wait_for(state="attached")
    assert page.inner_text("#status") == "step 1: 0 of 5 hold"  # held while it was explained
    page.reload()
    page.locator("body[data-ready]").wait_for()
    expect(page.locator("#tour")).to_be_hidden()
    page.click("#tour-open")
    expect(page.locator("#tour-title")).to_have_text("Slots")
    page.keyboard.press("Escape")
    expect(page.locator("#tour")).to_be_hidden()


def test_words_of_the_paper_explain_themselves(open_page: Any) -> None:
    page = open_page()
    solve(page)
    page.keyboard.press("Home")
    page.locator("#why .word", has_text="slot").first.hover()
    expect(page.locator("#tip")).to_contain_text("One thing of a picture as the model sees it")
    page.locator("#why .word", has_text="edge").first.focus()
    expect(page.locator("#tip")).to_contain_text("A move from one node to another")
    page.click("#legend summary")
    expect(page.locator("#legend dl")).to_be_visible()
    assert "cm away" in page.inner_text("#pairs")


def test_it_opens_on_a_model_at_its_best(open_page: Any) -> None:
    page = open_page()
    assert page.input_value("#preset") == "best"
    page.select_option("#preset", "paper")
    expect(page.locator("#nodes-out")).to_contain_text("as trained")
    page.locator("#model").evaluate("(select) => select.dispatchEvent(new Event('change'))")
    expect(page.locator("#preset")).to_have_value("best")


def test_strange_pictures_are_doubted_and_cut_where_one_likes(
    open_page: Any, tmp_path: Path
) -> None:
    page = open_page()
    stripes = np.zeros((300, 500, 3), np.uint8)
    stripes[:, ::40] = stripes[::30] = 255
    Image.fromarray(stripes).save(tmp_path / "stripes.png")
    for name in ("image", "goal"):
        page.set_input_files(f"#own-{name}", tmp_path / "stripes.png")
    box = page.locator("#crop-box")
    frame = page.locator("#crop-frame").bounding_box()
    assert abs(box.bounding_box()["width"] - 0.6 * frame["width"]) < 4  # a square of 500 x 300
    set_range(page, "#crop-size", 50)
    box.focus()
    for _ in range(3):
        page.keyboard.press("ArrowLeft")
    x = box.bounding_box()["x"] - frame["x"]
    assert abs(x - (0.35 - 0.06) * frame["width"]) < 4
    with page.expect_response("**/api/plans") as answer:
        page.click("#look")
    told = answer.value.json()
    assert told["unlike"]["scene"] > 1.75
    expect(page.locator("#doubt")).to_contain_text("unlike the pictures this model learned from")


def crowd(route: Any) -> None:
    """A graph of 128 nodes, anywhere."""
    told = route.fetch().json()
    places = np.random.default_rng(0).random((128, 2)).tolist()
    nodes = [told["nodes"][n % len(told["nodes"])] for n in range(128)]
    told["nodes"] = [{**node, "mask": place} for node, place in zip(nodes, places, strict=True)]
    route.fulfill(json=told)


def test_a_crowded_graph_can_be_searched_and_zoomed(open_page: Any) -> None:
    page = open_page()
    page.route("**/api/graph", crowd)
    page.click("#tab-graph")
    expect(page.locator("g.node")).to_have_count(128)
    measure = """(shapes) => shapes.map((one) => {
        const {x, y, width, height} = one.getBBox(); return [x, y, x + width, y + height]; })"""
    masks = page.locator("g.node rect").evaluate_all(measure)
    labels = page.locator("g.node text").evaluate_all(measure)

    def overlap(a: list[float], b: list[float]) -> bool:
        return min(a[2], b[2]) - max(a[0], b[0]) > 1 and min(a[3], b[3]) - max(a[1], b[1]) > 4

    assert not [1 for i, a in enumerate(masks) for b in masks[:i] if overlap(a, b)]
    assert not [1 for a in masks for b in labels if overlap(a, b)]
    whole = page.get_attribute("#drawing", "viewBox")
    page.fill("#find-node", "17")
    expect(page.locator("#evidence h2")).to_have_text("Node 17")
    near = page.get_attribute("#drawing", "viewBox")
    assert float(near.split()[2]) < float(whole.split()[2])
    page.click("#zoom-in")
    assert page.get_attribute("#drawing", "viewBox") != near
    page.click("#zoom-all")
    assert page.get_attribute("#drawing", "viewBox") == whole


@pytest.mark.parametrize("width", [1280, 390])
def test_tables_are_never_cut_off_and_tell_their_evidence(open_page: Any, width: int) -> None:
    page = open_page(viewport={"width": width, "height": 900})
    page.click("#tab-results")
    table = page.locator("#tables table").first
    table.wait_for()
    for one in page.locator("#tables table").all():
        box = one.bounding_box()
        assert box["x"] + box["width"] <= width
    row = table.locator("tbody tr").first
    assert "checkpoint" not in table.inner_text()
    row.locator(".more").click()
    expect(table).to_contain_text("seeds x")
    row.hover()
    expect(page.locator(".result").first.locator(".line.lit")).to_have_count(1)
    assert page.locator(".result").first.locator(".line").count() <= 7


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_serious_keeps_anybody_out(open_page: Any, scheme: str) -> None:
    """axe-core's rules for WCAG AA, contrast among them, on every tab."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = open_page(color_scheme=scheme)
    solve(page)
    page.click("#seen summary")
    page.keyboard.press("Home")
    page.locator(".tiles img").first.wait_for()
    for tab in ("solve", "graph", "results", "health"):
        page.click(f"#tab-{tab}")
        page.wait_for_load_state("networkidle")
        found = axe.run(page, options={"runOnly": ["wcag2a", "wcag2aa", "wcag21aa"]})
        serious = [
            (one["id"], [node["target"] for node in one["nodes"]][:3])
            for one in found.response["violations"]
            if one["impact"] in ("serious", "critical")
        ]
        assert serious == [], tab


def test_dark_is_dark_all_over(open_page: Any) -> None:
    page = open_page(color_scheme="dark")
    solve(page)
    page.click("#seen summary")
    page.keyboard.press("Home")
    page.locator(".tiles img").first.wait_for()
    pale = page.evaluate(
        """() => [...document.querySelectorAll('body *')].filter((one) => {
            const colour = getComputedStyle(one).backgroundColor.match(/[\\d.]+/g).map(Number);
            const shown = one.getClientRects().length && (colour[3] ?? 1) > 0.5;
            return shown && Math.min(...colour.slice(0, 3)) > 200;
        }).map((one) => one.id || one.className || one.tagName)"""
    )
    assert pale == []
    page.click("#tab-graph")
    page.locator("g.node image").first.wait_for()
    shown = page.evaluate("() => getComputedStyle(document.querySelector('g.node image')).filter")
    assert "invert" in shown
