"""Estimates count the work that will be done."""

from pathlib import Path

import pytest

from ncs.agent.methods import RandomMethod
from ncs.registry import World, paper_worlds, register
from ncs.reproduction.artefacts import Artefacts
from ncs.reproduction.costs import cost_of, describe, episodes_of, seconds_of
from ncs.reproduction.scales import Scale, ScaleName
from ncs.reproduction.studies import requests_of


def nothing_given(*_: str) -> bool:
    """Nothing is given."""
    return False


@pytest.mark.parametrize("name", ["smoke", "laptop", "paper"])
def test_episodes_are_counted_as_they_are_asked_for(
    name: ScaleName, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ncs.reproduction.graphs import graph_plans

    monkeypatch.setattr(
        "ncs.reproduction.studies.method_of", lambda name, *_, **__: RandomMethod(name=name)
    )
    scale, world = Scale.named(name), "block-rearrange"
    plans = graph_plans(scale, world, {"best": 7, "paper": 5})
    graphs = {name: Path(name) for name in plans}
    dslate = Path("d") if world in scale.dslate else None
    asked: dict[str, int] = {}
    for request in requests_of(scale, [Artefacts(world, None, Path("m"), dslate, graphs=graphs)]):
        rules = request.rules
        cells = len(rules.goals) * len(rules.objects) * rules.seeds * rules.episodes
        name = request.label if "dSLATE" in request.label else request.method.name
        asked[name] = asked.get(name, 0) + cells
    assert episodes_of(scale, world) == asked


def test_larger_scales_take_longer_and_more_workers_less() -> None:
    names: tuple[ScaleName, ...] = ("smoke", "laptop", "paper")
    totals = [sum(seconds_of(Scale.named(n), 2, nothing_given).values()) for n in names]
    assert totals == sorted(totals)
    laptop = Scale.named("laptop")
    assert sum(seconds_of(laptop, 4, nothing_given).values()) < totals[1]


def test_what_is_given_need_not_be_trained() -> None:
    laptop = Scale.named("laptop")

    def training(*given: tuple[str, str]) -> float:
        return seconds_of(laptop, 2, lambda *what: what in given)["training"]

    assert training(("block-rearrange", "dslate")) < training()
    assert training(("robogym-rearrange", "iql")) < training()
    assert seconds_of(laptop, 2, lambda *_: True)["training"] == 0


def test_every_method_has_a_cost() -> None:
    counted = episodes_of(Scale.named("laptop"), "block-rearrange")
    assert all(cost_of("block-rearrange", "episode", name) > 0 for name in counted)


def test_a_world_that_says_nothing_of_costs_is_taken_for_the_dearest_of_the_papers() -> None:
    register("world", "silent", World(name="silent", make=dict))
    dear = max(cost_of(world, "look", "fast") for world in paper_worlds())
    assert cost_of("silent", "look", "fast") == dear


def test_an_estimate_is_one_line_for_people() -> None:
    line = describe(Scale.named("laptop"), 2, nothing_given)
    assert line.startswith("scale laptop: about ")
    assert "judging" in line
    assert "\n" not in line
