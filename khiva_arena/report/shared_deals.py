"""The design effect of shared deals, as a value of the published shape and in words."""

from khiva_arena.ratings.sharing import SharedDeals
from khiva_arena.report.shapes import DesignEffect
from khiva_arena.report.standings import DIGITS
from khiva_arena.report.text import interval, number

LITTLE = 0.9
"""The share of its width to which an error has to shrink, or below, to be worth other matches."""


def to_value(found: SharedDeals | None) -> DesignEffect | None:
    """Return the effect and its interval with few digits; None for none."""
    if found is None:
        return None
    return DesignEffect(*(round(value, DIGITS) for value in (found.effect, found.low, found.high, found.tables)))


def to_notes(found: SharedDeals | None) -> list[str]:
    """Return how much sharing deals widens the errors, and whether more matches on the same deals count as much as more deals."""
    if found is None:
        return []
    alone, least, most = (value**-0.5 for value in (found.effect, found.high, found.low))
    if least >= LITTLE:
        then = "A match counts about the same on a new deal or on one of these"
    elif most < LITTLE:
        then = "New deals tell more than more line-ups on these"
    else:
        then = "These seeds leave open whether more line-ups on them would tell as much as new deals"
    return [
        f"Design effect of shared deals: {number(found.effect, 2)} (95 %: {interval(found.low, found.high, 2)}): with a deal of "
        f"its own for each table, errors would be {number(alone, 2)} times as wide ({interval(least, most, 2)}). {then}."
    ]
