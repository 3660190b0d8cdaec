"""Takes a command's settings, gives its options: what they are called, and how help words them."""

import types
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Literal,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

import tyro
from pydantic.fields import FieldInfo
from tyro.constructors import (
    MISSING_NONPROP,
    ConstructorRegistry,
    StructConstructorSpec,
    StructFieldSpec,
    StructTypeInfo,
)

if TYPE_CHECKING:
    from ncs.cli.command import Command

CONFIG = "--config"
CONFIG_HELP = "a TOML file of options, by their names without dashes; flags win over it"
EXTENSIONS = "{extensions}"  # in a description: their names, which are looked up for help alone
UNIONS = (Union, types.UnionType)
POSITIONAL = get_args(tyro.conf.Positional[int])[1:]


def flag_of(name: str) -> str:
    """The flag by which a setting is given."""
    return "--json" if name == "as_json" else "--" + name.replace("_", "-")


def key_of(name: str) -> str:
    """What a setting is called in a file of options."""
    return "json" if name == "as_json" else name


def field_of(key: str) -> str:
    """The setting that a file's key means, written as there or as its flag is."""
    return "as_json" if key == "json" else key.replace("-", "_")


def flags_of(command: "type[Command]", name: str) -> set[str]:
    """Every flag by which a setting can be given."""
    (hint,) = (h for n, h in _hints(command).items() if n == name)
    other = [alias for part in get_args(hint) for alias in getattr(part, "aliases", None) or ()]
    return {flag_of(name), *other}


def is_positional(field: FieldInfo) -> bool:
    """Whether a setting is given by its place rather than by a flag."""
    return any(marker in field.metadata for marker in POSITIONAL)


def choices_of(command: "type[Command]", name: str) -> tuple[str, ...]:
    """The values a setting may have, where they can be listed."""
    kind = _plain(_hints(command)[name])
    if get_origin(kind) is tuple:
        kind = _plain(get_args(kind)[0])
    return tuple(map(str, get_args(kind))) if get_origin(kind) is Literal else ()


def registry_of(command: "type[Command]") -> ConstructorRegistry:
    """How tyro reads a command: each default told once, nothing said of None."""
    registry = ConstructorRegistry()

    @registry.struct_rule
    def rule(info: StructTypeInfo) -> StructConstructorSpec | None:
        return _specify(command) if info.type is command else None

    return registry


def _specify(command: "type[Command]") -> StructConstructorSpec:
    hints = _hints(command)

    def make(config: None = None, **values: Any) -> "Command":
        return command(**values)

    make.__doc__ = command.__doc__
    fields = [_option(name, hints[name], f) for name, f in command.model_fields.items()]
    shown: Any = Annotated[str | None, tyro.conf.arg(metavar="FILE", help_behavior_hint="")]
    fields.insert(1, StructFieldSpec("config", shown, None, CONFIG_HELP))
    return StructConstructorSpec(make, tuple(fields))


def _option(name: str, hint: Any, field: FieldInfo) -> StructFieldSpec:
    default: Any = MISSING_NONPROP
    words: dict[str, Any] = {}
    if get_origin(_plain(hint)) is tuple and field.is_required():
        words["help_behavior_hint"] = "(required)"
    if not field.is_required():
        default = field.get_default(call_default_factory=True)
        nothing = default is None or default is False or default in ((), "")
        if nothing or "(default" in (field.description or ""):
            words["help_behavior_hint"] = ""
        named = any(getattr(part, "metavar", None) for part in get_args(hint)[1:])
        if _is_optional(hint) and not named:
            words["metavar"] = _metavar(_plain(hint))
    worded: Any = Annotated[hint, tyro.conf.arg(**words)] if words else hint
    return StructFieldSpec(name, worded, default, lambda: described(field))


def described(field: FieldInfo) -> str:
    """What help says of a setting."""
    text = field.description or ""
    if EXTENSIONS not in text:
        return text
    from ncs.control.extensions import EXTENSIONS as OWN
    from ncs.control.extensions import EYES

    names = ", ".join((*EYES, *OWN))
    return text.replace(EXTENSIONS, f"{names}, or PACKAGE.MODULE:FUNCTION")


def _hints(command: "type[Command]") -> dict[str, Any]:
    return get_type_hints(command, include_extras=True)


def _is_optional(hint: Any) -> bool:
    inner = get_args(hint)[0] if get_origin(hint) is Annotated else hint
    return get_origin(inner) in UNIONS and type(None) in get_args(inner)


def _plain(hint: Any) -> Any:
    """A type without what is said about it, and without None."""
    if get_origin(hint) is Annotated:
        return _plain(get_args(hint)[0])
    if get_origin(hint) in UNIONS:
        (kind, *_) = (part for part in get_args(hint) if part is not type(None))
        return _plain(kind)
    return hint


def _metavar(kind: Any) -> str:
    """What stands for a value in help, in tyro's own manner."""
    if get_origin(kind) is Literal:
        return "{" + ",".join(map(str, get_args(kind))) + "}"
    if get_origin(kind) is tuple:
        one = _metavar(_plain(get_args(kind)[0]))
        return f"[{one} [{one} ...]]"
    return {bool: "{True,False}", int: "INT", float: "FLOAT", Path: "PATH"}.get(kind, "STR")
