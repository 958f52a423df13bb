"""The pages of the manual by their keys in docs/pages.toml, for messages and help that
send a reader to one.
"""

import re
from functools import cache

from khiva_arena.common.address import ADDRESS
from khiva_arena.common.shipped import folder


@cache
def files() -> dict[str, str]:
    """Return the file of each page by its key, as a path from the top of the
    checkout.
    """
    import tomllib  # not above: help does without it

    table = tomllib.loads((folder("docs") / "pages.toml").read_text(encoding="utf-8"))
    return {key: row["file"] for key, row in table.items()}


def where(key: str, heading: str = "") -> str:
    """Return where a user reads a page: its address, or the path of the file on this
    machine while the project has no address.

    key: of the page, as in docs/pages.toml; a page of docs/ has its name as its key.
    heading: the words of a heading of the page; "" for the whole page.
    """
    file = f"docs/{key}.md"
    if not (folder("docs") / f"{key}.md").exists():
        file = files()[key]
    if ADDRESS.site:
        return f"{ADDRESS.site}/{file.removesuffix('.md')}.html" + (
            f"#{anchor(heading)}" if heading else ""
        )
    path = str(folder("docs").parent / file)
    return f'{path}, "{heading}"' if heading else path


def anchor(heading: str) -> str:
    """Return how a link names a heading, as GitHub and the site do."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
