"""The pages of batches and finals that a league lacks, each a task of a process."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

from khiva_arena.extensions.league.folder import PUBLIC, make_public
from khiva_arena.extensions.league.player.appended import remove
from khiva_arena.extensions.league.public_state import BATCHES

OLDER_PAGES = 40
"""The pages of older batches that stay once a reader has asked for them."""


class PublishTask(NamedTuple):
    """Something that a process makes.

    what: in words.
    words: the module that makes it, and its arguments.
    take: what is done with it then.
    """

    what: str
    words: tuple[str, ...]
    take: Callable[[], None]


def remove_older(league: Path, first: int) -> None:
    """Remove pages of older batches but the newest files among them, which readers
    have asked for. ``first``: the oldest batch whose page always stays.
    """
    folder = league / PUBLIC / BATCHES
    older = [
        path for path in folder.glob("*.html") if path.stem.isdecimal() and int(path.stem) < first
    ]
    for path in sorted(older, key=lambda path: path.stat().st_mtime_ns)[:-OLDER_PAGES]:
        remove(path)


def pages_of(
    league: Path, league_name: str, name: str, events: dict[str, tuple[Path, str]]
) -> Iterator[PublishTask]:
    """Yield the pages that a public folder of a league lacks.

    league_name: begins the title of each
    name: of the folder
    events: by what each is called, its store and its id
    """
    folder = league / PUBLIC / name
    make_public(folder)
    there = {path.name for path in folder.iterdir()}
    for subject, (store, event) in events.items():
        path = folder / f"{subject.partition(' ')[2]}.html"
        if path.name not in there:
            title = f"{league_name}, {subject}"
            where = ("--title", title, "--out", str(path), "--", str(store), event)
            words = ("khiva_arena", "report", *where)
            yield PublishTask(f"the page of {subject}", words, partial(path.chmod, 0o644))
