"""The contents of the site: the pages of docs/pages.toml by kind, then the kits, the
protocol with the games, and the project.
"""

import tomllib
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
KINDS = {
    "start": "Start",
    "tutorials": "Tutorials",
    "authors": "For authors of bots",
    "organisers": "For organisers",
    "researchers": "For researchers",
    "reference": "Reference",
    "explanation": "Explanation",
    "protocol": "The protocol and the games",
}
"""The headings of the side bar by kind, in their order."""
MORE = {
    "protocol": (
        "protocol/METER.md",
        "protocol/verifier/README.md",
        "protocol/CHANGES.md",
        "protocol/games/*.md",
        "khiva_arena/games/*/RULES.md",
        "bots/rules/khiva.md",
        "bots/rules/emira.md",
        "bots/rules/silk_road.md",
    ),
    "kits": ("bots/*/README.md",),
    "project": ("CHANGELOG.md", "CONTRIBUTING.md", "interpreters/README.md", "results/README.md"),
}
"""Pages that the table does not name one by one, by kind."""
OTHER_KINDS = {"kits": "The kits", "project": "The project"}


class Entry(NamedTuple):
    """A page in the side bar.

    file: its path from the top of the checkout.
    title: its words there; "" for the heading of the page.
    about: what a reader finds there; "" if nothing is written down.
    """

    file: str
    title: str
    about: str


def entries() -> dict[str, list[Entry]]:
    """Return the pages under each heading of the side bar, each page once."""
    rows = tomllib.loads((ROOT / "docs" / "pages.toml").read_text("utf-8"))
    found = {
        kind: [
            Entry(row["file"], row["title"], row["about"])
            for row in rows.values()
            if row["kind"] == kind
        ]
        for kind in KINDS
    }
    named = {entry.file for some in found.values() for entry in some}
    for kind, patterns in MORE.items():
        paths = [
            path.relative_to(ROOT) for pattern in patterns for path in sorted(ROOT.glob(pattern))
        ]
        found.setdefault(kind, []).extend(
            Entry(str(path), "", "") for path in paths if str(path) not in named
        )
    return found


def toctrees(root: str) -> str:
    """Return the contents as Sphinx reads them, for the page ``root``, which they leave
    out.
    """
    blocks = []
    for kind, some in entries().items():
        lines = []
        for file, title, _ in some:
            document = f"/{file.removesuffix('.md')}"
            lines += [f"{title} <{document}>" if title else document] * (document != f"/{root}")
        blocks.append(
            "\n".join(
                [
                    "",
                    "```{toctree}",
                    ":hidden:",
                    f":caption: {(KINDS | OTHER_KINDS)[kind]}",
                    "",
                    *lines,
                    "```",
                    "",
                ]
            )
        )
    return "\n".join(blocks)


def about(file: str) -> str:
    """Return a sentence on a page for search engines, "" if the table does not name the
    page.
    """
    words = next(
        (entry.about for some in entries().values() for entry in some if entry.file == file), ""
    )
    return f"Khiva Arena, a tool for bot competitions. Read here to {words}." if words else ""
