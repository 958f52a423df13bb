"""Find in a store what a user named."""

from khiva_arena.errors import ConfigError
from khiva_arena.replay import seeds
from khiva_arena.store.db import EventRow, MatchRow, Store


def events_of(store: Store, words: tuple[str, ...]) -> list[EventRow]:
    """The events that ``words`` name by number or by the beginning of their id; all of them for no words.

    Raises ConfigError for a word that fits none or several.
    """
    rows = store.events()
    if not words:
        return rows
    return [_one_event(rows, word) for word in words]


def _one_event(rows: list[EventRow], word: str) -> EventRow:
    fits = [row for row in rows if str(row.number) == word] or [row for row in rows if row.id.startswith(word)]
    if len(fits) != 1:
        known = ", ".join(f"{row.number} ({row.id})" for row in rows) or "none yet"
        raise ConfigError(f"{'no event' if not fits else 'several events'} {word!r} here; there are {known}")
    return fits[0]


def match_of(store: Store, word: str) -> tuple[EventRow, MatchRow]:
    """The match that ``word`` names: EVENT/ORDINAL as `show` lists it, an ordinal where the store has one event, or the
    beginning of its id. Raises ConfigError for a word that fits none or several."""
    events = store.events()
    event, _, rest = word.rpartition("/")
    among = [_one_event(events, event)] if event else events
    rows = [(row, match) for row in among for match in store.matches(row.id)]
    fits = [(row, match) for row, match in rows if rest.isdecimal() and match.ordinal == int(rest) and (event or len(among) == 1)]
    fits = fits or [(row, match) for row, match in rows if match.id.startswith(rest)]
    if len(fits) != 1:
        what = "no fixed match" if not fits else f"{len(fits)} matches"
        raise ConfigError(f"{what} {word!r} in {store.folder}; `khiva-arena show {store.folder}` lists them as EVENT/ORDINAL")
    return fits[0]


def secret_of(store: Store, event: EventRow, seed: int) -> tuple[bytes, bool]:
    """The secret of a seed, and whether it is the revealed one; else it comes from the store's private copy."""
    revealed = store.reveals(event.id).get(seed)
    if revealed is not None:
        return revealed, True
    return seeds.seed_secret(event.secret, seed), False
