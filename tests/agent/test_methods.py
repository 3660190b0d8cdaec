"""Methods are filed under all that sets them apart, and play alike however many play at once."""

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ncs.agent import TrainedModel, shipped_model
from ncs.agent.methods import METHODS, make_method
from ncs.agent.options import MethodOptions
from ncs.control.config import ControlConfig
from ncs.envs import make_env
from ncs.evaluation.harness import JudgeConfig, evaluate, judge_hash
from ncs.evaluation.method import Method
from ncs.evaluation.results import read_results
from ncs.records import ConfigError, Result

WORLD = "block-rearrange"
MODEL = shipped_model("blocks-fast-0")
RULES = JudgeConfig(world=WORLD)


def method(name: str = "ncs", **asked: Any) -> Method:
    return make_method(name, MethodOptions(**{"world": WORLD, "model": MODEL, **asked}))


def test_what_a_preset_stands_for_is_part_of_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    before = judge_hash(method(), RULES)
    assert judge_hash(method(), RULES) == before
    plain = ControlConfig.best().changed(without=["plan"])
    monkeypatch.setattr(ControlConfig, "best", classmethod(lambda _: plain))
    assert judge_hash(method(), RULES) != before


@pytest.mark.parametrize("name", ["ncs", "nf", "mpc"])
def test_presets_and_numbers_of_slots_have_keys_of_their_own(name: str) -> None:
    kinds = [method(name), method(name, preset="paper"), method(name, slots=9)]
    assert len({judge_hash(kind, RULES) for kind in kinds}) == 3


def test_a_label_and_the_place_of_files_change_no_key(tmp_path: Path) -> None:
    shutil.copytree(MODEL, tmp_path / "copy")
    twin = method(model=tmp_path / "copy", label="ours")
    assert judge_hash(twin, RULES) == judge_hash(method(), RULES)
    assert twin.checkpoint == method().checkpoint


def test_settings_can_be_read(tmp_path: Path) -> None:
    ours = method(slots=9, without=("plan",)).settings()
    assert (ours["preset"], ours["slots"]) == ("best", 9)
    assert "plan" not in str({k: v for k, v in ours["control"].items() if v is True})
    assert method("mpc", settings={"population": 50}).settings()["search"]["population"] == 50
    assert str(tmp_path.anchor) not in str(method().settings())


def test_nf_is_known_by_its_sets_and_takes_no_other_graph() -> None:
    ours, theirs = method(preset="paper").checkpoint, method("nf", preset="paper").checkpoint
    assert (theirs.weights, theirs.graph) == (ours.weights, ours.graph)
    assert theirs.sets
    assert not ours.sets
    with pytest.raises(ConfigError, match="nf takes no graph"):
        method("nf", graph=MODEL / "graph-paper.safetensors")


@pytest.mark.parametrize("name", METHODS)
def test_no_method_takes_what_it_has_no_use_for(name: str) -> None:
    asked = MethodOptions(world=WORLD, model=MODEL, choice="sample", settings={"a": 1})
    with pytest.raises(ConfigError, match=f"method: {name} takes no (choice|model|settings)"):
        make_method(name, asked)


def test_a_rival_that_learned_needs_a_model_and_ncs_has_the_worlds_own() -> None:
    with pytest.raises(ConfigError, match="model: bc needs one"):
        make_method("bc", MethodOptions(world=WORLD))
    own, named = (
        make_method("ncs", MethodOptions(world=WORLD, model=model)) for model in (None, MODEL)
    )
    assert own == named


def test_the_paper_has_one_slot_to_spare() -> None:
    trained = TrainedModel.load(MODEL)
    assert trained.slots_for(4, "paper") == 5
    assert trained.slots_for(4) == trained.model.trained_slots


def rows(kind: Method, path: Path, batch: int) -> list[Result]:
    few = {"objects": (4,), "goals": ("complete",), "seeds": 1, "episodes": 4, "split": "dev"}
    rules = JudgeConfig(world=WORLD, cap_factor=1, **few)
    for _ in evaluate(make_env, kind, rules, path, batch=batch):
        pass
    return [replace(row, seconds=0.0) for row in read_results(path)]


@pytest.mark.parametrize(
    ("name", "asked"),
    [
        ("ncs", {}),
        ("ncs", {"model": shipped_model("blocks-cpu-0"), "preset": "paper"}),
        ("nf", {"model": shipped_model("blocks-cpu-0"), "preset": "paper"}),
        ("mpc", {"settings": {"population": 20, "iterations": 2}}),
    ],
    ids=["ncs", "ncs on dSLATE", "nf on dSLATE", "mpc"],
)
def test_how_many_play_side_by_side_changes_nothing(
    name: str, asked: dict[str, Any], tmp_path: Path
) -> None:
    kind = method(name, **asked)
    together = rows(kind, tmp_path / "four", 4)
    assert rows(kind, tmp_path / "one", 1) == together
    assert rows(kind, tmp_path / "three", 3) == together
    assert {(row.weights, row.graph) for row in together} == {
        (kind.checkpoint.weights, kind.checkpoint.graph)
    }


def test_the_papers_preset_infers_slots_as_printed_and_additions_have_keys_of_their_own() -> None:
    model = shipped_model("blocks-cpu-0")
    kinds = {
        only: method(model=model, preset="paper", only=only)
        for only in ((), ("starts",), ("presence",), ("starts", "presence"))
    }
    assert {only: kind.settings()["sight"] for only, kind in kinds.items()} == {
        only: list(only) for only in kinds
    }
    assert len({judge_hash(kind, RULES) for kind in kinds.values()}) == len(kinds)
    assert kinds["starts",].settings()["control"]["extensions"] == []
    assert kinds["presence",].settings()["control"]["extensions"] == ["presence"]


def test_a_model_without_additions_is_filed_without_them() -> None:
    assert "sight" not in method(preset="paper").settings()
