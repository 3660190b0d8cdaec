"""Takes signals that ask to end, gives one line and the exit code that shells expect.

129 means SIGHUP, 130 SIGINT (Ctrl-C), 143 SIGTERM. Nothing heavy is imported here, so that signals
are heeded from a command's first moment on. What a command has written stands in whole files, so
leaving at once loses nothing; unwinding in order only leaves less behind.
"""

import contextlib
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from types import FrameType
from typing import Any, NoReturn

SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
PATIENCE = 8.0  # seconds to unwind before the process leaves at once
GO_ON = {
    "train": "; go on with --resume",
    "train-rival": "; go on with --resume",
    **dict.fromkeys(("collect", "evaluate", "reproduce"), "; the same command goes on from here"),
}


class Stop(KeyboardInterrupt):
    """A signal asked for an end."""

    def __init__(self, number: int) -> None:
        """Keeps which signal it was."""
        super().__init__(number)
        self.number = number


class Watch:
    """Waits for a signal: the first one breaks off what is under way, a second one leaves."""

    def __init__(self, words: Sequence[str]) -> None:
        """Begins to heed signals.

        Args:
            words: The command and what was asked of it, for the line.
        """
        name = words[0] if words else ""
        self._name = name if name.replace("-", "").isalpha() and name.isascii() else ""
        self._as_json = "--json" in words
        self._asked = False
        self._over = False
        self._before: dict[int, Any] = {}
        self._hook = sys.unraisablehook
        for number in SIGNALS:
            if signal.getsignal(number) is not signal.SIG_IGN:  # nohup, or a shell's background job
                self._before[number] = signal.signal(number, self._heed)
        sys.unraisablehook = self._swallowed

    def line(self) -> str:
        """What a user is told."""
        return f"ncs{self._name and ' '}{self._name}: {self._reason()}"

    def _reason(self) -> str:
        return f"stopped{GO_ON.get(self._name, '')}"

    def for_machines(self, code: int) -> str:
        """The same as a line of JSON, where that was asked for; all of it is plain letters."""
        if not self._as_json:
            return ""
        return f'{{"command": "{self._name}", "error": "{self._reason()}", "exit_code": {code}}}\n'

    def _heed(self, number: int, frame: FrameType | None) -> None:
        """Raises; leaves at once in the middle of an import, which cannot be unwound."""
        if self._over:
            return
        if self._asked or _is_importing(frame):
            self._leave(number)
        self._asked = True
        from threading import Timer

        clock = Timer(PATIENCE, self._leave, (number,))
        clock.daemon = True
        clock.start()
        raise Stop(number)

    def _leave(self, number: int) -> None:
        if not self._over:
            shown = "\x1b[?25h\r" if os.isatty(2) else ""  # a progress bar hides the cursor
            with contextlib.suppress(OSError):
                os.write(2, f"{shown}{self.line()}\n".encode())
                os.write(1, self.for_machines(128 + number).encode())
            leave(128 + number)

    def _swallowed(self, unraisable: Any) -> None:
        """Where Python would only note that an exception got lost, such as in a destructor."""
        if isinstance(unraisable.exc_value, Stop):
            self._leave(unraisable.exc_value.number)
        self._hook(unraisable)

    def end(self, for_good: bool) -> None:
        """Heeds no more: the work is done, and ``for_good`` the process is about to end."""
        self._over = True
        sys.unraisablehook = self._hook
        for number, handler in self._before.items():
            signal.signal(number, signal.SIG_IGN if for_good else handler)


def leave(code: int) -> NoReturn:
    """Ends the process and its children at once, whatever threads are still at."""
    if "multiprocessing" in sys.modules:
        for child in sys.modules["multiprocessing"].active_children():
            child.kill()
    os._exit(code)


def _is_importing(frame: FrameType | None) -> bool:
    """Whether a stack is in the middle of an import."""
    while frame is not None:
        if frame.f_code.co_filename == "<frozen importlib._bootstrap>":
            return True
        frame = frame.f_back
    return False


@contextlib.contextmanager
def heeded(words: Sequence[str], for_good: bool) -> Iterator[Watch | None]:
    """Heeds signals while a command runs; None in a thread, which gets no signals."""
    if "threading" in sys.modules:
        threading = sys.modules["threading"]
        if threading.current_thread() is not threading.main_thread():
            yield None
            return
    watch = Watch(words)
    try:
        yield watch
    finally:
        watch.end(for_good)
