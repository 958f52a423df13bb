"""How strong the bots that come with the arena are: one scale for each game and number
of seats, read from ``strength.json``.

``python -m tests.tools strength --write`` measures the steps of that file and works the
scale out again. Pages, ``AGENTS.md``, ``khiva-arena new`` and the rungs of
``khiva-arena new ladder`` read the figures here.
"""

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

FILE = "strength.json"
ANCHOR = "greedy"
"""The rung at Elo 0."""


TABLED = (2, 3)
"""The numbers of seats of which a short page shows the ladder."""


class BotStep(NamedTuple):
    """Two bots that met: how far one is above the other.

    bot, over: two names of rungs.
    elo, error: how far ``bot`` is above ``over``, and its 95 %; None if all matches
        went one way.
    deals: so many, each in all seatings.
    measured: year and month.
    least: that ``bot`` is above ``over`` if all matches went its way, by the same 95 %;
        None else.
    """

    bot: str
    over: str
    elo: float | None
    error: float | None
    deals: int
    measured: str
    least: float | None = None

    @property
    def in_words(self) -> str:
        """Elo with its error, or a bound."""
        return (
            f"above {self.least:.0f}" if self.least is not None else measured(self.elo, self.error)
        )


class BotRung(NamedTuple):
    """A bot on the scale of its game at a number of seats.

    name: of the rung, as "search".
    bot: the bot that was measured, as "c/search".
    elo, error: above the greedy bot of the game, and its 95 %; None if no step leads
        there.
    ms: milliseconds of processor time a decision; None if nobody measured them.
    bound: "below -277" if all matches of the step that leads there went one way; ""
        else.
    """

    name: str
    bot: str
    elo: float | None
    error: float | None
    ms: float | None
    bound: str = ""

    @property
    def in_words(self) -> str:
        """Elo with its error, a bound, or n/a; the anchor is at 0 by definition."""
        return "0" if self.name == ANCHOR else self.bound or measured(self.elo, self.error)


class Twice(NamedTuple):
    """What twice the time is worth: Elo for each doubling, and its 95 %.

    bot: whose effort was doubled, as "c/thinker".
    words: from which effort to which.
    elo, error: for one doubling; None if all matches went one way.
    deals: so many, each in all seatings.
    measured: year and month.
    """

    bot: str
    words: str
    elo: float | None
    error: float | None
    deals: int
    measured: str


class BotLadder(NamedTuple):
    """The bots of a game at a number of seats on one scale.

    steps: what was measured.
    rungs: the scale that follows from the steps, the weakest first; bots without a
        place on it come last.
    twice: None if nobody measured it.
    """

    steps: tuple[BotStep, ...]
    rungs: tuple[BotRung, ...]
    twice: Twice | None

    def rung(self, name: str) -> BotRung | None:
        """Return the rung of that name, None if there is none."""
        return next((rung for rung in self.rungs if rung.name == name), None)


@cache
def _raw() -> dict[str, Any]:
    import json  # not above: most commands do without it

    raw: dict[str, Any] = json.loads(
        (files("khiva_arena.common") / FILE).read_text(encoding="utf-8")
    )
    return raw


@cache
def ladders() -> dict[str, dict[int, BotLadder]]:
    """Return the ladders by game and number of seats."""
    games = _raw()["ladders"].items()
    return {
        game: {int(seats): ladder_of(row) for seats, row in by_seats.items()}
        for game, by_seats in games
    }


def seconds() -> dict[str, float]:
    """Return how long the commands of an author last, by command."""
    found: dict[str, float] = _raw()["seconds"]
    return found


def in_vain(game: str) -> list[str]:
    """Return the changes of bots of a game that were measured and brought no gain, a
    sentence each.
    """
    found: list[str] = _raw()["in_vain"].get(game, [])
    return found


def ladder_of(row: dict[str, Any]) -> BotLadder:
    """Return a ladder as the file has it."""
    steps = tuple(BotStep(**step) for step in row["steps"])
    twice = row.get("twice")
    return BotLadder(
        steps, tuple(BotRung(**rung) for rung in row["rungs"]), Twice(**twice) if twice else None
    )


def measured(value: float | None, error: float | None) -> str:
    """Return Elo with its error in words, n/a for one that nobody measured."""
    return "n/a" if value is None or error is None else f"{value:.0f} ± {error:.0f}"


def milliseconds(value: float | None) -> str:
    """Return milliseconds with two digits, n/a for a number that nobody measured."""
    return "n/a" if value is None else f"{value:.2g}" if value < 10 else f"{value:.0f}"


def ladder_table(game: str, seats: Sequence[int] = TABLED) -> str:
    """Return the ladder of a game as a table in Markdown, the weakest first."""
    some = {number: ladder for number, ladder in ladders()[game].items() if number in seats}
    first = next(iter(some.values()))
    heads = [f"{number} seats" for number in some]
    lines = [
        f"| shipped bot | {' | '.join(f'{head} | ms' for head in heads)} |",
        f"|---|{'---|---|' * len(heads)}",
    ]
    for rung in first.rungs:
        found = [ladder.rung(rung.name) for ladder in some.values()]
        cells = [
            f"{one.in_words} | {milliseconds(one.ms)}" if one else "n/a | n/a" for one in found
        ]
        lines.append(f"| `{rung.bot}` | {' | '.join(cells)} |")
    return "\n".join(lines)


def twice_line(game: str, seats: Sequence[int] = TABLED) -> str:
    """Return a sentence on the worth of twice the time."""
    some = [
        (number, ladder.twice)
        for number, ladder in ladders()[game].items()
        if number in seats and ladder.twice
    ]
    if not some:
        return "Twice the time: nobody measured what it is worth."
    figures = ", ".join(
        f"{measured(one.elo, one.error)} Elo at {number} seats" for number, one in some
    )
    _, twice = some[0]
    return f"Twice the time is worth {figures} (`{twice.bot}`, {twice.words})."
