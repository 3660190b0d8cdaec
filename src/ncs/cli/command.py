"""Takes words and a TOML file, gives a command: checked settings, and something to run."""

import contextlib
import io
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, TypeVar

import tyro
from pydantic import AfterValidator, Field

from ncs.bounded import read_toml
from ncs.cli.options import (
    CONFIG,
    field_of,
    flag_of,
    flags_of,
    is_positional,
    key_of,
    registry_of,
)
from ncs.records import ConfigError
from ncs.registry import ALLOWED, allow, allowed, built_in, find_world, names
from ncs.settings import Settings
from ncs.storage import reading

SETTINGS = "--settings"
CODE = re.compile(r"(?:^|=)([^\W\d][\w.]*:[^\W\d][\w.]*)$")  # MODULE:ATTRIBUTE, also behind NAME=


def known_world(name: str) -> str:
    """The name of a world, if there is one of that name."""
    find_world(name)
    return name


def code_named(text: str) -> str:
    """A text of the form MODULE:ATTRIBUTE."""
    if not CODE.fullmatch(text):
        raise ConfigError(f"allow: must be MODULE:ATTRIBUTE, got {text!r}")
    return text


def near_or_shipped(path: Path) -> Path:
    """A folder as it was named, or the one of that name that comes with ncs."""
    if path.exists() or len(path.parts) != 1:
        return path
    from ncs.agent.shelf import shelves

    return next((shelf / path for shelf in shelves() if (shelf / path).is_dir()), path)


def which_world() -> str:
    """Help for an option that names a world."""
    return f"which world: {', '.join(names('world'))}"


def which_style() -> str:
    """Help for an option that names a style; only the package's own worlds are looked into."""
    own = [find_world(name) for name in built_in("world")]
    lists = [f"{world.name}: {', '.join(world.styles)}" for world in own if world.styles]
    return f"a world's own kind of scenes ({'; '.join(lists)})"


World = Annotated[str, AfterValidator(known_world), tyro.conf.arg(metavar="WORLD")]
MaybeWorld = Annotated[World | None, tyro.conf.arg(metavar="WORLD")]
Model = Annotated[Path, AfterValidator(near_or_shipped)]
Code = Annotated[str, AfterValidator(code_named), tyro.conf.arg(metavar="MODULE:ATTRIBUTE")]
Json = Annotated[bool, tyro.conf.arg(name="json")]


class Command(Settings):
    """Base of every command."""

    as_json: Json = Field(False, description="print one JSON object instead of text")
    allow: tuple[Code, ...] = Field(
        (), description="code of somebody's own that files may name, as MODULE:ATTRIBUTE"
    )

    def run(self) -> int | None:
        """Does the work and reports in one line; an exit code comes back where it is not 0."""
        raise NotImplementedError


C = TypeVar("C", bound=Command)


def parse(command: type[C], name: str, arguments: Sequence[str]) -> C:
    """The command with its settings from flags, and from ``--config FILE`` where flags are silent.

    Whatever is wrong with them is a ``ConfigError`` of one line.
    """
    _trust(arguments)
    words = _with_config(command, list(arguments))
    complaint = io.StringIO()
    try:
        with contextlib.redirect_stderr(complaint):
            return tyro.cli(
                command,
                prog=f"ncs {name}",
                args=words,
                config=(tyro.conf.FlagCreatePairsOff,),
                registry=registry_of(command),
            )
    except SystemExit as stop:
        if stop.code in (0, None):
            raise
        raise ConfigError(_condense(complaint.getvalue(), name)) from None


def _trust(typed: Sequence[str]) -> None:
    """Lets the code be imported that a user names in so many words; a file's words are not that."""
    allow(*(found[1] for word in typed if (found := CODE.search(word))))
    if allowed() and (here := str(Path.cwd())) not in sys.path:
        sys.path.append(here)  # where code of one's own most likely is


def _condense(text: str, name: str) -> str:
    """The heart of tyro's boxed complaint, on one line."""
    lines = [re.sub(r"^[│|]\s?|\s*[│|]$", "", line).strip() for line in text.splitlines()]
    body: list[str] = []
    for line in lines:
        if line.startswith(("╭", "╰")):
            continue
        if line.startswith(("─", "For full helptext")):
            break
        if line:
            body.append(line)
    return f"{' '.join(body)} (see 'ncs {name} --help')"


def _with_config(command: type[Command], words: list[str]) -> list[str]:
    """The words with ``--config FILE`` replaced by the file's settings, so that flags win."""
    words = [part for word in words for part in _parted(word)]
    if CONFIG not in words:
        return words
    place = words.index(CONFIG)
    if place + 1 == len(words):
        raise ConfigError(f"{CONFIG}: needs the name of a TOML file")
    path = Path(words[place + 1])
    rest = words[:place] + words[place + 2 :]
    with reading(path):
        values = read_toml(path)
    return [*_as_words(command, path, values, rest), *rest]


def _parted(word: str) -> list[str]:
    """``--config=FILE`` and ``--settings=NAME=VALUE`` as two words each."""
    for flag in (CONFIG, SETTINGS):
        if word.startswith(f"{flag}="):
            return [flag, word.removeprefix(f"{flag}=")]
    return [word]


def _as_words(
    command: type[Command], path: Path, values: dict[str, Any], rest: list[str]
) -> list[str]:
    """Settings of a file as the words one would have typed, less those that were typed.

    What stands in ``--settings`` is one setting each: those of the file go in front of those
    that were typed, where a later one of the same name wins.
    """
    given = {word.split("=")[0] for word in rest if word.startswith("--")}
    typed_first = bool(rest) and not rest[0].startswith("-")
    words: list[str] = []
    if "allow" in values:
        raise ConfigError(f"{path}: may not allow code; give --allow itself, or set {ALLOWED}")
    for written, value in values.items():
        key = field_of(written)
        field = command.model_fields.get(key)
        if field is None:
            raise ConfigError(
                f"{path}: there is no setting {written!r}, choose from "
                f"{', '.join(sorted(map(key_of, command.model_fields)))}"
            )
        flag = flag_of(key)
        texts = [str(item) for item in (value if isinstance(value, list) else [value])]
        if flag == SETTINGS and flag in given:
            place = rest.index(flag) + 1
            rest[place:place] = texts
        elif given & flags_of(command, key) or (typed_first and is_positional(field)):
            continue
        elif isinstance(value, bool):
            words += [flag] if value else []
        else:
            words += texts if is_positional(field) else [flag, *texts]
    return words
