"""How long after the click the viewer shows a step, and a solved task, and what the page weighs.

Measured in headless Chromium where there is one, otherwise at the server's door.
"""

import json
import shutil
import tempfile
import threading
import time
import urllib.request
from pathlib import Path

from ncs.web.shelf import find_places

from ncs.web.app import read_static
from ncs.web.serve import address_of, make_server, open_socket

ROUNDS = 5
LIMIT = 5.0  # seconds to the first step
QUIET = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
Times = list[tuple[float, float]]


def in_browser(address: str, chromium: str) -> Times:
    """Seconds from the click to the first step on screen, and to the verdict."""
    from playwright.sync_api import sync_playwright

    times = []
    with sync_playwright() as engine:
        page = engine.chromium.launch(executable_path=chromium, args=QUIET).new_page()
        page.goto(address)
        page.locator("body[data-ready]").wait_for()
        for seed in range(ROUNDS):
            page.fill("#seed", str(seed))
            page.keyboard.press("Tab")
            page.locator("#status", has_text="Press solve").wait_for()
            began = time.perf_counter()
            page.click("#go")
            page.locator("#status", has_text="step").wait_for()
            first = time.perf_counter() - began
            page.locator("#status.solved, #status.failed").wait_for()
            times.append((first, time.perf_counter() - began))
    return times


def at_the_door(address: str) -> Times:
    """The same without a browser: to the first event, and to the last."""
    times = []
    for seed in range(ROUNDS):
        ask = {"model": first_model(address), "objects": 5, "seed": seed}
        began = time.perf_counter()
        request = urllib.request.Request(
            f"{address}api/episodes", json.dumps(ask).encode(), {"content-type": "application/json"}
        )
        with urllib.request.urlopen(request) as answer:
            name = json.load(answer)["id"]
        with urllib.request.urlopen(f"{address}api/episodes/{name}/events") as events:
            events.readline()
            first = time.perf_counter() - began
            events.read()
        times.append((first, time.perf_counter() - began))
    return times


def first_model(address: str) -> str:
    with urllib.request.urlopen(f"{address}api/models") as answer:
        return str(json.load(answer)["models"][0]["name"])


def main() -> None:
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    with tempfile.TemporaryDirectory() as folder, open_socket("127.0.0.1", 0) as listener:
        server = make_server(listener, find_places((), None, Path(folder)))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        while not server.started:
            time.sleep(0.01)
        address = address_of(listener)
        at_the_door(address)  # the model is warm from here on
        times = in_browser(address, chromium) if chromium else at_the_door(address)
        server.should_exit = True
        thread.join()
    where = "on screen" if chromium else "at the server's door (no Chromium here)"
    first, whole = (sorted(column)[len(times) // 2] for column in zip(*times, strict=True))
    worst = max(first for first, _ in times)
    weight = sum(len(content) for content, _ in read_static().values())
    print(f"first step of a five-block task {where}: {first:.2f} s median, {worst:.2f} s at most")
    print(f"  (wanted: under {LIMIT:.0f} s)")
    print(f"whole task {where}: {whole:.2f} s median")
    print(f"page: {weight / 1000:.1f} kB (wanted: under 300)")


if __name__ == "__main__":
    main()
