"""A report is one page that needs nothing else, and the same in Markdown."""

import re
from html.parser import HTMLParser

from ncs.analysis.document import Grid, Image, Section, Words, as_html, as_markdown, pictures

PICTURE = Image("curve.png", b"\x89PNG not really", 'two seeds < ten & "more"')
SECTIONS = [
    Section("one", "First <part>", (Words("a < b"), Grid("t", (("x", "y"), ("1", "<b>"))))),
    Section("two", "Second", (PICTURE, Grid("p", (("m", "n"), ("NCS (paper)", ".9"))))),
]


def test_a_folded_part_is_shown_when_it_is_asked_for() -> None:
    page = as_html("Title", [Section("run", "What was run", (Words("seeds"),), folded=True)])
    assert "<summary><h2>What was run</h2></summary>\n<p>seeds</p>\n</details>" in page


class Balance(HTMLParser):
    """Counts tags that are open."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.links += [v or "" for n, v in attrs if n in ("src", "href")]
        if tag not in ("meta", "img", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_is_whole_and_asks_nothing_of_any_server() -> None:
    parser = Balance()
    parser.feed(as_html("Title", SECTIONS))
    assert parser.open == []
    assert all(link.startswith(("#", "data:image/png;base64,")) for link in parser.links)
    assert "#one" in parser.links
    assert "#two" in parser.links


def test_words_are_text_and_never_markup() -> None:
    page = as_html("Title", SECTIONS)
    assert "<b>" not in page
    assert "a &lt; b" in page
    assert "First &lt;part&gt;" in page


def test_the_papers_rows_are_marked() -> None:
    assert re.search(r'<tr class="paper"><td>NCS \(paper\)</td>', as_html("T", SECTIONS))


def test_markdown_has_every_number_and_names_every_picture() -> None:
    text = as_markdown("Title", SECTIONS, "figures")
    assert "| 1 | &lt;b> |" in text
    assert "](figures/curve.png)" in text
    assert text.count("## ") == 2


def test_every_picture_is_found() -> None:
    assert pictures(SECTIONS) == [PICTURE]
