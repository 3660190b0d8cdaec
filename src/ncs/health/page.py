"""Takes slot health reports and pictures, gives one page that needs nothing else."""

import base64
import html
import math
from collections.abc import Mapping, Sequence

from ncs.health.guides import GUIDES
from ncs.health.report import Report

STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 60em; color: #222 }
table { border-collapse: collapse; width: 100% } td, th { padding: .35em .6em; text-align: left;
vertical-align: top; border-bottom: 1px solid #ddd } td.number { text-align: right;
font-variant-numeric: tabular-nums } .ill { background: #fdebe0 } .small { color: #555 }
img { image-rendering: pixelated; max-width: 100% }
"""


def health_page(title: str, reports: Sequence[Report], sheets: Mapping[str, bytes]) -> str:
    """HTML with a table for each report and the given PNG pictures inside it."""
    parts = [_table(report) for report in reports]
    for caption, png in sheets.items():
        data = base64.b64encode(png).decode()
        caption = html.escape(caption)
        parts.append(f"<h2>{caption}</h2>")
        parts.append(f'<img alt="{caption}" src="data:image/png;base64,{data}">')
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{html.escape(title)}</title>'
        f"<style>{STYLE}</style><h1>{html.escape(title)}</h1>{''.join(parts)}</html>\n"
    )


def _table(report: Report) -> str:
    rows = []
    for name, value in report.figures.items():
        guide = GUIDES[name]
        sign = "at least" if guide.higher else "at most"
        ill = not report.healthy(name)
        advice = f'<div class="small">{guide.bad} <b>Try:</b> {guide.remedy}</div>'
        shown = "none" if math.isnan(value) else f"{value:.3f}"
        rows.append(
            f"<tr{' class=ill' if ill else ''}><td>{guide.title}{advice}</td>"
            f'<td class="number">{shown}</td><td>{sign} {guide.good:g}</td></tr>'
        )
    slots = "".join(
        f'<tr><td>slot {k + 1}</td><td class="number">{share:.3f}</td>'
        f'<td class="number">{entropy:.3f}</td></tr>'
        for k, (share, entropy) in enumerate(zip(report.share, report.entropy, strict=True))
    )
    return (
        f"<h2>{report.title}</h2>"
        f"<table><tr><th>figure</th><th>value</th><th>good</th></tr>{''.join(rows)}</table>"
        f"<h3>Slot by slot</h3><table><tr><th></th><th>share of the image</th>"
        f"<th>spread of its mask (0 one cell, 1 all cells)</th></tr>{slots}</table>"
    )
