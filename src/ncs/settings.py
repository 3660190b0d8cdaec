"""What a user may ask for: typed, bounded, checked once, and refused in one line."""

from pathlib import Path
from typing import Annotated, Any, Self, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from ncs.bounded import read_toml
from ncs.records import UNSEEN, ConfigError, DataError
from ncs.storage import digest_json, reading

M = TypeVar("M", bound=BaseModel)

# A word that may stand in a terminal and on a page: no control characters, no changes of direction.
Word = Annotated[str, Field(max_length=200, pattern=f"^[^{UNSEEN}]*$")]


def _is_name(name: str) -> str:
    if Path(name).name != name or not name:
        raise ValueError("names a file outside its folder")
    return name


FileName = Annotated[Word, AfterValidator(_is_name)]
Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class Record(BaseModel):
    """Base of what files say: typed strictly; keys beyond the known are left alone."""

    model_config = ConfigDict(extra="ignore", frozen=True, strict=True, allow_inf_nan=False)


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
            values = read_toml(path)
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
            complaints.append(f"{name}: {item['msg'].lower()}, got {shortened(item['input'])}")
    return "; ".join(complaints)


def shortened(value: Any, limit: int = 80) -> str:
    """A value as it is written in Python, cut to a line's length."""
    text = repr(value) if not isinstance(value, dict | list) else f"a {type(value).__name__}"
    return text if len(text) <= limit else f"{text[:limit]}..."


def checked(schema: type[M], values: Any, path: Path, what: str) -> M:
    """What a file of a stranger says, by its schema; refuses in one line that names the file.

    Args:
        schema: What it must say.
        values: What it says.
        path: Of the file.
        what: It should be, such as "the index of results".
    """
    try:
        return schema.model_validate(values)
    except ValidationError as error:
        raise DataError(f"{path}: is not {what} ({one_line(error)})") from None
