"""The differences of bots that were named before the results, as values of the
published shape and as text.
"""

from collections.abc import Sequence

from khiva_arena.errors import ConfigError
from khiva_arena.rating.ratings.contrasts import differences_among
from khiva_arena.rating.report import shapes
from khiva_arena.rating.report.entrants import ID_DIGITS
from khiva_arena.rating.report.standings import percent, round_off
from khiva_arena.rating.report.text import chance, interval, number, paragraphs, short, table
from khiva_arena.rating.report.values import Standings

NAMED_BEFORE = "95 % for all of a set at once, if it was named before its results were seen"


def sets_of(words: Sequence[str]) -> list[list[str]]:
    """Return the sets of names in ``A,B`` or ``A,B,C``. Raises ConfigError for a set of
    fewer than two names, or with a name twice.
    """
    sets = [[name.strip() for name in word.split(",")] for word in words]
    if wrong := [
        word
        for word, names in zip(words, sets, strict=True)
        if len(names) < 2 or len(set(names)) < len(names)
    ]:
        raise ConfigError(
            [
                f"--contrast {word}: name two bots or more, each once, as --contrast A,B"
                for word in wrong
            ]
        )
    return sets


def contrasts(standings: Standings, sets: Sequence[Sequence[str]]) -> list[shapes.Contrasts]:
    """Return the differences of each two bots of each set. Raises ConfigError for a bot
    that is not in the table.
    """
    index = {bot: i for i, bot in enumerate(standings.order)}
    of_word = {
        word: index[row.bot]
        for row in standings.rows
        for word in (row.bot, f"{row.name}#{row.bot[:ID_DIGITS]}", row.name)
    }
    if wrong := [name for names in sets for name in names if name not in of_word]:
        there = ", ".join(row.name for row in standings.rows)
        raise ConfigError(
            [f"--contrast: no bot called {name!r}; there are {there}" for name in wrong]
        )
    return [_contrasts(standings, [of_word[name] for name in names]) for names in sets]


def _contrasts(standings: Standings, bots: Sequence[int]) -> shapes.Contrasts:
    """Return the differences of each two of these bots."""
    ids = standings.order
    pairs = [
        shapes.PairDifference(
            ids[i],
            ids[j],
            round_off(pair.elo),
            round_off(pair.low),
            round_off(pair.high),
            percent(pair.los),
        )
        for i, j, pair in differences_among(standings.ratings, bots)
    ]
    return shapes.Contrasts([ids[bot] for bot in bots], pairs)


def to_text(standings: Standings, contrasts: Sequence[shapes.Contrasts], width: int) -> str:
    """Return a table of the differences; "" if no set was named."""
    if not contrasts:
        return ""
    names = {row.bot: short(row.name) for row in standings.rows}
    rows = [["bot", "less", "elo", "95 %", "los%"]]
    rows += [
        [names[pair.bot], names[pair.less], number(pair.elo, 1, "+"), _ends(pair), chance(pair.los)]
        for of in contrasts
        for pair in of.pairs
    ]
    return "\n".join(
        [
            "Contrasts:",
            *table(rows, to_left=(0, 1)),
            *paragraphs([f"{NAMED_BEFORE}."], width),
            "",
            "",
        ]
    )


def _ends(pair: shapes.PairDifference) -> str:
    """Return the interval, or the one end that there is."""
    if pair.low is not None and pair.high is None:
        return f">={number(pair.low, 1, '+')}"
    if pair.high is not None and pair.low is None:
        return f"<={number(pair.high, 1, '+')}"
    return interval(pair.low, pair.high, 1, "+")
