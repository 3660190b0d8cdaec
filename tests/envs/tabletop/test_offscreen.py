"""Some way to draw is found, or the user is told what to install."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

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

    offscreen.load_mujoco()  # before it is told to draw with what may not be there
    monkeypatch.setenv("MUJOCO_GL", "osmesa")
    monkeypatch.setattr(offscreen, "_context_class", fail)
    with pytest.raises(
        ConfigError, match=r"MUJOCO_GL=osmesa cannot draw .*no such library.*libegl1"
    ):
        open_canvas(None, 64)


DRAW = """
from ncs.envs import make_env
make_env("robogym-rearrange", n_objects=1).reset(seed=0)
"""
WATCHFUL = """
with open("/proc/self/maps") as file:
    loaded = file.read()
drawing = [name for name in ("libEGL", "libLLVM", "libgallium") if name in loaded]
"""


def run_afresh(code: str, *folders: Path) -> list[str]:
    """What a process of its own prints, with nothing settled about how to draw."""
    kept = {k: v for k, v in os.environ.items() if k not in ("MUJOCO_GL", "PYOPENGL_PLATFORM")}
    kept["PYTHONPATH"] = os.pathsep.join([*map(str, folders), *sys.path])
    command = [sys.executable, "-c", code]
    out = subprocess.run(command, capture_output=True, text=True, check=True, env=kept)
    return out.stdout.splitlines()


@pytest.mark.skipif(sys.platform != "linux", reason="looks at what a process of Linux has loaded")
def test_triton_is_loaded_before_anything_that_draws(tmp_path: Path) -> None:
    inner = tmp_path / "triton" / "_C"
    inner.mkdir(parents=True)
    for folder in (inner.parent, inner):
        (folder / "__init__.py").touch()
    (inner / "libtriton.py").write_text(WATCHFUL)
    code = f"{DRAW}\nfrom triton._C.libtriton import drawing\nprint(drawing)\n{WATCHFUL}"
    before, after = run_afresh(f"{code}\nprint(drawing)", tmp_path)
    assert before == "[]"
    assert after != "[]"


@pytest.mark.skipif(importlib.util.find_spec("triton") is None, reason="Triton is not installed")
def test_a_world_that_was_drawn_first_does_not_hinder_triton() -> None:
    assert run_afresh(f"{DRAW}\nimport torch, triton.runtime\n{DRAW}\nprint('alive')") == ["alive"]
