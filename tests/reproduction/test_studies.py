"""What is judged: every method on every cell, and each ablation."""

from pathlib import Path
from typing import get_args

import pytest

from ncs.agent.methods import MethodName
from ncs.evaluation.grid import pieces
from ncs.evaluation.harness import Method
from ncs.records import ConfigError
from ncs.reproduction.artefacts import Kit
from ncs.reproduction.scales import STUDIES, Scale
from ncs.reproduction.studies import (
    ABLATIONS,
    LABELS,
    choice,
    horizon,
    methods_of,
    noise,
    requests_of,
    table,
)

SMOKE = Scale.named("smoke")
KIT = Kit("block-rearrange", model=Path("model"))


@pytest.fixture(autouse=True)
def _no_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """Methods without their files: what is asked of them is looked at, not what they do."""

    def named(
        name: str, kit: Kit, preset: str = "best", graph: object = None, slots: int | None = None
    ) -> Method:
        options = (("preset", preset), ("slots", slots or 0))
        return Method(name=name, options=options, checkpoint=f"{graph}")

    monkeypatch.setattr("ncs.reproduction.studies.method_of", named)


def kit() -> Kit:
    from ncs.reproduction.graphs import graph_plans

    graphs = {
        plan.name: Path(plan.name)
        for plan in graph_plans(SMOKE, KIT.world, {"best": 7, "paper": 5})
    }
    return Kit(KIT.world, model=KIT.model, graphs=graphs)


def test_all_methods_of_the_registry_are_in_the_table() -> None:
    requests = table(SMOKE, kit())
    assert {request.method.name for request in requests} == set(get_args(MethodName))
    assert {r.label for r in requests if r.method.name == "ncs"} == set(LABELS.values())


def test_the_table_has_every_cell_of_the_paper() -> None:
    rules = table(Scale.named("paper"), kit())[0].rules
    assert (rules.objects, rules.goals) == ((4, 5, 6, 7), ("complete", "partial"))
    assert (rules.seeds, rules.episodes, rules.split) == (10, 100, "test")


def test_planning_plays_fewer_episodes_on_a_laptop() -> None:
    rules = {r.label: r.rules for r in table(Scale.named("laptop"), kit())}
    assert rules["mpc"].seeds * rules["mpc"].episodes == 50
    assert rules["ncs"].seeds * rules["ncs"].episodes == 1000


def test_every_ablation_is_there_with_every_value() -> None:
    requests = requests_of(SMOKE, [kit()])
    found = {(r.study, r.value) for r in requests}
    assert {study for study, _ in found} == {"table", *STUDIES}
    assert {v for s, v in found if s == "clusters"} == {"16", "50"}
    assert {v for s, v in found if s == "slots"} == {"3", "5", "10"}
    assert {v for s, v in found if s == "choice"} == {"sample", "argmax"}
    assert {v for s, v in found if s == "representation"} == {"alpha", "state"}


def test_no_two_lines_of_a_study_are_the_same_work(tmp_path: Path) -> None:
    for study in ABLATIONS:
        requests = [r for r in requests_of(SMOKE, [kit()]) if r.study == study]
        keys = [(r.method.name, r.key) for r in requests]
        assert len(set(keys)) == len(keys), study
        assert pieces(requests, tmp_path)


def test_stress_is_for_ours_and_the_papers_rivals() -> None:
    for study, rule, values in ((horizon, "cap_factor", {1, 8}), (noise, "noise", {0.0, 1.0})):
        requests = study(SMOKE, kit())
        assert {r.method.name for r in requests} == {"ncs", "random", "nf", "mpc"}
        assert {getattr(r.rules, rule) for r in requests} == values


def test_the_choice_reaches_the_method() -> None:
    assert {dict(r.method.options)["choice"] for r in choice(SMOKE, kit())} == {"sample", "argmax"}


def test_ablations_stay_off_the_test_tasks() -> None:
    for name in ("laptop", "paper"):
        scale = Scale.named(name)  # type: ignore[arg-type]
        assert scale.study_split == "dev"
        assert scale.split == "test"


def test_a_smoke_test_looks_at_no_test_task() -> None:
    assert {r.rules.split for r in requests_of(SMOKE, [kit()])} == {"dev"}


def test_less_can_be_asked_for() -> None:
    small = SMOKE.narrowed(("block-rearrange",), ("random",), ("noise",), 1, 3)
    assert methods_of(small) == ["random"]
    assert (small.seeds, small.study_seeds, small.slow_episodes) == (1, 1, 3)
    assert {r.study for r in requests_of(small, [Kit("block-rearrange")])} == {"table", "noise"}
    with pytest.raises(ConfigError, match="there is no 'speed'"):
        SMOKE.narrowed((), (), ("speed",), None, None)
