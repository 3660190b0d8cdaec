"""Extensions of Algorithm 2, one a file: each takes the steps of a decision and gives others.

An extension is a function from ``Steps`` to ``Steps`` that replaces or wraps align, select or act.
It is called once an episode, so what it remembers of an episode it keeps to itself. One that
stands elsewhere is named ``PACKAGE.MODULE:FUNCTION``.
"""

from collections.abc import Callable

from ncs.control.algorithm import Steps
from ncs.control.extensions import composed, distrust, leeway, plan, presence, residual
from ncs.records import ConfigError
from ncs.registry import import_allowed

Extension = Callable[[Steps], Steps]

# In the order in which they wrap each other, the innermost first.
EXTENSIONS: dict[str, Extension] = {
    "presence": presence.extend,
    "composed": composed.extend,
    "residual": residual.extend,
    "leeway": leeway.extend,
    "distrust": distrust.extend,
    "plan": plan.extend,
}
# Left the code for lack of a gain. Older rows name them, and are played without.
RETIRED = ("whiten",)
# Additions to how a model infers slots: asked for likewise, and control knows nothing of them.
EYES = ("starts",)


def find_extension(name: str) -> Extension:
    """The extension of a name; one from elsewhere must be allowed, as all code is."""
    if name in EXTENSIONS:
        return EXTENSIONS[name]
    if ":" not in name:
        raise ConfigError(
            f"there is no extension {name!r}, choose from {', '.join(EXTENSIONS)} or name your own "
            "as PACKAGE.MODULE:FUNCTION"
        )
    found: Extension = import_allowed("extension", name)
    return found
