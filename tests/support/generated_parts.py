"""Pages with parts that a program makes, each between two marks: ``<!-- generated: NAME
-->`` and ``<!-- end of NAME -->``.
"""

import sys
from collections.abc import Mapping
from pathlib import Path


def with_parts(text: str, parts: Mapping[str, str]) -> str:
    """Return a page with its generated parts, by the name in their marks. Raises
    ValueError if it lacks the marks of one.
    """
    for name, part in parts.items():
        begin, end = f"<!-- generated: {name} -->", f"<!-- end of {name} -->"
        start, stop = text.index(begin) + len(begin), text.index(end)
        text = f"{text[:start]}\n\n{part}\n\n{text[stop:]}"
    return text


def write(page: Path, parts: Mapping[str, str]) -> None:
    """Write a page with its generated parts, if the command line says ``--write``."""
    if "--write" not in sys.argv:
        sys.exit("nothing is written without --write")
    page.write_text(with_parts(page.read_text("utf-8"), parts), "utf-8")
