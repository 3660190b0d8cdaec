"""The command on a card gives the settings of the checkpoint that it is the card of."""

import re
import shlex
from pathlib import Path

import pytest

from ncs.cli.command import parse
from ncs.cli.train import Train
from ncs.model.dslate.config import DslateConfig
from ncs.training.checkpoint import read_config
from ncs.training.schedule import TrainConfig

REPOSITORY = Path(__file__).parents[1]
CARDS = ("blocks-cpu", "blocks-thinned", "robogym-cpu", "robogym-gaussian")


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("card", CARDS)
def test_the_command_on_the_card_gives_the_settings_of_the_checkpoint(card: str, seed: int) -> None:
    text = (REPOSITORY / "model_cards" / f"{card}.md").read_text()
    line = re.findall(r"^ncs train (.*)$", text, re.MULTILINE)[-1]
    asked: TrainConfig = parse(Train, "train", [*shlex.split(line), "--seed", str(seed)]).resolve()
    there = read_config(REPOSITORY / "checkpoints" / f"{card}-{seed}")
    assert asked.difference(left_open(there, asked)) is None


def left_open(there: TrainConfig, asked: TrainConfig) -> TrainConfig:
    """A checkpoint's settings without what a command leaves to the folders it is given."""
    mine, theirs = asked.network, there.network
    assert isinstance(mine, DslateConfig)
    bounds = {} if mine.action_low else {"action_low": None, "action_high": None}
    return there.model_copy(
        update={"start": asked.start, "network": theirs.model_copy(update=bounds)}
    )
