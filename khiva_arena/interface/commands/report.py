"""The work of ``khiva-arena report``: a page of results, in one file."""

from pathlib import Path
from typing import Any, NamedTuple

from khiva_arena.arbiter import handed_over
from khiva_arena.common.text import harmless
from khiva_arena.competition.events.league_batches import public_words_of, receipt_of
from khiva_arena.competition.events.selection import StoreSelection
from khiva_arena.competition.pages.authors import author_pages
from khiva_arena.competition.pages.names import read_names
from khiva_arena.competition.pages.page_source import page_source
from khiva_arena.competition.pages.replays import (
    NOTHING_PRIVATE,
    REPLAYS_MOST,
    Private,
    Wish,
    everybody,
    ids_of_matches,
)
from khiva_arena.competition.pages.write import page_from, write_page
from khiva_arena.competition.settings.flags import take_fields
from khiva_arena.display.page.box import NO_LIMIT
from khiva_arena.display.page.folder import ReplayFolder
from khiva_arena.display.page.html import BEGINNING
from khiva_arena.display.terminal.passing import progress
from khiva_arena.errors import ConfigError
from khiva_arena.interface.commands.choices import ALL, NONE
from khiva_arena.records.store.new_file import check_new_file
from khiva_arena.words import count


class PageFlags(NamedTuple):
    """What a page is to hold, as the flags of the same names say.

    title: "" for one made of the events.
    replays: which replays, one of ``choices``.
    matches: the matches with a replay, () for the first ones.
    names: the file with other names for bots.
    notes: whether the page has what bots wrote on stderr.
    settings_file: the name of the file with the settings of the run that asks for the
        page; "" if nobody said.
    """

    title: str
    replays: str
    matches: tuple[str, ...]
    names: Path | None
    notes: bool
    settings_file: str


def report(source: Path, out: Path | None, for_authors: Path | None, **flags: Any) -> None:
    """Write the page and those for authors. ``flags``: those of ``StoreSelection`` and
    of ``PageFlags``.
    """
    selection, page_flags = take_fields(flags, StoreSelection), take_fields(flags, PageFlags)
    assert not flags, flags
    handed_over.take()
    if out is None and for_authors is None:
        raise ConfigError("the page needs a place: give --out FILE, --for-authors DIR, or both")
    if out is None and (page_flags.matches or page_flags.notes):
        flag = "--matches" if page_flags.matches else "--notes"
        raise ConfigError(
            f"{flag} is for the page of --out FILE; a page for an author has its bot's own "
            "matches and notes anyway"
        )
    if page_flags.matches and page_flags.replays == NONE:
        raise ConfigError(
            "--matches chooses replays, and --replays none leaves all out: give one of them"
        )
    names = read_names(page_flags.names) if page_flags.names else {}
    limit = 0 if page_flags.replays == NONE else REPLAYS_MOST
    if out is not None:
        check_new_file(out, BEGINNING)
    with (
        progress() as far,
        page_source(
            source,
            public_words_of(source, selection, far.say),
            names,
            selection.among,
            far.say,
            far,
        ) as content,
    ):
        if out is not None:
            only = ids_of_matches(content, page_flags.matches) if page_flags.matches else None
            folder = ReplayFolder(out) if page_flags.replays == ALL else None
            private = (
                Private(notes=everybody, reports=everybody) if page_flags.notes else NOTHING_PRIVATE
            )
            wish = Wish(NO_LIMIT if page_flags.matches else limit, only, private, folder)
            page = page_from(
                content, page_flags.title, wish, receipt_of(source), page_flags.settings_file
            )
            write_page(out, page)
            far.say(
                harmless(
                    f"{out}: {count(len(page.encode()) // 1024, 'kB', 'kB')}; open it in a browser"
                )
            )
            if folder is None:
                ReplayFolder(out).finish()  # replays beside the replaced page lead to other results
            elif folder.paths:
                pages = count(len(folder.paths), "page")
                far.say(
                    harmless(
                        f"{folder.path}: {pages} with the other replays; keep it beside {out.name}"
                    )
                )
        if for_authors is not None:
            for path in author_pages(
                for_authors, content, page_flags.title, limit, page_flags.replays == ALL
            ):
                far.say(harmless(f"{path}: give this page only to the author of this bot"))
