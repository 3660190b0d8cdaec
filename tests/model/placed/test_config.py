import pytest

from ncs.model.placed.config import PlacedConfig
from ncs.records import ConfigError


@pytest.mark.parametrize("world", ["block-rearrange", "robogym-rearrange"])
def test_each_world_has_a_fast_preset(world: str) -> None:
    assert PlacedConfig.fast(world).size == 64


def test_worlds_without_a_preset_are_refused_by_name() -> None:
    with pytest.raises(ConfigError, match=r"block-stacking.*choose one of"):
        PlacedConfig.fast("block-stacking")


def test_a_cell_must_divide_the_picture() -> None:
    with pytest.raises(ConfigError, match="cell: must divide size 64, got 5"):
        PlacedConfig(cell=5)


def test_the_fewest_slots_cannot_be_more_than_the_most() -> None:
    with pytest.raises(ConfigError, match="slots_low"):
        PlacedConfig(slots_low=8, slots_high=7)
