"""Sections of a report: each module here takes the lines of all studies and gives sections.

A new figure is one new file with two names: ``ORDER``, its place in the report, and
``sections(points)``, which gives nothing where the results it needs are not there.
"""

import importlib
import pkgutil
from collections.abc import Mapping, Sequence
from typing import Any

import ncs.analysis.sections
from ncs.analysis.document import Section, Words
from ncs.analysis.formatter import Grid
from ncs.analysis.points import Point


def result_sections(points: Sequence[Point]) -> list[Section]:
    """The sections of all modules of this folder, in their order."""
    names = [found.name for found in pkgutil.iter_modules(ncs.analysis.sections.__path__)]
    modules = [importlib.import_module(f"ncs.analysis.sections.{name}") for name in names]
    modules.sort(key=lambda module: (module.ORDER, module.__name__))
    return [section for module in modules for section in module.sections(points)]


def facts_section(facts: Mapping[str, Any]) -> Section:
    """What was run: settings and hashes, so that every number can be traced."""
    rows = [(str(name), str(value)) for name, value in facts.items()]
    words = Words(
        "Every number of this report comes from one run of 'ncs reproduce'; the rows behind them "
        "stand in results/, with the hash of each task, setting and checkpoint."
    )
    grid = Grid("settings", (("name", "value"), *rows))
    return Section("run", "What was run", (words, grid), folded=True)
