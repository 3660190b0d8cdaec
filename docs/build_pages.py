"""Joins to the site what stands elsewhere in the repository; MkDocs calls it (see mkdocs.yml).

Model cards, the changelog and the pages of the API have one source each: the cards' folder, the
changelog, and the docstrings. Links of the documents lead where they lead in the repository; here
they are turned to where the same thing stands on the site.
"""

import ast
import json
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files, InclusionLevel

HOME = Path(__file__).resolve().parents[1]
ROOMS = HOME / "src" / "ncs"
LINK = re.compile(r"\]\((?!https?:|#)(?P<path>[^)#\s]+)(?P<anchor>#[^)]*)?\)")
# What is written outside docs/, by where it stands on the site; all else that is linked to is
# copied under files/.
ELSEWHERE = {
    "changelog.md": HOME / "CHANGELOG.md",
    "contributing.md": HOME / "CONTRIBUTING.md",
    **{f"cards/{card.name}": card for card in sorted((HOME / "model_cards").glob("*.md"))},
}
FIRST = ("train", "slot_health", "graph", "solve", "own_pictures", "own_world", "own_model")
ALONE = ("index", "install", "ten_minutes", "how_to", "paper", "design", "cite")
TABLES = ("results", "leaderboard")


def on_config(config: Any) -> Any:
    """The settings with every folder of the navigation as the list of its pages."""
    docs = HOME / "docs"
    pages = (path for path in (docs / "tutorials").iterdir() if path.suffix in (".md", ".ipynb"))
    tutorials = sorted(pages, key=lambda path: (place(path), path.name))
    others = sorted(path.stem for path in docs.glob("*.md") if path.stem not in (*ALONE, *TABLES))
    folders = {
        "tutorials/": [f"tutorials/{path.stem}.md" for path in tutorials],
        "results/": [f"{name}.md" for name in (*TABLES, *others)],
        "cards/": [name for name in ELSEWHERE if name.startswith("cards/")],
        "api/": [f"api/{name}.md" for name in api_pages()],
    }
    config["nav"] = [{k: folders.get(v, v) for k, v in entry.items()} for entry in config["nav"]]
    return config


def place(tutorial: Path) -> int:
    """Where a tutorial stands in the list."""
    return FIRST.index(tutorial.stem) if tutorial.stem in FIRST else len(FIRST)


def on_files(files: Files, config: Any) -> Files:
    """The site's files: those of docs/, and those made here."""
    for name, path in ELSEWHERE.items():
        files.append(File.generated(config, name, content=path.read_text("utf-8")))
    for path in sorted((HOME / "docs" / "tutorials").glob("*.ipynb")):
        name = f"tutorials/{path.stem}.md"
        files.append(File.generated(config, name, content=page_of_notebook(path)))
    for name, page in api_pages().items():
        files.append(File.generated(config, f"api/{name}.md", content=page))
    linked = {target for file in files if file.src_uri.endswith(".md") for target in links(file)}
    for path in sorted(linked):
        if site_path(path).startswith("files/"):
            content = listing_of(path) if path.is_dir() else path.read_bytes()
            how = {"content": content, "inclusion": InclusionLevel.NOT_IN_NAV}
            files.append(File.generated(config, site_path(path), **how))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """A page whose links out of docs/ lead to the same thing on the site."""
    origin, back = origin_of(page.file), "../" * page.file.src_uri.count("/")

    def turned(link: re.Match[str]) -> str:
        target = (origin / link["path"]).resolve()
        if not target.exists():
            return link[0]  # MkDocs' own to follow, or to warn of
        return f"]({back}{site_path(target)}{link['anchor'] or ''})"

    return LINK.sub(turned, markdown)


def origin_of(file: File) -> Path:
    """The folder of the repository in which a page was written."""
    written = ELSEWHERE.get(file.src_uri, HOME / "docs" / file.src_uri)
    return written.parent


def links(file: File) -> list[Path]:
    """Files of the repository outside docs/ that a page links to."""
    found = LINK.finditer(file.content_string)
    targets = [(origin_of(file) / link["path"]).resolve() for link in found]
    return [target for target in targets if target.exists()]


def site_path(target: Path) -> str:
    """Where a file of the repository stands on the site."""
    for name, path in ELSEWHERE.items():
        if path == target:
            return name
    path = target.relative_to(HOME)
    if path.parts[0] == "docs":
        return str(path.relative_to("docs"))
    if target.is_dir():
        return f"files/{path}.md"
    return f"files/{path}.txt" if path.suffix in (".md", ".py") else f"files/{path}"


def listing_of(folder: Path) -> str:
    """A page of the text files in a folder."""
    kinds = (".py", ".md", ".toml", ".json", ".csv")
    parts = [path for path in sorted(folder.rglob("*")) if path.suffix in kinds and path.is_file()]
    shown = [f"## {p.relative_to(folder)}\n\n````\n{p.read_text('utf-8')}\n````" for p in parts]
    return "\n\n".join([f"# {folder.relative_to(HOME)}", *shown])


def api_pages() -> dict[str, str]:
    """A page for each room: what its first lines say, then what every module's docstrings do."""
    own = [path for path in sorted(ROOMS.glob("*.py")) if not path.name.startswith("__")]
    pages = {"ncs": page_of("ncs", ROOMS / "__init__.py", own)}
    for head in sorted(ROOMS.glob("*/__init__.py")):
        modules = [path for path in sorted(head.parent.rglob("*.py")) if path.name[0] != "_"]
        pages[head.parent.name] = page_of(f"ncs.{head.parent.name}", head, modules)
    return pages


def page_of_notebook(path: Path) -> str:
    """A notebook's words and code; what it prints is for those who run it."""
    parts = []
    for cell in json.loads(path.read_text("utf-8"))["cells"]:
        text = "".join(cell["source"])
        parts.append(text if cell["cell_type"] == "markdown" else f"```python\n{text}\n```")
    return "\n\n".join(parts)


def page_of(title: str, head: Path, modules: list[Path]) -> str:
    """A page in MkDocs' own words."""
    said = ast.get_docstring(ast.parse(head.read_text("utf-8"))) or ""
    names = [".".join(path.relative_to(ROOMS.parent).with_suffix("").parts) for path in modules]
    return "\n\n".join([f"# {title}", said, *(f"::: {name}" for name in names)])
