"""What the manifest of a checkpoint must say: types and limits, checked before it is believed."""

from typing import Any, Self

from pydantic import Field, model_validator

from ncs.settings import FileName, Record, Sha256, Word


class FileEntry(Record):
    """A file as the manifest names it."""

    name: FileName
    sha256: Sha256


class Files(Record):
    """The two files of a checkpoint."""

    weights: FileEntry
    state: FileEntry


class Source(Record):
    """The buffer that a model learned from."""

    world: Word | None = None
    worlds: list[Word] | None = Field(None, min_length=1, max_length=100)
    hash: Word = ""

    @model_validator(mode="after")
    def _is_named(self) -> Self:
        if self.world is None and self.worlds is None:
            raise ValueError("names no world")
        return self


class Manifest(Record):
    """What a manifest must say."""

    step: int = Field(ge=0, le=1_000_000_000)
    config: dict[str, Any]
    buffer: Source
    code: dict[str, Word]
    files: Files
    notes: dict[str, Any]
