"""Takes words and a TOML file, gives a command: checked settings, and something to run."""

import contextlib
import io
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_args

import tyro
from pydantic import AfterValidator, Field
from pydantic.fields import FieldInfo

from ncs.bounded import read_toml
from ncs.records import ConfigError
from ncs.registry import built_in, find_world, names
from ncs.settings import Settings
from ncs.storage import reading


def known_world(name: str) -> str:
    """The name of a world, if there is one of that name."""
    find_world(name)
    return name


def which_world() -> str:
    """Help for an option that names a world."""
    return f"which world: {', '.join(names('world'))}"


def which_style() -> str:
    """Help for an option that names a style; only the package's own worlds are looked into."""
    own = [find_world(name) for name in built_in("world")]
    lists = [f"{world.name}: {', '.join(world.styles)}" for world in own if world.styles]
    return f"a world's own kind of scenes ({'; '.join(lists)})"


World = Annotated[str, AfterValidator(known_world), tyro.conf.arg(metavar="WORLD")]
Json = Annotated[bool, tyro.conf.arg(name="json")]


class Command(Settings):
    """Base of every command."""

    as_json: Json = Field(False, description="print one JSON object instead of text")

    def run(self) -> int | None:
        """Does the work and reports in one line; an exit code comes back where it is not 0."""
        raise NotImplementedError


C = TypeVar("C", bound=Command)


def parse(command: type[C], name: str, arguments: Sequence[str]) -> C:
    """The command with its settings from flags, and from ``--config FILE`` where flags are silent.

    Whatever is wrong with them is a ``ConfigError`` of one line.
    """
    words = _with_config(command, list(arguments))
    complaint = io.StringIO()
    try:
        with contextlib.redirect_stderr(complaint):
            return tyro.cli(
                command,
                prog=f"ncs {name}",
                args=words,
                config=(tyro.conf.FlagCreatePairsOff,),
            )
    except SystemExit as stop:
        if stop.code in (0, None):
            raise
        raise ConfigError(_condense(complaint.getvalue(), name)) from None


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
    if "--config" not in words:
        return words
    place = words.index("--config")
    if place + 1 == len(words):
        raise ConfigError("--config: needs the name of a TOML file")
    path = Path(words[place + 1])
    rest = words[:place] + words[place + 2 :]
    with reading(path):
        values = read_toml(path)
    given = {word.split("=")[0] for word in rest if word.startswith("--")}
    return [*_as_words(command, path, values, given), *rest]


def _as_words(
    command: type[Command], path: Path, values: dict[str, Any], given: set[str]
) -> list[str]:
    """Settings of a file as the words one would have typed, less those that were typed."""
    words: list[str] = []
    for key, value in values.items():
        field = command.model_fields.get(key)
        if field is None:
            raise ConfigError(
                f"{path}: there is no setting {key!r}, choose from "
                f"{', '.join(sorted(command.model_fields))}"
            )
        flag = "--json" if key == "as_json" else "--" + key.replace("_", "-")
        if flag in given:
            continue
        if isinstance(value, bool):
            words += [flag] if value else []
        else:
            texts = [str(item) for item in (value if isinstance(value, list) else [value])]
            words += texts if _is_positional(field) else [flag, *texts]
    return words


def _is_positional(field: FieldInfo) -> bool:
    """Whether a setting is given by its place rather than by a flag."""
    return any(marker in field.metadata for marker in get_args(tyro.conf.Positional[int])[1:])
