"""Anybody's policy is judged, in worker processes too, and filed under what it is."""

from pathlib import Path
from typing import Any

import pytest

from ncs.agent.methods import make_method
from ncs.agent.options import MethodOptions
from ncs.envs import make_env
from ncs.evaluation.harness import JudgeConfig, evaluate, judge_hash
from ncs.evaluation.method import Method
from ncs.evaluation.results import read_results
from ncs.records import ConfigError
from ncs.registry import ALLOWED

WORLD = "block-rearrange"
RULES = JudgeConfig(world=WORLD, objects=(4,), seeds=1, episodes=2, split="dev")
OWN = "tests.agent.own_policy:make"


@pytest.fixture(autouse=True)
def code_is_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("make", "make_nothing", "none")
    own = [f"tests.agent.own_policy:{name}" for name in names]
    monkeypatch.setenv(ALLOWED, ",".join([*own, "no.such.module:make", ":", "a:b:c"]))


def method(name: str = OWN, **asked: Any) -> Method:
    return make_method(name, MethodOptions(world=WORLD, **asked))


@pytest.mark.parametrize("workers", [1, 2])
def test_a_function_of_ones_own_is_judged(workers: int, tmp_path: Path) -> None:
    own = method(settings={"share": 0.25}, label="mine")
    for _ in evaluate(make_env, own, RULES, tmp_path / "r", workers=workers, batch=1):
        pass
    rows = read_results(tmp_path / "r")
    assert len(rows) == 4
    assert {(row.method, row.label, row.checkpoint) for row in rows} == {(OWN, "mine", "none")}
    assert rows[0].settings["values"] == {"share": 0.25}


def test_its_settings_its_source_and_its_files_are_part_of_the_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = judge_hash(method(), RULES)
    assert judge_hash(method(settings={"share": 0.1}), RULES) != before
    (tmp_path / "weights").write_text("1")
    first = method(model=tmp_path).checkpoint
    (tmp_path / "weights").write_text("2")
    assert method(model=tmp_path).checkpoint != first
    monkeypatch.setattr("ncs.agent.factory.source_of", lambda _: "edited")
    assert judge_hash(method(), RULES) != before


@pytest.mark.parametrize(
    "name", ["magic", "tests.agent.own_policy:none", "no.such.module:make", ":", "a:b:c"]
)
def test_what_cannot_be_found_is_named(name: str) -> None:
    with pytest.raises(ConfigError, match=name):
        method(name)


def test_a_function_that_nobody_allowed_is_not_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(ALLOWED)
    with pytest.raises(ConfigError, match=f"read it, then allow it with --allow '{OWN}'"):
        method()


def test_a_factory_that_gives_no_policy_or_takes_no_such_setting_is_refused() -> None:
    envs = [make_env(WORLD)]
    with pytest.raises(ConfigError, match="gave NoneType, which is no policy"):
        method("tests.agent.own_policy:make_nothing").policy(envs)
    with pytest.raises(ConfigError, match="unexpected keyword argument 'speed'"):
        method(settings={"speed": 1}).policy(envs)
