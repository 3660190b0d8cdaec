"""Some way to draw is found, or the user is told what to install."""

import pytest

from ncs.envs.tabletop import offscreen
from ncs.envs.tabletop.offscreen import choose_backend, open_canvas
from ncs.records import ConfigError


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """A Linux machine on which nothing can draw and nothing is chosen."""
    monkeypatch.setattr(offscreen.sys, "platform", "linux")
    monkeypatch.delenv("MUJOCO_GL", raising=False)
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.setattr(offscreen, "_library", lambda *names: None)
    return monkeypatch


def test_without_any_renderer_the_debian_packages_are_named(machine: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigError, match=r"libegl1 and libgl1-mesa-dri .*libosmesa6"):
        choose_backend()


def test_egl_comes_first_then_osmesa_then_a_screen(machine: pytest.MonkeyPatch) -> None:
    machine.setenv("DISPLAY", ":0")
    assert choose_backend() == "glfw"
    machine.setattr(offscreen, "_library", lambda *names: "OSMesa" in names[0] or None)
    assert choose_backend() == "osmesa"
    machine.setattr(offscreen, "egl_works", lambda: True)
    assert choose_backend() == "egl"


def test_the_users_own_choice_overrides(machine: pytest.MonkeyPatch) -> None:
    machine.setenv("MUJOCO_GL", "OSMesa")
    assert choose_backend() == "osmesa"


def test_elsewhere_mujoco_knows_best(machine: pytest.MonkeyPatch) -> None:
    machine.setattr(offscreen.sys, "platform", "darwin")
    assert choose_backend() == ""


def test_a_choice_that_cannot_draw_is_refused_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(backend: str) -> None:
        raise ImportError("no such\nlibrary")

    monkeypatch.setenv("MUJOCO_GL", "osmesa")
    monkeypatch.setattr(offscreen, "_context_class", fail)
    with pytest.raises(
        ConfigError, match=r"MUJOCO_GL=osmesa cannot draw .*no such library.*libegl1"
    ):
        open_canvas(None, 64)
