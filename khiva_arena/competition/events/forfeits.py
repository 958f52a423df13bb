"""The forfeits in the recorded matches of an event."""

from collections import Counter

from khiva_arena.common.result import Verdict
from khiva_arena.records.store.db import Store


def forfeits(store: Store, event: str) -> Counter[int]:
    """Return in how many recorded matches each bot of an event forfeited, by the bot's
    position. A bot that never did is absent.

    event: its id.
    """
    found: Counter[int] = Counter()
    for match in store.matches(event, beside=()):
        found.update({seat.bot for seat in match.seats if seat.verdict != Verdict.OK})
    return found
