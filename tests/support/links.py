"""Links of Markdown pages: to files, and to headings as GitHub names them."""

import re
from functools import cache
from pathlib import Path

_FENCE = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^()\s]+)\)")


@cache
def anchors(page: Path) -> frozenset[str]:
    """Return the words by which a link names a heading or a target of a page. Equal
    headings are counted: ``use``, ``use-1``.
    """
    text = _FENCE.sub("", page.read_text("utf-8"))
    found: list[str] = []
    for heading in re.findall(r"^#+ (.*?) *$", text, re.MULTILINE):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)  # a heading that is a link
        name = re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-")
        again = sum(re.fullmatch(rf"{re.escape(name)}(-\d+)?", one) is not None for one in found)
        found.append(f"{name}-{again}" if again else name)
    return frozenset(found) | set(re.findall(r"^\((\w+)\)=$", text, re.MULTILINE))


def links(page: Path) -> list[str]:
    """Return the links of a page that stay on the machine, as ``../a.md#heading``."""
    found = _LINK.findall(_FENCE.sub("", page.read_text("utf-8")))
    return [link for link in found if not re.match(r"[a-z]+:", link)]


def dead_links(page: Path, root: Path) -> list[str]:
    """Return the links of a page that lead out of ``root``, to no file, or to no
    heading of it.
    """
    dead = []
    for link in links(page):
        target, _, heading = link.partition("#")
        file = (page.parent / target).resolve() if target else page
        there = file.exists() and file.is_relative_to(root)
        if not there or (heading and file.suffix == ".md" and heading not in anchors(file)):
            dead.append(link)
    return dead
