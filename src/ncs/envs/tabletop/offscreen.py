"""Pictures without a screen or a GPU: finds a way to draw that works on this machine.

On Linux, EGL comes first (Mesa draws in software where there is no GPU), then OSMesa, then a
window system; a user's own choice in ``MUJOCO_GL`` overrides all. Elsewhere MuJoCo's default holds.
"""

import contextlib
import ctypes
import importlib.util
import os
import sys
from dataclasses import dataclass
from typing import Any

from ncs.records import ConfigError
from ncs.storage import brief

PACKAGES = "install libegl1 and libgl1-mesa-dri (EGL), or libosmesa6 (OSMesa)"
EGL_PLATFORM_DEVICE = 0x313F
MAX_DEVICES = 16


def load_mujoco() -> Any:
    """The MuJoCo module; a ``MUJOCO_GL`` that it cannot follow is refused in one line."""
    load_triton()
    try:
        import mujoco
    except ModuleNotFoundError:
        raise
    except Exception as error:  # MuJoCo opens the library that MUJOCO_GL names on import
        raise _cannot_draw(os.environ.get("MUJOCO_GL", ""), error) from None
    return mujoco


def load_triton() -> None:
    """Imports Triton, where it is installed, before anything of OpenGL.

    Mesa draws through LLVM, and torch compiles through Triton, which has an LLVM of its own inside:
    loaded after Mesa's it ends the process with a segmentation fault, loaded before it both work.
    """
    if importlib.util.find_spec("triton") is not None:
        with contextlib.suppress(Exception):  # what does not load cannot clash
            importlib.import_module("triton._C.libtriton")


def _cannot_draw(backend: str, error: Exception) -> ConfigError:
    """What to tell the user when a backend fails, each of which does so in a way of its own."""
    return ConfigError(
        f"MUJOCO_GL={backend or 'unset'} cannot draw on this machine ({brief(error)}): {PACKAGES}, "
        "and leave MUJOCO_GL unset"
    )


def choose_backend() -> str:
    """The value of ``MUJOCO_GL`` to go by; empty where MuJoCo knows best."""
    wanted = os.environ.get("MUJOCO_GL", "").strip().lower()
    if wanted or sys.platform != "linux":
        return wanted
    if egl_works():
        return "egl"
    if _library("libOSMesa.so.8", "libOSMesa.so.6", "libOSMesa.so") is not None:
        return "osmesa"
    if os.environ.get("DISPLAY"):
        return "glfw"
    raise ConfigError(f"robogym-rearrange finds no way to draw on this machine: {PACKAGES}")


def egl_works() -> bool:
    """Whether EGL finds a device, real or software, that it can start."""
    egl = _library("libEGL.so.1")
    if egl is None or _library("libOpenGL.so.0", "libGL.so.1") is None:
        return False
    egl.eglGetProcAddress.restype = ctypes.c_void_p
    query = egl.eglGetProcAddress(b"eglQueryDevicesEXT")
    get = egl.eglGetProcAddress(b"eglGetPlatformDisplayEXT")
    if not query or not get:
        return False
    query_devices = ctypes.CFUNCTYPE(ctypes.c_uint, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
    get_display = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_uint, ctypes.c_void_p, ctypes.c_void_p)
    devices, count = (ctypes.c_void_p * MAX_DEVICES)(), ctypes.c_int(0)
    if not query_devices(query)(MAX_DEVICES, devices, ctypes.byref(count)):
        return False
    for device in devices[: count.value]:
        display = get_display(get)(EGL_PLATFORM_DEVICE, device, None)
        if display and egl.eglInitialize(ctypes.c_void_p(display), None, None):
            return True
    return False


def _library(*names: str) -> Any:
    """The first of the shared libraries that loads; None if none does."""
    for name in names:
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    return None


@dataclass(frozen=True)
class Canvas:
    """What MuJoCo draws with and on."""

    context: Any  # OpenGL's, of one of MuJoCo's backends
    drawing: Any  # MuJoCo's, with the model's meshes loaded

    def close(self) -> None:
        """Frees both; MuJoCo's side needs OpenGL's, so it goes first."""
        self.context.make_current()
        self.drawing.free()
        self.context.free()


def open_canvas(model: Any, size: int) -> Canvas:
    """A canvas for a model, ready to draw on off screen."""
    # Mesa's drawing threads die in a forked child and hang it; without them a fork draws on, and
    # collecting, which runs one process a core, is no slower. EGL reads this when first touched.
    os.environ.setdefault("LP_NUM_THREADS", "0")
    mujoco = load_mujoco()
    backend = choose_backend()
    if backend:
        os.environ["MUJOCO_GL"] = backend  # MuJoCo's C side reads it too
    try:
        context = _context_class(backend)(size, size)
        context.make_current()
        drawing = mujoco.MjrContext(model, mujoco.mjtFontScale.mjFONTSCALE_100)
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN, drawing)
    except Exception as error:
        raise _cannot_draw(backend, error) from None
    return Canvas(context, drawing)


def _context_class(backend: str) -> Any:
    """MuJoCo's context of a backend, whichever one ``import mujoco`` may have settled on."""
    if backend == "egl":
        from mujoco.egl import GLContext
    elif backend == "osmesa":
        from mujoco.osmesa import GLContext
    else:
        from mujoco import GLContext
    return GLContext
