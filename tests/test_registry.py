"""Names lead to what the package has and to what plug-ins bring, and mistakes name the culprit."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ncs.records import ConfigError
from ncs.registry import (
    ALLOWED,
    Kind,
    World,
    allow,
    allowed,
    built_in,
    default_world,
    facts_of,
    find,
    find_model,
    find_world,
    names,
    paper_worlds,
    plugins,
    worlds,
)
from tests.tiny_world import Tiny


@pytest.fixture(autouse=True)
def nothing_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test hands on what it allowed."""
    monkeypatch.setenv(ALLOWED, "")


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder from which packages and their entry points are read."""
    monkeypatch.syspath_prepend(tmp_path)
    plugins.cache_clear()
    yield tmp_path
    for path in tmp_path.glob("*.py"):
        sys.modules.pop(path.stem, None)
    monkeypatch.undo()
    plugins.cache_clear()


def install(site: Path, package: str, entry_points: str, code: str = "") -> None:
    """Puts a package where Python finds it, as pip would."""
    (site / f"{package}.py").write_text(code)
    facts = site / f"{package}-1.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    (facts / "entry_points.txt").write_text(entry_points)


def test_every_world_and_model_of_the_package_is_found_by_its_name() -> None:
    for name in built_in("world"):
        assert find_world(name).name == name
    for name in built_in("model"):
        classes = find_model(name)
        assert classes.model.__init__.__annotations__["config"] is classes.config  # type: ignore[misc]
    assert default_world() in paper_worlds()


def test_a_registered_model_is_found() -> None:
    assert find_model("tiny").model is Tiny


def test_an_unknown_name_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ConfigError, match=r"model: there is no 'gpt', choose one of dslate, "):
        find_model("gpt")
    with pytest.raises(ConfigError, match=f"world: there is no 'moon'.*{default_world()}"):
        find_world("moon")


def test_a_world_nobody_knows_has_no_numbers_of_its_own() -> None:
    assert facts_of("own") == World(name="own", make="")
    assert facts_of(default_world()) is find_world(default_world())


def test_a_plug_in_is_listed_unread_and_loaded_when_asked_for(site: Path) -> None:
    code = "from ncs.registry import World\nSHELF = World(name='shelf', make=dict)\n"
    install(site, "shelves", "[ncs.worlds]\nshelf = shelves:SHELF\n", code)
    assert names("world")[-1] == "shelf"
    assert find_world("shelf").objects == World.objects
    assert "shelf" in [world.name for world in worlds()]
    allow("shelves:SHELF")
    assert find_world("shelves:SHELF") is find_world("shelf")


@pytest.mark.parametrize(
    ("code", "complaint"),
    [
        ("import no_such_thing", "'shelf' of the package shelves cannot be loaded.*no_such_thing"),
        (
            "raise RuntimeError('two\\nlines')",
            "RuntimeError: two lines.; mend or uninstall",
        ),
        ("SHELF = 3", "'shelf' of the package shelves is int, must be a World"),
        (
            "from ncs.registry import World\nSHELF = World(name='rack', make=dict)",
            "the package shelves offers 'shelf', but its record says 'rack'",
        ),
    ],
)
def test_a_broken_plug_in_is_one_line_naming_the_package(
    site: Path, code: str, complaint: str
) -> None:
    install(site, "shelves", "[ncs.worlds]\nshelf = shelves:SHELF\n", code)
    with pytest.raises(ConfigError, match=complaint) as caught:
        find_world("shelf")
    assert "\n" not in str(caught.value)
    assert "shelf" not in [world.name for world in worlds()]  # and does not hide the others


def test_two_packages_that_offer_one_name_are_both_named(site: Path) -> None:
    install(site, "one", "[ncs.policies]\ngreedy = one:make\n")
    install(site, "other", "[ncs.policies]\ngreedy = other:make\n")
    with pytest.raises(ConfigError, match="'greedy' is offered by one and other; uninstall one"):
        find("policy", "greedy")


def test_a_plug_in_does_not_take_the_name_of_a_world_of_the_package(site: Path) -> None:
    name = default_world()
    install(site, "thief", f"[ncs.worlds]\n{name} = thief:STOLEN\n", "STOLEN = 1")
    assert find_world(name).name == name
    assert names("world").count(name) == 1


def test_something_can_be_named_by_its_module(site: Path) -> None:
    (site / "mine.py").write_text("def make(method, envs):\n    return envs\n")
    allow("mine:make", "mine:other")
    assert find("policy", "mine:make")(None, 4) == 4
    with pytest.raises(ConfigError, match=r"policy: 'mine:other' cannot be loaded"):
        find("policy", "mine:other")


@pytest.mark.parametrize("kind", ["world", "model", "policy"])
def test_code_that_nobody_allowed_is_not_imported(site: Path, kind: Kind) -> None:
    (site / "trap.py").write_text("raise SystemExit('it ran')")
    with pytest.raises(ConfigError, match=rf"{kind}: 'trap:x' is code .* --allow 'trap:x' or NCS_"):
        find(kind, "trap:x")
    assert "trap" not in sys.modules


def test_what_is_allowed_adds_up_and_is_handed_on_to_workers() -> None:
    allow("one:a", "two:b")
    allow("one:a", "three:c")
    allow()
    assert allowed() == {"one:a", "two:b", "three:c"}
    code = "import ncs.registry as r; print(','.join(sorted(r.allowed())))"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert told.stdout == "one:a,three:c,two:b\n"


@pytest.mark.parametrize("world", [find_world(name) for name in built_in("world")])
def test_a_world_allows_what_it_says(world: World) -> None:
    low, high = world.objects
    world.check((low, high), next(iter(world.styles), "plain"))
    for bad in ((low - 1,), (low, high + 1)):
        with pytest.raises(ConfigError, match=f"objects: {world.name} has {low} to {high}"):
            world.check(bad)
    with pytest.raises(ConfigError, match=r"style: .* has no 'baroque', choose one of plain"):
        world.check(style="baroque")
