"""Pages for the authors of bots: each has the public results and the private data of
one bot.

Private data are the bot's words on stderr and the durations of its decisions.
"""

import re
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from khiva_arena.common.text import harmless
from khiva_arena.competition.pages.page_source import PageSource
from khiva_arena.competition.pages.replays import Private, Wish, nobody
from khiva_arena.competition.pages.write import page_from, title_of, write_page
from khiva_arena.display.page.folder import ReplayFolder
from khiva_arena.errors import ConfigError

_ODD = re.compile(r"[^A-Za-z0-9._-]+")
LONGEST = 60
DIGITS = 12


def author_pages(
    folder: Path, source: PageSource, title: str, replays: int, has_folders: bool = False
) -> Iterator[Path]:
    """Write a page for each bot of a store or a bundle, and yield its path. It holds
    replays of the bot's own matches; that of a bot that was left out holds the report
    on it.

    title: how the title of each page begins, "" for one made of the events.
    replays: how many bytes of replays each page may hold.
    has_folders: whether a folder beside each page has the other replays.

    Raises ConfigError if the folder cannot be made, and everything that ``page_from``
    and ``write_page`` raise.
    """
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise ConfigError(f"{folder}: cannot be made: {error.strerror or error}") from None
    title = title or title_of(source.events)
    for identity, name in {
        bot.identity: bot.name for event in source.events for bot in event.bots
    }.items():
        out = folder / file_name(name, identity)
        own = Private(notes=identity.__eq__, times=identity.__eq__)
        beside = ReplayFolder(out)
        wish = Wish(replays, _matches_of(source, identity), own, beside if has_folders else None)
        write_page(out, page_from(source, f"{title}: {harmless(name)}", wish))
        if not has_folders:
            beside.finish()  # what was beside the page that this one replaces
        yield out
    for bot in {bot.word: bot for _, bot in source.not_played}.values():
        out = folder / file_name(bot.name, sha256(bot.word.encode()).hexdigest())
        own = Private(times=nobody, reports=bot.word.__eq__)
        write_page(out, page_from(source, f"{title}: {harmless(bot.name)}", Wish(0, private=own)))
        yield out


def file_name(name: str, identity: str) -> str:
    """Return the file name of a bot's page. Bots may share a name, or have names that a
    file cannot have; identities differ.
    """
    return f"{_ODD.sub('_', name)[:LONGEST].lstrip('.-')}-{identity[:DIGITS]}.html".lstrip("-")


def _matches_of(source: PageSource, identity: str) -> frozenset[str]:
    """Return the ids of the matches in which a bot sat."""
    return frozenset(
        match.result.match
        for event in source.events
        for match in source.matches(event)
        if any(event.bots[bot].identity == identity for bot in match.result.bots)
    )
