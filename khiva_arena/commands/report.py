"""The work of ``khiva-arena report``: a page of results, in one file."""

from pathlib import Path

from khiva_arena.commands.choices import ALL, NONE
from khiva_arena.errors import ConfigError
from khiva_arena.events.selection import Among
from khiva_arena.outside import handed_over
from khiva_arena.page.authors import author_pages
from khiva_arena.page.folder import ReplayFolder
from khiva_arena.page.html import BEGINNING
from khiva_arena.page.names import read_names
from khiva_arena.page.replays import NO_LIMIT, NOTHING_PRIVATE, REPLAYS_MOST, Private, Wish, everybody, named
from khiva_arena.page.source import page_source
from khiva_arena.page.write import page_from, write_page
from khiva_arena.store.new_file import check_new_file
from khiva_arena.terminal.console import say
from khiva_arena.text import harmless
from khiva_arena.words import count


def report(
    source: Path,
    event: tuple[str, ...],
    out: Path | None,
    title: str,
    replays: str,
    matches: tuple[str, ...],
    names: Path | None,
    notes: bool,
    for_authors: Path | None,
    only: tuple[str, ...],
    exclude: tuple[str, ...],
    events: tuple[str, ...],
) -> None:
    """Write the page and the pages for authors."""
    handed_over.take()
    if out is None and for_authors is None:
        raise ConfigError("say where the page goes: --out FILE, --for-authors DIR, or both")
    if out is None and (matches or notes):
        what = "--matches" if matches else "--notes"
        raise ConfigError(
            f"{what} is for the page of --out FILE; a page for an author has its bot's own matches and notes anyway"
        )
    if matches and replays == NONE:
        raise ConfigError("--matches chooses replays, and --replays none leaves all out: give one of them")
    shown = read_names(names) if names else {}
    most = 0 if replays == NONE else REPLAYS_MOST
    if out is not None:
        check_new_file(out, BEGINNING)
    with page_source(source, (*event, *events), shown, Among(only, exclude), say) as opened:
        if out is not None:
            chosen = named(opened, matches) if matches else None
            folder = ReplayFolder(out) if replays == ALL else None
            private = Private(notes=everybody) if notes else NOTHING_PRIVATE
            page = page_from(opened, title, Wish(NO_LIMIT if matches else most, chosen, private, folder))
            write_page(out, page)
            say(harmless(f"{out}: {count(len(page.encode()) // 1024, 'kB', 'kB')}; open it in a browser"))
            if folder is None:
                ReplayFolder(out).finish()  # replays beside the replaced page lead to other results
            elif folder.written:
                pages = count(len(folder.written), "page")
                say(harmless(f"{folder.path}: {pages} with the other replays; keep it beside {out.name}"))
        if for_authors is not None:
            for path in author_pages(for_authors, opened, title, most, replays == ALL):
                say(harmless(f"{path}: for the author of this bot alone"))
