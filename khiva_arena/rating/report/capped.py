"""The cap that ended an event short, with its words for tables and pages."""

from msgspec import Struct

from khiva_arena.common.result import CURRENCY_MOST
from khiva_arena.common.text import harmless


class EndedByCap(Struct, frozen=True):
    """The cap that ended an event short, by the bots' own word.

    cap, spent: the cap, and what was spent until then, in millionths of the currency;
        void attempts and tries included.
    at_least: more may have been spent, since a bot ended without its last totals.
    currency: its name.
    """

    cap: int
    spent: int
    at_least: bool
    currency: str


def money(amount: int, currency: str, at_least: bool = False) -> str:
    """Return millionths of a currency as an amount with two digits or more."""
    whole, part = divmod(amount, 1_000_000)
    digits = f"{part:06}".rstrip("0").ljust(2, "0")
    return f"{'at least ' if at_least else ''}{whole:,}.{digits} {currency}".rstrip()


def ended_by(capped: EndedByCap) -> str:
    """Return how a cap ended an event, as a part of a heading."""
    currency = harmless(capped.currency, CURRENCY_MOST)
    spent = money(capped.spent, currency, capped.at_least)
    return (
        f"ended by its cap of {money(capped.cap, currency)}: {spent} spent, by the bots' own word, "
        "so set your provider's own limit, too"
    )
