"""The command on a card gives the settings of the checkpoint that it is the card of."""

import re
import shlex
from pathlib import Path

import pytest

from ncs.cli.command import parse
from ncs.cli.train import Train
from ncs.model.dslate.config import DslateConfig
from ncs.model.touched.config import TouchedConfig
from ncs.training.checkpoint import read_config
from ncs.training.schedule import TrainConfig

REPOSITORY = Path(__file__).parents[1]
DSLATE = ("blocks-cpu", "blocks-thinned", "robogym-cpu", "robogym-gaussian")
TOUCHED = {
    "blocks-fast": "blocks-fast",
    "robogym-fast": "robogym-fast",
    "stacking-fast": "stacking-fast",
    "blocks-real": "real",
    "robogym-real": "real",
}


def asked_by(line: str, seed: int) -> TrainConfig:
    """What a command asks for, ``--seed S`` filled in."""
    words = shlex.split(line.replace(" --seed S", ""))
    asked: TrainConfig = parse(Train, "train", [*words, "--seed", str(seed)]).resolve()
    return asked


def commands(card: str) -> list[str]:
    """The trainings of a card, in their order."""
    text = (REPOSITORY / "model_cards" / f"{card}.md").read_text()
    return re.findall(r"(?:^|`)ncs train ([^`\n]*)", text, re.MULTILINE)


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("card", DSLATE)
def test_the_command_on_the_card_gives_the_settings_of_the_checkpoint(card: str, seed: int) -> None:
    asked = asked_by(commands(card)[-1], seed)
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


def test_the_command_of_towers_on_a_table_gives_the_settings_of_the_checkpoint() -> None:
    asked = asked_by(commands("stacking-xyz")[0], 0)
    there = read_config(REPOSITORY / "checkpoints" / "stacking-xyz-0")
    assert asked.difference(there) is None


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("model", TOUCHED)
def test_nothing_but_the_seed_is_set_of_what_learned_from_moves(model: str, seed: int) -> None:
    asked = asked_by(commands(TOUCHED[model])[0], seed)
    there = read_config(REPOSITORY / "checkpoints" / f"{model}-{seed}")
    assert asked.difference(there) is None


def test_the_weights_of_several_worlds_have_the_settings_of_their_last_command() -> None:
    asked = asked_by(commands("real")[-1], 0)
    there = read_config(REPOSITORY / "checkpoints" / "several-0")
    assert isinstance(asked.network, TouchedConfig)
    known = {"start": there.start, "network": asked.network.of_several(4)}
    assert asked.model_copy(update=known).difference(there) is None
