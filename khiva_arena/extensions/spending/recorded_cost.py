"""Find the cost of a match in what earlier matches of the same bots have cost."""

from collections.abc import Iterator
from operator import attrgetter
from pathlib import Path

from khiva_arena.competition.events.durations import alike
from khiva_arena.competition.playing.starts import Entrants
from khiva_arena.competition.run.budget import stores_beside
from khiva_arena.errors import StoreError
from khiva_arena.extensions.spending.match_costs import MatchCost, match_cost
from khiva_arena.extensions.spending.spend_cap import Cost, KnownCosts, known_costs
from khiva_arena.records.replay.definition import Definition
from khiva_arena.records.store.db import FILE, EventRow, Store
from khiva_arena.words import count


def recorded_cost(
    out: Path, playing: Entrants, definition: Definition, currency: str
) -> MatchCost | None:
    """Return the cost of a match by matches of the same bots in the store, or else
    in the newest store beside it that has some.
    """
    entrants = {bot.identity for bot in playing.entrants}
    reporting = {bot.identity for bot in playing.entrants if bot.reports}
    for folder in (out, *stores_beside(out)):
        if not (folder / FILE).is_file():
            continue
        try:
            with Store.read(folder) as store:
                found = list(_alike(store, definition, entrants, reporting, currency))
        except StoreError:
            if folder == out:
                raise
            continue  # what stands beside it is of no concern
        amounts = [amount for _, known in found for amount in known.matches]
        if not any(amounts):
            continue
        table = max(known.dearest_table(definition.seats) for _, known in found)
        dear = max((known.dear for _, known in found), key=attrgetter("amount"))
        numbers = ", ".join(str(event.number) for event, _ in found)
        place = "this store" if folder == out else str(folder)
        events = f"event{'s' if len(found) > 1 else ''} {numbers}"
        source = f"{count(len(amounts), 'match', 'matches')} of {events} in {place}"
        return match_cost(amounts, table, source, Cost(), dear)
    return None


def _alike(
    store: Store, definition: Definition, entrants: set[str], reporting: set[str], currency: str
) -> Iterator[tuple[EventRow, KnownCosts]]:
    """Yield the events of such matches in which all bots play that report, with the
    costs of the matches among the entrants.
    """
    for event in store.events():
        if alike(event.definition, definition) and reporting <= {
            bot.identity for bot in event.bots
        }:
            known = known_costs(store, event, currency, entrants)
            if known.matches and known.reported and not known.foreign:
                yield event, known
