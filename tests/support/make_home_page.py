"""make schema: the generated part of docs/index.md, the list of all pages, out of
docs/pages.toml. A change shows in its diff.
"""

import os
import runpy
import tomllib
from pathlib import Path

from generated_parts import write

ROOT = Path(__file__).parents[2]
TABLE, PAGE = ROOT / "docs" / "pages.toml", ROOT / "docs" / "index.md"
KINDS = {
    kind: words
    for kind, words in runpy.run_path(str(ROOT / "docs" / "side_bar.py"))["KINDS"].items()
    if kind != "protocol"
}
"""The heading of each kind, in the order of the list. The page tells of the protocol
and the games in a part of its own.
"""


def pages() -> str:
    """Return the list: the pages of each kind below its heading, each with what it is
    for. The home page itself is left out.
    """
    rows = [
        row
        for row in tomllib.loads(TABLE.read_text("utf-8")).values()
        if ROOT / row["file"] != PAGE
    ]
    parts = []
    for kind, heading in KINDS.items():
        lines = [
            f"- [{row['title']}]({_link(row['file'])}): {row['about']}"
            for row in rows
            if row["kind"] == kind
        ]
        parts.append("\n".join([f"### {heading}", "", *lines]))
    return "\n\n".join(parts)


def parts() -> dict[str, str]:
    """Return the list by the name in its marks."""
    return {"pages": pages()}


def _link(file: str) -> str:
    return Path(os.path.relpath(ROOT / file, PAGE.parent)).as_posix()


if __name__ == "__main__":
    write(PAGE, parts())
