"""Every config in the repository is loaded by the command it names."""

import re
from pathlib import Path

import pytest

from ncs.cli.command import parse
from ncs.cli.commands import command_class

CONFIGS = sorted((Path(__file__).parents[1] / "configs").glob("*.toml"))


def test_there_are_configs() -> None:
    assert CONFIGS


@pytest.mark.parametrize("path", CONFIGS, ids=lambda p: p.name)
def test_a_config_is_accepted_by_its_command(path: Path) -> None:
    line = re.search(rf"ncs (\w+) --config configs/{re.escape(path.name)}(.*)", path.read_text())
    assert line, f"{path.name} does not say which command it is for"
    command, rest = line[1], line[2].split("#")[0].split()
    parse(command_class(command), command, ["--config", str(path), *rest])
