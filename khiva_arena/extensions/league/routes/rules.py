"""The rules of the games that come with the arena, as a page: their RULES.md, of whose
marks those are known that stand there.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from importlib.resources import files
from itertools import groupby

from khiva_arena.extensions.league.routes.markup import Markup, joined, table, tag

_INLINE = re.compile(r"`([^`]+)`|\*\*([^*]+)\*\*|\*([^*\s][^*]*)\*")
_NUMBERED = re.compile(r"\d+\. ")
_MARKS = ("code", "strong", "em")


def _texts() -> dict[str, str]:
    pages = {game.name: game / "RULES.md" for game in files("khiva_arena.games").iterdir()}
    return {name: page.read_text("utf-8") for name, page in pages.items() if page.is_file()}


TEXTS: Mapping[str, str] = _texts()
"""The rules by game. They are read before the server confines itself."""


def rendered(text: str) -> Markup:
    """Return rules as HTML, without their title."""
    parts: list[Markup] = []
    heading, tables = "Rules", Counter[str]()
    for kind, lines in groupby(text.splitlines(), _kind):
        if kind == "heading":
            for line in lines:
                level, _, heading = line.partition(" ")
                parts += [tag(f"h{len(level)}", inline(heading))] if len(level) > 1 else []
        elif kind == "table":
            head, _, *rows = [
                [inline(cell.strip()) for cell in line.strip("|").split("|")] for line in lines
            ]
            tables[heading] += 1
            caption = heading if tables[heading] == 1 else f"{heading}, {tables[heading]}"
            parts.append(table(caption, head, rows, left=len(head)))
        elif kind == "list":
            parts.append(tag("ol", *(tag("li", inline(item)) for item in _items(lines))))
        elif kind == "text":
            parts.append(tag("p", inline(" ".join(lines))))
    return joined(*parts)


def _kind(line: str) -> str:
    if line.startswith("|"):
        return "table"
    if line.startswith("#"):
        return "heading"
    return (
        "list"
        if _NUMBERED.match(line) or line.startswith("   ")
        else "text"
        if line.strip()
        else ""
    )


def _items(lines: Iterator[str]) -> list[str]:
    """Return the items of a numbered list, whose further lines are indented."""
    items: list[str] = []
    for line in lines:
        if begin := _NUMBERED.match(line):
            items.append(line[begin.end() :])
        else:
            items[-1:] = [f"{' '.join(items[-1:])} {line.strip()}"]
    return items


def inline(text: str) -> Markup:
    """Return a line with its code and its emphasis as HTML."""
    parts: list[str] = []
    end = 0
    for match in _INLINE.finditer(text):
        kind = next(at for at, group in enumerate(match.groups()) if group)
        parts += [text[end : match.start()], tag(_MARKS[kind], match[kind + 1])]
        end = match.end()
    return joined(*parts, text[end:])
