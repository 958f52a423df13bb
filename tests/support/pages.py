"""What is in a page of results, read back without a browser."""

import base64
import json
import re
import sys
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from arena import ROOT, arena, bots
from stores import RANDOM, TRUSTED

import khiva_arena
from khiva_arena.competition.pages.page_source import page_source
from khiva_arena.competition.pages.replays import (
    NOTHING_PRIVATE,
    REPLAYS_MOST,
    Private,
    Wish,
    ids_of_matches,
)
from khiva_arena.competition.pages.write import page_from
from khiva_arena.display.page.box import NO_LIMIT
from khiva_arena.display.page.folder import ReplayFolder

_BLOCK = re.compile(r'<script type="application/base64" id="([a-z0-9-]+)">([^<]*)</script>')
ORDINAL, SEED, ID, BOTS, FAULTS, REPLAY = 1, 2, 5, 6, 10, 13
"""Where these stand in a match, see ``display/page/data.py``."""
STEPPED = """
return Array.from({length: arguments[0]}, () => {
  document.body.dispatchEvent(new KeyboardEvent('keydown',
    {key: 'ArrowRight', bubbles: true, cancelable: true}));
  return document.querySelector('.where').textContent;
});
"""
"""Press the key so many times, and return where that led each time."""


def blocks(file: Path) -> dict[str, Any]:
    """All that a page holds, by the name of its block: "data", "replay-0", ..."""
    return {
        name: json.loads(zlib.decompress(base64.b64decode(data)))
        for name, data in _BLOCK.findall(file.read_text())
    }


def text(file: Path) -> str:
    """The page with all its blocks unpacked, to be searched for words."""
    return file.read_text() + json.dumps(blocks(file), ensure_ascii=False)


def films(file: Path) -> int:
    """How many replays are in it."""
    return sum(len(block["knows"]) for name, block in blocks(file).items() if name != "data")


BOT = """#!{python}
import sys
sys.stderr.write("WHISPER of {name}\\n")
sys.argv[1:] = {faults}
"""


def whispering(folder: Path, name: str, *faults: str) -> Path:
    """A bot in a folder that is named like nothing else, that says on stderr what
    nobody else does.
    """
    made = folder / f"lair-of-{name}"
    made.mkdir()
    program = made / "program"
    head = BOT.format(python=sys.executable, name=name, faults=list(faults or ("honest", "0")))
    program.write_text(head + (ROOT / "tests" / "support" / "faulty.py").read_text())
    program.chmod(0o755)
    (made / "bot.toml").write_text(f'name = "{name}"\nrun = "./program"\n')
    return made


def page_of(
    path: Path,
    *,
    title: str = "",
    replays: int = REPLAYS_MOST,
    matches: Sequence[str] = (),
    private: Private = NOTHING_PRIVATE,
    folder: ReplayFolder | None = None,
) -> str:
    """Return the page of all events of a store or a bundle, as ``khiva-arena report``
    makes it.
    """
    with page_source(path, ()) as source:
        only = ids_of_matches(source, matches) if matches else None
        return page_from(
            source, title, Wish(NO_LIMIT if matches else replays, only, private, folder)
        )


def page_with(folder: Path, game: str, *rules: str) -> list[Any]:
    """Play a match by rules into a page, and return its steps."""
    words = [part for rule in rules for part in ("--rule", rule)]
    seats = {"emira": "3", "silk_road": "2"}[game]
    seated = [
        "--game",
        game,
        *bots(RANDOM),
        "--copies",
        seats,
        "--seats",
        seats,
        "--seeds",
        "1",
        *TRUSTED,
    ]
    arena("run", *seated, *words, "--out", "out", cwd=folder)
    arena("report", "out", "--out", "page.html", cwd=folder)
    return next(iter(khiva_arena.matches(folder / "out"))).replay()
