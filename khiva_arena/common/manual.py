"""The files that come with the arena, and the pages of its manual by their keys in docs/pages.toml, for messages and help."""

import re
from functools import cache
from pathlib import Path

import khiva_arena
from khiva_arena.common.address import ADDRESS


def folder(name: str) -> Path:
    """Return the shipped folder "bots", "protocol" or "docs": beside the package in a checkout, inside it in a wheel."""
    package = Path(khiva_arena.__file__).parent
    inside = package / "_shipped" / name
    return inside if inside.is_dir() else package.parent / name


@cache
def files() -> dict[str, str]:
    """Return the file of each page by its key, as a path from the top of the checkout."""
    import tomllib  # not above: help does without it

    table = tomllib.loads((folder("docs") / "pages.toml").read_text(encoding="utf-8"))
    return {key: row["file"] for key, row in table.items()}


def where(key: str, heading: str = "") -> str:
    """Return where a user reads a page: its address, or the path of the file on this machine while the project has no address.

    key: of the page, as in docs/pages.toml; a page of docs/ has its name as its key.
    heading: the words of a heading of the page; "" for the whole page.
    """
    file = f"docs/{key}.md"
    if not (folder("docs") / f"{key}.md").exists():
        file = files()[key]
    if ADDRESS.site:
        return f"{ADDRESS.site}/{file.removesuffix('.md')}.html" + (f"#{anchor(heading)}" if heading else "")
    path = str(folder("docs").parent / file)
    return f'{path}, "{heading}"' if heading else path


def anchor(heading: str) -> str:
    """Return how a link names a heading, as GitHub and the site do."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
