"""``python -m ncs``: the same as the command ``ncs``."""

import sys

from ncs.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
