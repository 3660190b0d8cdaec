"""What a user may ask for: typed, bounded, checked once, and refused in one line."""

import tomllib
from pathlib import Path
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, ValidationError

from ncs.records import ConfigError
from ncs.storage import digest_json, reading


class Settings(BaseModel):
    """Base of every config: frozen, no unknown keys, errors of one line."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    def __init__(self, **values: Any) -> None:
        """Checks the values; a bad one raises ``ConfigError`` naming it and its limit."""
        try:
            super().__init__(**values)
        except ValidationError as error:
            raise ConfigError(one_line(error)) from None

    @property
    def hash(self) -> str:
        """Twelve hex digits that change with any value."""
        return digest_json(self.model_dump(mode="json"))[:12]

    @classmethod
    def from_toml(cls, path: Path) -> Self:
        """Settings read from a TOML file; unknown keys are refused."""
        with reading(path):
            text = path.read_bytes()
        try:
            values = tomllib.loads(text.decode())
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise ConfigError(f"{path}: is not TOML ({error})") from None
        try:
            return cls(**values)
        except ConfigError as error:
            raise ConfigError(f"{path}: {error}") from None


def one_line(error: ValidationError) -> str:
    """The first complaints of a validation error, each as 'name: what is wrong (got this)'."""
    complaints = []
    for item in error.errors(include_url=False)[:3]:
        name = ".".join(str(part) for part in item["loc"]) or "settings"
        if item["type"] == "extra_forbidden":
            complaints.append(f"{name}: there is no such setting")
        else:
            complaints.append(f"{name}: {item['msg'].lower()}, got {item['input']!r}")
    return "; ".join(complaints)
