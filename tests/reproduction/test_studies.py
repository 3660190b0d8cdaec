"""What is judged: every method on every cell, and each ablation."""

from pathlib import Path
from typing import Any

import pytest

from ncs.agent.methods import METHODS, RandomMethod
from ncs.evaluation.grid import pieces
from ncs.evaluation.method import Method
from ncs.records import ConfigError
from ncs.reproduction.artefacts import Artefacts
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
MADE = Artefacts("block-rearrange", model=Path("model"))


class Asked(RandomMethod):
    """What was asked of a method."""

    asked: dict[str, str]


@pytest.fixture(autouse=True)
def _no_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """Methods without their files: what is asked of them is looked at, not what they do."""

    def named(name: str, _: Artefacts, **asked: Any) -> Method:
        plain = {key: str(value) for key, value in asked.items()}
        return Asked(name=name, asked=plain)

    monkeypatch.setattr("ncs.reproduction.studies.method_of", named)


def made() -> Artefacts:
    from ncs.reproduction.graphs import graph_plans

    plans = graph_plans(SMOKE, MADE.world, {"best": 7, "paper": 5})
    return Artefacts(MADE.world, model=MADE.model, graphs={name: Path(name) for name in plans})


def test_all_methods_of_the_registry_are_in_the_table() -> None:
    requests = table(SMOKE, made())
    assert {request.method.name for request in requests} == set(METHODS)
    assert {r.label for r in requests if r.method.name == "ncs"} == set(LABELS.values())


def test_the_table_has_every_cell_of_the_paper() -> None:
    rules = table(Scale.named("paper"), made())[0].rules
    assert (rules.objects, rules.goals) == ((4, 5, 6, 7), ("complete", "partial"))
    assert (rules.seeds, rules.episodes, rules.split) == (10, 100, "test")


def test_planning_plays_fewer_episodes_on_a_laptop() -> None:
    rules = {r.label: r.rules for r in table(Scale.named("laptop"), made())}
    assert rules["mpc"].seeds * rules["mpc"].episodes == 50
    assert rules["ncs"].seeds * rules["ncs"].episodes == 1000


def test_every_ablation_is_there_with_every_value() -> None:
    requests = requests_of(SMOKE, [made()])
    found = {(r.study, r.value) for r in requests}
    assert {study for study, _ in found} == {"table", *STUDIES}
    assert {v for s, v in found if s == "clusters"} == {"16", "50"}
    assert {v for s, v in found if s == "slots"} == {"3", "5", "10"}
    assert {v for s, v in found if s == "choice"} == {"sample", "argmax"}
    assert {v for s, v in found if s == "representation"} == {"alpha", "state"}


def test_no_two_lines_of_a_study_are_the_same_work(tmp_path: Path) -> None:
    for study in ABLATIONS:
        requests = [r for r in requests_of(SMOKE, [made()]) if r.study == study]
        keys = [(r.method.name, r.key) for r in requests]
        assert len(set(keys)) == len(keys), study
        assert pieces(requests, tmp_path)


def test_stress_is_for_ours_and_the_papers_rivals() -> None:
    for study, rule, values in ((horizon, "cap_factor", {1, 8}), (noise, "noise", {0.0, 1.0})):
        requests = study(SMOKE, made())
        assert {r.method.name for r in requests} == {"ncs", "random", "nf", "mpc"}
        assert {getattr(r.rules, rule) for r in requests} == values


def test_the_choice_reaches_the_method() -> None:
    assert {r.method.asked["choice"] for r in choice(SMOKE, made())} == {"sample", "argmax"}


def test_ablations_stay_off_the_test_tasks() -> None:
    for name in ("laptop", "paper"):
        scale = Scale.named(name)  # type: ignore[arg-type]
        assert scale.study_split == "dev"
        assert scale.split == "test"


def test_a_smoke_test_looks_at_no_test_task() -> None:
    assert {r.rules.split for r in requests_of(SMOKE, [made()])} == {"dev"}


def test_less_can_be_asked_for() -> None:
    small = SMOKE.narrowed(("block-rearrange",), ("random",), ("noise",), 1, 3)
    assert methods_of(small) == ["random"]
    assert (small.seeds, small.study_seeds, small.slow_episodes) == (1, 1, 3)
    assert {r.study for r in requests_of(small, [Artefacts("block-rearrange")])} == {
        "table",
        "noise",
    }
    with pytest.raises(ConfigError, match="there is no 'speed'"):
        SMOKE.narrowed((), (), ("speed",), None, None)
