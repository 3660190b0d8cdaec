"""Takes slot health reports and pictures, gives one page that needs nothing else."""

import base64
import html
import math
from collections.abc import Mapping, Sequence

from ncs.health.guides import GUIDES
from ncs.health.report import Report

STYLE = """
:root { color-scheme: light dark; --ink: #222; --paper: #fff; --faint: #555; --line: #ddd;
--ill: #fdebe0 } @media (prefers-color-scheme: dark) { :root { --ink: #e9e7e3; --paper: #15181c;
--faint: #a3a9b3; --line: #363c45; --ill: #3d2a1d } }
body { font: 15px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 76em; padding: 0 1em;
color: var(--ink); background: var(--paper) } .verdict { font-size: 1.1em }
table { border-collapse: collapse; width: 100% } td, th { padding: .35em .6em; text-align: left;
vertical-align: top; border-bottom: 1px solid var(--line) } td.number { text-align: right;
font-variant-numeric: tabular-nums } .ill { background: var(--ill) } .small { color: var(--faint) }
summary { cursor: pointer; font-weight: 600; padding: .4em 0 }
img { image-rendering: pixelated; max-width: 100% }
"""
NEARLY, SHORT = 0.1, 0.4  # off what is wanted, as a share of it


def health_page(title: str, reports: Sequence[Report], sheets: Mapping[str, bytes]) -> str:
    """HTML that says how well a model sees, then why, then shows the given PNG pictures."""
    parts = [_section(report) for report in reports]
    for caption, png in sheets.items():
        data = base64.b64encode(png).decode()
        caption = html.escape(caption)
        parts.append(f"<h2>{caption}</h2>")
        parts.append(f'<img alt="{caption}" src="data:image/png;base64,{data}">')
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{html.escape(title)}</title>'
        f"<style>{STYLE}</style><h1>{html.escape(title)}</h1>{''.join(parts)}</html>\n"
    )


def verdict(report: Report) -> str:
    """How well a model sees, in a sentence or two."""
    total, poor = len(report.figures), report.ailing
    if not poor:
        return f"It sees well: all {total} figures are as they should be."
    how = "It does not see well" if 3 * len(poor) > total else "It sees well but for some things"
    first = GUIDES[poor[0]]
    return (
        f"{how}: {total - len(poor)} of {total} figures are as they should be. First: "
        f"{first.title[:1].lower()}{first.title[1:]}. {first.remedy}"
    )


def grade(report: Report, name: str) -> str:
    """How a figure stands to what is wanted, in a word or two."""
    value, good = report.figures[name], GUIDES[name].good
    if math.isnan(value):
        return "unknown"
    if report.healthy(name):
        return "good"
    off = abs(value - good) / good
    return "nearly good" if off < NEARLY else "short" if off < SHORT else "poor"


def _section(report: Report) -> str:
    ailing = "".join(_row(report, name) for name in report.ailing)
    healthy = "".join(_row(report, name) for name in report.figures if report.healthy(name))
    slots = "".join(
        f'<tr><td>slot {k + 1}</td><td class="number">{share:.3f}</td>'
        f'<td class="number">{entropy:.3f}</td></tr>'
        for k, (share, entropy) in enumerate(zip(report.share, report.entropy, strict=True))
    )
    head = "<tr><th>figure</th><th>value</th><th>wanted</th><th></th></tr>"
    attention = f"<table>{head}{ailing}</table>" if ailing else ""
    return (
        f'<h2>{report.title}</h2><p class="verdict">{verdict(report)}</p>{attention}'
        f"<details><summary>What is as it should be</summary><table>{head}{healthy}</table>"
        "</details><details><summary>Slot by slot</summary><table><tr><th></th><th>share of the "
        "image</th><th>spread of its mask (0 one cell, 1 all cells)</th></tr>"
        f"{slots}</table></details>"
    )


def _row(report: Report, name: str) -> str:
    guide, value = GUIDES[name], report.figures[name]
    sign = "at least" if guide.higher else "at most"
    ill = not report.healthy(name)
    advice = f'<div class="small">{guide.bad} <b>Try:</b> {guide.remedy}</div>' if ill else ""
    shown = "none" if math.isnan(value) else f"{value:.3f}"
    return (
        f"<tr{' class=ill' if ill else ''}><td>{guide.title}{advice}</td>"
        f'<td class="number">{shown}</td><td>{sign} {guide.good:g}</td>'
        f"<td>{grade(report, name)}</td></tr>"
    )
