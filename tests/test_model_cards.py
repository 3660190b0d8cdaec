"""The command on a card gives the settings of the checkpoint that it is the card of."""

import re
import shlex
from pathlib import Path

import pytest

from ncs.cli.command import parse
from ncs.cli.train import Train
from ncs.training.checkpoint import read_config
from ncs.training.schedule import TrainConfig

REPOSITORY = Path(__file__).parents[1]
CARDS = {"blocks-cpu": "blocks-cpu-0"}


@pytest.mark.parametrize(("card", "model"), CARDS.items())
def test_the_command_on_the_card_gives_the_settings_of_the_checkpoint(
    card: str, model: str
) -> None:
    text = (REPOSITORY / "model_cards" / f"{card}.md").read_text()
    (line,) = re.findall(r"^ncs train (.*)$", text, re.MULTILINE)
    asked: TrainConfig = parse(Train, "train", shlex.split(line)).resolve()
    assert asked.difference(read_config(REPOSITORY / "checkpoints" / model)) is None
