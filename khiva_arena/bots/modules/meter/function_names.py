"""The names of functions in a module's section ``name``."""

import re

from . import bounds
from .reader import Bytes, ModuleRefused

_SIGNS = {
    "LT": "<",
    "GT": ">",
    "RF": "&",
    "BP": "*",
    "LP": "(",
    "RP": ")",
    "C": ",",
    "u20": " ",
    "u7b": "{",
    "u7d": "}",
}
"""What stands between two dollars in a name that Rust has mangled, and its meaning."""


def readable(name: str) -> str:
    """Return a function's name for people: of one that Rust has mangled the last parts,
    of others nothing in brackets.
    """
    name = whole = name[:1_000]
    if mangled := re.fullmatch(r"_ZN(.+)17h[0-9a-f]{16}E", name):
        parts, rest = [], mangled[1]
        while size := re.match(r"\d{1,3}", rest):
            end = size.end() + int(size[0])
            parts.append(rest[size.end() : end])
            rest = rest[end:]
        name = "::".join(parts[-2:]).replace("_$", "$").replace("..", "::")
        for mark, sign in _SIGNS.items():
            name = name.replace(f"${mark}$", sign)
    else:
        while name != (name := re.sub(r"<[^<>()]*>|\([^<>()]*\)", "", name)):
            pass
        name = name.replace("::__2", "").removesuffix(" const")
    name = name.strip() or whole
    return name if len(name) <= bounds.NAME else "..." + name[3 - bounds.NAME :]


def names_of(data: bytes, functions: int) -> list[str]:
    """Return the name of each function. The name section may be malformed in any way:
    it only makes messages better.
    """
    names = [""] * functions
    reader = Bytes(data)
    try:
        while reader:
            number, content = reader.byte(), reader.part()
            if number == 1:
                for _ in range(min(content.number(), functions)):
                    index, name = content.number(), content.name()
                    if index < functions and name.isprintable():
                        names[index] = readable(name)
    except ModuleRefused:
        return names
    return names
