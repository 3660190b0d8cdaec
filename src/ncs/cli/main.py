"""The entry point: heeds signals before anything heavy is imported, then runs a command."""

import contextlib
import sys
from collections.abc import Sequence

from ncs.cli.stopping import Stop, heeded, leave


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command; the exit code comes back.

    Args:
        arguments: The command and its words; those of the process by default.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    with heeded(words, for_good=arguments is None) as watch:
        try:
            from ncs.cli.commands import answer

            return answer(words)
        except KeyboardInterrupt as stop:
            if watch is None:
                raise
            code = 128 + (stop.number if isinstance(stop, Stop) else 2)
            with contextlib.suppress(OSError):  # nobody may be left to read it
                print(watch.line(), file=sys.stderr, flush=True)
                print(watch.for_machines(code), end="", flush=True)
            if arguments is None:
                leave(code)
            return code


if __name__ == "__main__":
    sys.exit(main())
