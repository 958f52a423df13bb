"""Make the pages ready for a wheel: links lead to where a page lies in an installation,
to the site, or become plain words.

The build of a wheel and of the package's description runs this file by itself, so it
imports nothing of the package.
"""

import posixpath
import re
import runpy
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE, SHIPPED = "khiva_arena", "_shipped"
FOLDERS = ("docs", "bots", "protocol")
FILES = ("README.md", "SECURITY.md")
BESIDE = ("docs/pages.toml", "docs/bwrap.apparmor")
"""Files of docs/ that the package reads."""
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)")
_FENCE = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)


def site() -> str:
    """Return the address of the site, "" if the project has none yet."""
    address: str = runpy.run_path(str(ROOT / PACKAGE / "common" / "address.py"))["ADDRESS"].site
    return address


def pages() -> Iterator[str]:
    """Yield the path of every page that a wheel carries, from the top of the
    checkout.
    """
    yield from FILES
    for folder in FOLDERS:
        yield from (
            str(path.relative_to(ROOT))
            for path in sorted((ROOT / folder).rglob("*.md"))
            if "_build" not in path.parts
        )
    yield from (
        str(path.relative_to(ROOT)) for path in sorted((ROOT / PACKAGE).glob("games/*/*.md"))
    )


def place(path: str) -> str:
    """Return where a file of the checkout lies in a wheel, "" if a wheel does not carry
    it.
    """
    top = path.split("/")[0]
    if path.startswith("docs/") and not path.endswith(".md") and path not in BESIDE:
        return ""
    if top in FOLDERS or path in FILES:
        return f"{PACKAGE}/{SHIPPED}/{path}"
    return path if top == PACKAGE else ""


def in_wheel(path: str) -> str:
    """Return the text of a page with links that hold in a wheel."""
    return _with_links(
        path,
        lambda target: (
            place(target) and posixpath.relpath(place(target), posixpath.dirname(place(path)))
        ),
    )


def with_links_among(path: str, pages: Collection[str]) -> str:
    """Return the text of a page with its links to other pages; other links within the
    tree become plain words.
    """
    return _with_links(
        path,
        lambda target: (
            posixpath.relpath(target, posixpath.dirname(path)) if target in pages else ""
        ),
    )


def outside(path: str) -> str:
    """Return the text of a page for readers without the tree, such as of a package
    index: links can lead only to the site.
    """
    return _with_links(path, lambda target: "")


def _with_links(path: str, found: Callable[[str], str]) -> str:
    address = site()

    def link(match: re.Match[str]) -> str:
        picture, words, whole = match.groups()
        target, mark, heading = whole.partition("#")
        if "://" in target or whole.startswith(("#", "mailto:")):
            return match[0]
        aim = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
        if new := found(aim):
            return f"{picture}[{words}]({new}{mark}{heading})"
        if address and not picture and aim.endswith(".md"):
            return f"[{words}]({address}/{aim.removesuffix('.md')}.html{mark}{heading})"
        return words if not picture else f"(A picture: {words})"

    parts = _FENCE.split((ROOT / path).read_text("utf-8"))
    return "".join(part if part.startswith("```") else LINK.sub(link, part) for part in parts)
