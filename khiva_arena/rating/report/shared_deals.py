"""The design effect of shared deals, as a value of the published shape and in words."""

from khiva_arena.rating.ratings.sharing import SharedDeals
from khiva_arena.rating.report.shapes import DesignEffect
from khiva_arena.rating.report.standings import DIGITS
from khiva_arena.rating.report.text import interval, number

LITTLE = 0.9
"""The share of its width to which an error has to shrink, or below, to be worth other
matches.
"""


def to_value(deals: SharedDeals | None) -> DesignEffect | None:
    """Return the effect and its interval with few digits; None for none."""
    if deals is None:
        return None
    return DesignEffect(
        *(round(value, DIGITS) for value in (deals.effect, deals.low, deals.high, deals.tables))
    )


def to_notes(deals: SharedDeals | None) -> list[str]:
    """Return how much sharing deals widens the errors, and whether more matches on the
    same deals count as much as more deals.
    """
    if deals is None:
        return []
    alone, low, high = (value**-0.5 for value in (deals.effect, deals.high, deals.low))
    if low >= LITTLE:
        then = "A match counts about the same on a new deal or on one of these"
    elif high < LITTLE:
        then = "New deals tell more than more line-ups on these"
    else:
        then = (
            "These seeds leave open whether more line-ups on them would tell as much as new deals"
        )
    return [
        f"Design effect of shared deals: {number(deals.effect, 2)} (95 %: "
        f"{interval(deals.low, deals.high, 2)}): with a deal of its own for each table, errors "
        f"would be {number(alone, 2)} times as wide ({interval(low, high, 2)}). {then}."
    ]
