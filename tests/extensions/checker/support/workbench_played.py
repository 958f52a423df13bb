"""Matches of the workbench over the arena's own runner, and the same by the command."""

import asyncio
import json
import re
import shlex
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from arena import arena
from javascript import BUILT
from native_page import NativePage

from khiva_arena.entrants.interpreters import FOLDER
from khiva_arena.extensions.checker.workbench.blocks import workbench_blocks
from khiva_arena.extensions.checker.workbench.workbench import Workbench

Event = dict[str, Any]
WISH = {"game": "khiva", "seats": 2, "matches": 2, "seed": "x", "opponent": "greedy"}
SECONDS = 600


@cache
def block(name: str) -> Any:
    """A block of the page, read again."""
    return json.loads(workbench_blocks()[name])


def template(language: str = "python", **others: str) -> dict[str, str]:
    """The files of a new bot; ``others``: in place of these, by their names without an
    end.
    """
    end = {"python": ".py", "javascript": ".js"}[language]
    return block("templates")[language] | {f"{name}{end}": text for name, text in others.items()}


class NoPage:
    """A page that runs nothing."""

    def take(self, digest: str, data: bytes) -> None:
        raise AssertionError("nothing is to be played")


def told(
    home: Path, request: Mapping[str, Any], data: Sequence[bytes] = (), page: Any = None
) -> list[tuple[Event, bytes | None]]:
    """All that the workbench tells of a request, with the bytes that come with it."""
    heard: list[tuple[Event, bytes | None]] = []
    bench = Workbench(
        page or NoPage(),
        lambda event, data=None: heard.append((json.loads(json.dumps(event)), data)),
        home,
        block("opponents"),
    )
    asyncio.run(bench.work(request, data))
    return heard


def played(home: Path, files: Mapping[str, str], *, live: bool = True, **wish: Any) -> list[Event]:
    """The events of matches of these files."""
    page = NativePage(live=live)
    return [
        event for event, _ in told(home, WISH | {"do": "play", "files": files} | wish, page=page)
    ]


class Commanded(NamedTuple):
    """What the command said of a line: the id of its event, its run digest, and all of
    stderr.
    """

    event: str
    digest: str
    said: str


def commanded(folder: Path, line: str, code: int = 0) -> Commanded:
    """Type a line in a folder."""
    words = shlex.split(line)[1:]
    done = arena(*words, cwd=folder, code=code, env={FOLDER: str(BUILT.parent)}, seconds=SECONDS)
    found = [re.search(rf"{word} ([0-9a-f]+)", done.stderr) for word in ("event", "run digest")]
    return Commanded(*(one[1] if one else "" for one in found), done.stderr)
