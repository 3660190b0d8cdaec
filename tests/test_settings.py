"""Settings refuse what they do not know, in one line."""

from pathlib import Path

import pytest
from pydantic import Field

from ncs.records import ConfigError
from ncs.settings import Settings


class Example(Settings):
    nodes: int = Field(30, ge=2)
    name: str = "x"


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"nodes": 1}, "nodes: input should be greater than or equal to 2, got 1"),
        ({"nodes": "many"}, "nodes: input should be a valid integer"),
        ({"knots": 3}, "knots: there is no such setting"),
        ({"kn\r\u2028ots": 3}, r"kn\r\u2028ots: there is no such setting"),
        ({"k" * 10_000: 3}, "kkk: there is no such setting"),
    ],
)
def test_a_bad_value_is_one_line_that_names_it(values: dict[str, object], words: str) -> None:
    with pytest.raises(ConfigError) as error:
        Example(**values)
    assert words in str(error.value)
    assert len(str(error.value).splitlines()) == 1
    assert len(str(error.value)) < 1000


def test_the_hash_follows_every_value() -> None:
    assert Example().hash == Example(nodes=30).hash
    assert len({Example().hash, Example(nodes=31).hash, Example(name="y").hash}) == 3


def test_toml_gives_settings_or_names_the_file(tmp_path: Path) -> None:
    path = tmp_path / "c.toml"
    path.write_text("nodes = 16")
    assert Example.from_toml(path).nodes == 16
    for text, words in [("knots = 1", "no such setting"), ("nodes =", "is not TOML")]:
        path.write_text(text)
        with pytest.raises(ConfigError, match=rf"c\.toml.*{words}"):
            Example.from_toml(path)
