"""Names of files that no archive can hold, and bots with such files."""

import os
from collections.abc import Mapping
from pathlib import Path

from wording import sentence

NO_TEXT = {
    b"bad\xff.txt": "bad\\xff.txt",
    b"\xed\xa0\x80": "\\xed\\xa0\\x80",  # half of a pair, which other systems write
    b"lib\xff/a.txt": "lib\\xff/a.txt",
    b"\xe4.txt": "\\xe4.txt",  # of an older encoding
    b"\x1b[2J\xff": "\\x1b[2J\\xff",
}
LONG = f"{'a' * 99}/{'b' * 99}/c.txt"
SHOWN = LONG[:100]
ODD: Mapping[bytes, str] = {
    **{name: sentence("entrants", "name-no-utf-8", name=shown) for name, shown in NO_TEXT.items()},
    b"a\nb\x1b[2J": sentence("entrants", "name-of-signs", name=ascii("a\nb\x1b[2J")),
    "\u202enna".encode(): sentence("entrants", "name-of-signs", name=ascii("\u202enna")),
    b"a" * 101: sentence("entrants", "name-too-long", name=ascii("a" * 101)[:100], most=100),
    LONG.encode(): sentence("entrants", "path-too-long", name=SHOWN, size=len(LONG), most=200),
}


def folder(place: Path, toml: str, *names: bytes, **files: str) -> Path:
    """Write a bot with files of these names into a folder."""
    place.mkdir()
    (place / "bot.toml").write_text(f'name = "{place.name}"\n{toml}\n')
    (place / "main.js").write_text("")
    for name, text in files.items():
        (place / f"{name}.sh").write_text(text)
    for name in names:
        path = os.path.join(os.fsencode(place), name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb"):
            pass
    return place
