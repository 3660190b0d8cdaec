"""Methods are filed under all that sets them apart."""

from typing import Any

import pytest

from ncs.agent import Mind, shipped_model
from ncs.agent.methods import learned_method
from ncs.control.config import ControlConfig
from ncs.evaluation.harness import JudgeConfig, Method, judge_hash
from ncs.records import ConfigError

MODEL = shipped_model("blocks-fast-0")
RULES = JudgeConfig(world="block-rearrange")


def method(name: str = "ncs", preset: Any = "best", **changes: Any) -> Method:
    values: dict[str, Any] = {"graph": None, "slots": None, "switches": {}, **changes}
    return learned_method(name, MODEL, preset, **values)


def test_what_a_preset_stands_for_is_part_of_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    before = judge_hash(method(), RULES)
    assert judge_hash(method(), RULES) == before
    plain = ControlConfig.best().changed(without=["order"])
    monkeypatch.setattr(ControlConfig, "best", classmethod(lambda _: plain))
    assert judge_hash(method(), RULES) != before


@pytest.mark.parametrize("name", ["ncs", "nf", "mpc"])
def test_presets_and_numbers_of_slots_have_keys_of_their_own(name: str) -> None:
    kinds = [method(name), method(name, "paper"), method(name, slots=9)]
    assert len({judge_hash(kind, RULES) for kind in kinds}) == 3


def test_nf_is_known_by_its_sets_and_takes_no_other_graph() -> None:
    ours, theirs = method("ncs", "paper"), method("nf", "paper")
    assert theirs.checkpoint.startswith(f"{ours.checkpoint}+")
    with pytest.raises(ConfigError, match="nf takes no graph"):
        method("nf", graph=MODEL / "graph-paper.safetensors")


def test_the_paper_has_one_slot_to_spare() -> None:
    mind = Mind.load(MODEL)
    assert mind.slots_for(4, "paper") == 5
    assert mind.slots_for(4) == 4 + mind.spare
