"""Presets, and names of extensions."""

import sys

import numpy as np
import pytest

from ncs.control import ControlConfig
from ncs.control.algorithm import Steps, align, edge, furthest, select
from ncs.control.extensions import EXTENSIONS, RETIRED
from ncs.graph import GraphConfig, build
from ncs.records import ConfigError
from ncs.registry import ALLOWED

CORNER = np.array([[-1.0, -1], [1, -1], [1, 1], [-1, 1]])
TOY = '''
"""Constraints are served in the order of the goal's slots."""

from dataclasses import replace

from ncs.control.algorithm import serve


def extend(steps):
    def select(problem, pairs):
        return serve(problem, pairs, int(pairs.goal.argmin()))

    return replace(steps, select=select)
'''


def test_the_papers_steps_are_the_algorithms_own():
    steps = ControlConfig.paper().steps()
    assert steps == Steps() == Steps(align, select, edge)
    assert ControlConfig(choice="argmax").steps().select is furthest


def test_every_extension_is_off_in_the_paper_preset_and_on_in_the_best():
    assert ControlConfig.paper().extensions == ()
    assert ControlConfig.best().extensions == tuple(EXTENSIONS)


def test_an_extension_that_is_off_is_not_among_the_steps():
    steps = ControlConfig().changed(only=["composed"]).steps()
    assert (steps.align, steps.select) == (align, select)
    assert steps.act is not edge


def test_changes_keep_the_order_in_which_extensions_wrap_each_other():
    best = ControlConfig.best()
    some = [name for name in EXTENSIONS if name != "composed"]
    changed = best.changed(without=["composed"], choice="sample")
    assert changed == ControlConfig(choice="sample", extensions=some)
    assert changed.changed(only=["composed"], choice="argmax") == best
    assert best.changed() == best


@pytest.mark.parametrize("name", ["telepathy", "nowhere.at_all:extend", "ncs.control:nothing"])
def test_an_unknown_extension_is_refused_by_name(name, monkeypatch):
    monkeypatch.setenv(ALLOWED, name)
    with pytest.raises(ConfigError, match=f"extension:? .*{name}'"):
        ControlConfig.best().changed(without=[name])
    with pytest.raises(ConfigError, match=f"extension:? .*{name}'"):
        ControlConfig(extensions=[name])


def test_code_that_nobody_allowed_is_not_imported(monkeypatch):
    monkeypatch.delenv(ALLOWED, raising=False)
    with pytest.raises(ConfigError, match="allow it with --allow 'this:s'"):
        ControlConfig(extensions=["this:s"])
    assert "this" not in sys.modules


@pytest.mark.parametrize("name", EXTENSIONS)
def test_every_extension_works_alone_and_can_be_left_out(sim, name):
    rng = np.random.default_rng(1)
    eyes = sim.Eyes(n_empty=3, place_noise=0.02)
    graph = build(sim.collect(60, eyes, rng), GraphConfig(n_nodes=16), rng)
    for config in (ControlConfig().changed(only=[name]), ControlConfig.best().changed([name])):
        _, decisions = sim.play(sim.Grid.draw(5, "complete", rng), eyes, graph, config, rng)
        assert all(np.isfinite(decision.action).all() for decision in decisions)


def test_an_extension_is_one_file_anywhere(sim, square, scene, tmp_path, monkeypatch):
    (tmp_path / "toy_extension.py").write_text(TOY)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "toy_extension", raising=False)
    monkeypatch.setenv(ALLOWED, "toy_extension:extend")
    config = ControlConfig.best().changed(only=["toy_extension:extend"])
    assert config.extensions[-1] == "toy_extension:extend"
    now, goal = scene(CORNER[[0, 1]]), scene(CORNER[[1, 3]])
    assert sim.answer(square(), now, goal, ControlConfig.best()).choice.goal == 1
    assert sim.answer(square(), now, goal, config).choice.goal == 0


@pytest.mark.parametrize("name", RETIRED)
def test_one_that_left_is_passed_over_in_rows_and_refused_from_a_user(name):
    assert name not in EXTENSIONS
    named = ControlConfig(extensions=(name,))
    assert named.extensions == (name,)  # the hash of a row's settings stays
    assert named.steps() == Steps()
    with pytest.raises(ConfigError, match="there is no extension"):
        ControlConfig().changed(only=[name])
