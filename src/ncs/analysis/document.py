"""Takes sections of words, tables and pictures, gives one HTML page or Markdown."""

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from importlib import resources

from ncs.analysis.formatter import Grid, grid_html, grid_markdown


@dataclass(frozen=True)
class Words:
    """A paragraph."""

    text: str


@dataclass(frozen=True)
class Image:
    """A picture with a caption that says what was run."""

    name: str  # file name, without folder
    png: bytes
    caption: str


Block = Words | Grid | Image


@dataclass(frozen=True)
class Section:
    """A part of a report."""

    name: str  # a word for links
    title: str
    blocks: tuple[Block, ...]
    folded: bool = False  # on a page: shown when it is asked for


def as_html(title: str, sections: Sequence[Section]) -> str:
    """The report as a page with its pictures inside; it asks nothing of any server."""
    style = (resources.files("ncs.analysis") / "report.css").read_text()
    links = "".join(f'<a href="#{escape(s.name)}">{escape(s.title)}</a>' for s in sections)
    body = "\n".join(_section_html(section) for section in sections)
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n"
        f"<h1>{escape(title)}</h1>\n<nav>{links}</nav>\n{body}\n</body>\n</html>\n"
    )


def _section_html(section: Section) -> str:
    blocks = "\n".join(_block_html(block) for block in section.blocks)
    name, title = escape(section.name), escape(section.title)
    if section.folded:
        body = f"<details>\n<summary><h2>{title}</h2></summary>\n{blocks}\n</details>"
    else:
        body = f"<h2>{title}</h2>\n{blocks}"
    return f'<section id="{name}">\n{body}\n</section>'


def _block_html(block: Block) -> str:
    if isinstance(block, Words):
        return f"<p>{escape(block.text)}</p>"
    if isinstance(block, Image):
        data = base64.b64encode(block.png).decode()
        caption = escape(block.caption)
        return (
            f'<figure><img alt="{caption}" src="data:image/png;base64,{data}">'
            f"<figcaption>{caption}</figcaption></figure>"
        )
    return grid_html(block)


def as_markdown(title: str, sections: Sequence[Section], folder: str) -> str:
    """The report in Markdown, with its pictures in a folder beside it."""
    parts = [f"# {title}"]
    for section in sections:
        parts.append(f"## {section.title}")
        parts += [_block_markdown(block, folder) for block in section.blocks]
    return "\n\n".join(parts) + "\n"


def _block_markdown(block: Block, folder: str) -> str:
    if isinstance(block, Words):
        return block.text
    if isinstance(block, Image):
        return f"![{block.caption}]({folder}/{block.name})\n\n*{block.caption}*"
    return grid_markdown(block)


def pictures(sections: Sequence[Section]) -> list[Image]:
    """Every picture of a report."""
    return [block for s in sections for block in s.blocks if isinstance(block, Image)]
