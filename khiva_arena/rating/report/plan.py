"""The number of seeds that an error or a gap takes, as values of the published shape
and as text.

Numbers come from ``rating.ratings.planning``; matches are those of as many seeds as
have been played, at the same line-ups.
"""

from math import ceil
from typing import Any

from msgspec import Struct

from khiva_arena.common.text import WIDTH
from khiva_arena.rating.ratings import planning
from khiva_arena.rating.report import shapes, shared_deals
from khiva_arena.rating.report.first_place import listed
from khiva_arena.rating.report.standings import round_off
from khiva_arena.rating.report.text import columns_of, fitting, number, paragraphs, short, table
from khiva_arena.rating.report.values import Standings
from khiva_arena.words import count


class Seeds(Struct, frozen=True):
    """The number of seeds needed in all, those already played included; 1,000,000,000:
    more than can be played.

    seeds: the estimate.
    low, high: its 95 % interval.
    matches: of as many seeds.
    """

    seeds: int
    low: int
    high: int
    matches: int


class ErrorRow(Struct, frozen=True):
    """A bot's errors now, and the number of seeds until they are small enough; null:
    unknown.

    bot, name: id, and for people.
    elo: relative to the anchor; null if it is only a bound.
    error, need: 95 % half width relative to the anchor, and the seeds needed.
    pool_error, pool_need: the same relative to the mean of the bots it is connected
        with.
    """

    bot: str
    name: str
    elo: float | None
    error: float | None
    need: Seeds | None
    pool_error: float | None
    pool_need: Seeds | None


class GapRow(Struct, frozen=True):
    """Two bots next to each other in the table.

    upper, lower: their ids.
    elo, error: how far apart they are now, and its 95 % half width; null without an
        error.
    need: the seeds needed to find the gap.
    """

    upper: str
    lower: str
    elo: float | None
    error: float | None
    need: Seeds | None


class FewerLineUps(Struct, frozen=True):
    """The plan with the line-ups of ``--lineups auto``, for the same errors.

    line_ups: how many there are.
    seeds, matches: that it takes besides those already played.
    command: plays them.
    """

    line_ups: int
    seeds: int
    matches: int
    command: str


class Plan(Struct, frozen=True):
    """The number of seeds that one table needs.

    error: the error that was asked for, in Elo; null if a gap was.
    gap, power: the gap that was asked for, in Elo, and the share of cases in which it
        is to show; null if an error was.
    blocks, matches: seeds and rated matches so far.
    fewest_seeds, enough: how many seeds any estimate needs, and whether there are so
        many.
    errors: of each bot.
    gaps: of each two neighbours.
    need, pool_need: for all of them together: the largest known number of the rows.
    left_out: the bots that these numbers leave out, except the anchor: more seeds would
        not shrink the error of a bot that won or lost everything, such as one that
        always crashes.
    next: commands that play the missing seeds, up to ``need`` or ``fewest_seeds``.
    extends: whether ``next`` extends an event, so that errors have to hold however
        often one looks, as the seeds here allow for.
    finishes: whether the first of ``next`` finishes an event that is not over.
    shared_deals: how much sharing deals widens the errors; null as in the standings.
    fewer_line_ups: fewer line-ups on more deals, if they take at most nine tenths of
        the matches; else null.
    """

    error: float | None
    gap: float | None
    power: float | None
    blocks: int
    matches: int
    fewest_seeds: int
    enough: bool
    errors: list[ErrorRow]
    gaps: list[GapRow]
    need: Seeds | None
    pool_need: Seeds | None
    left_out: list[str]
    next: list[str] = []
    extends: bool = False
    finishes: bool = False
    shared_deals: shapes.DesignEffect | None = None
    fewer_line_ups: FewerLineUps | None = None


def for_error(standings: Standings, error: float) -> Plan:
    """Plan seeds for a 95 % half width of ``error`` Elo of every bot. Raises
    ConfigError unless it is above 0.
    """
    ratings = standings.ratings
    by_bot = zip(
        standings.order,
        planning.for_error(ratings, error),
        planning.for_error(ratings, error, pool=True),
        strict=True,
    )
    needs = {bot: (_seeds(standings, need), _seeds(standings, pool)) for bot, need, pool in by_bot}
    rows = [
        ErrorRow(
            row.bot,
            row.name,
            None if row.bound or not row.matches else row.elo,
            row.error,
            needs[row.bot][0],
            row.pool_error,
            needs[row.bot][1],
        )
        for row in standings.rows
    ]
    return Plan(
        error=error,
        gap=None,
        power=None,
        **_so_far(standings),
        errors=rows,
        gaps=[],
        need=_most([row.need for row in rows if row.bot != standings.anchor]),
        pool_need=_most([row.pool_need for row in rows]),
        left_out=[row.bot for row in rows if row.need is None and row.bot != standings.anchor],
    )


def for_gap(standings: Standings, gap: float, power: float) -> Plan:
    """Plan seeds after which a true gap of ``gap`` Elo between any two neighbours of
    the table is found in a share ``power`` of cases. Raises ConfigError unless the gap
    is above 0 and the power from 0.5 to below 1.
    """
    rows = [
        GapRow(
            standings.order[pair.upper],
            standings.order[pair.lower],
            round_off(pair.elo),
            round_off(pair.error),
            _seeds(standings, pair.need),
        )
        for pair in planning.for_gap(standings.ratings, gap, power)
    ]
    bots_known = {bot for row in rows if row.need is not None for bot in (row.upper, row.lower)}
    return Plan(
        error=None,
        gap=gap,
        power=power,
        **_so_far(standings),
        errors=[],
        gaps=rows,
        need=_most([row.need for row in rows]),
        pool_need=None,
        left_out=[row.bot for row in standings.rows if row.bot not in bots_known],
    )


def _so_far(standings: Standings) -> dict[str, Any]:
    blocks = standings.blocks
    return {
        "blocks": blocks,
        "matches": standings.matches,
        "fewest_seeds": planning.FEWEST_SEEDS,
        "enough": blocks >= planning.FEWEST_SEEDS,
        "shared_deals": shared_deals.to_value(standings.shared_deals),
    }


def _seeds(standings: Standings, need: planning.Need | None) -> Seeds | None:
    if need is None:
        return None
    return Seeds(
        need.seeds, need.low, need.high, ceil(need.seeds * standings.matches / standings.blocks)
    )


def _most(needs: list[Seeds | None]) -> Seeds | None:
    """Return the largest of the known needs, None if none is known."""
    return max(
        (need for need in needs if need is not None), key=lambda need: need.seeds, default=None
    )


# --- text ---


def to_text(plan: Plan, standings: Standings, width: int = WIDTH) -> str:
    """Return a table and its meaning. Ends with a newline."""
    so_far = f"So far: {count(plan.blocks, 'seed')}, {count(plan.matches, 'match', 'matches')}."
    if not plan.enough:
        why = f"Too few to know how much results vary: it takes {plan.fewest_seeds} seeds or more."
        then = (
            "Next, and then plan again; new seeds are drawn, and rated together with those "
            "that are there:"
            if plan.next
            else "Play some, and plan again."
        )
        return "\n".join([*paragraphs([f"{so_far} {why}", then], width), *_commands(plan)]) + "\n"
    lines = _errors(plan, width) if plan.error is not None else _gaps(plan, standings, width)
    notes = [sentence(plan), *_left_out(plan, standings), so_far, _CAUTION]
    notes += [*shared_deals.to_notes(standings.shared_deals), *_next(plan)]
    return (
        "\n".join([*lines, "", *paragraphs(notes, width), *_commands(plan), *_instead(plan, width)])
        + "\n"
    )


def _left_out(plan: Plan, standings: Standings) -> list[str]:
    """Return a note for each bot that is left out: why, and a remedy."""
    by_bot = {row.bot: row for row in standings.rows}
    notes = []
    for bot in plan.left_out:
        row = by_bot[bot]
        faults = ", ".join(f"{often} {kind}" for kind, often in row.fault_counts)
        if not row.matches:
            why = "has played no rated match"
        elif row.bound:
            way = "won" if row.bound == ">=" else "lost"
            all_of = (
                f"{way} each point between it and the anchor"
                if row.bound != "?"
                else "was never compared with the anchor"
            )
            why = (
                f"{all_of}{f' ({faults})' if faults else ''}; it has no error that seeds could "
                "shrink"
            )
        elif row.seeds < planning.FEWEST_SEEDS:
            why = (
                f"has played on {count(row.seeds, 'seed')} only, of {planning.FEWEST_SEEDS} or "
                "more that are needed"
            )
        else:
            why = "did the same on every seed, which gives no error"
        notes.append(f"Left out: {short(row.name)} {why}.")
    return notes


def _commands(plan: Plan) -> list[str]:
    """Return the commands in one line each, since a store that comes from others may
    hold a bot's name with a line end in it.
    """
    return [line.replace("\n", "\\n") for line in plan.next]


def _instead(plan: Plan, width: int) -> list[str]:
    """Return lines on fewer line-ups on more deals, if these take clearly fewer
    matches.
    """
    fewer = plan.fewer_line_ups
    if fewer is None:
        return []
    advice = (
        f"Or, in {count(fewer.matches, 'match', 'matches')}, since the matches on a deal say much "
        f"the same: {count(fewer.seeds, 'new seed')} of {count(fewer.line_ups, 'line-up')}:"
    )
    return [*paragraphs([advice], width), fewer.command.replace("\n", "\\n")]


def _of_one_event(plan: Plan) -> list[str]:
    """Return a line on the number of seeds in a command that is another one than that
    of the plan.
    """
    wanted = {
        line.rpartition(" --seeds ")[2].partition(" ")[0] for line in plan.next[plan.finishes :]
    }
    if plan.need is None or not wanted or wanted == {str(plan.need.seeds)}:
        return []
    missing = f"{plan.need.seeds - plan.blocks} of the {plan.need.seeds} are missing"
    return [
        (
            "--seeds counts the seeds of one event and of those that it extends, here "
            f"{listed(sorted(wanted))}: {missing}."
        )
    ]


def _next(plan: Plan) -> list[str]:
    if plan.finishes and len(plan.next) == 1:
        return ["Next, to finish the event that is not over, which has seeds enough:"]
    first = ["The first command finishes the event that is not over."] if plan.finishes else []
    return [*_of_one_event(plan), *_how(plan), *first]


def _how(plan: Plan) -> list[str]:
    if plan.next and plan.extends:
        return [
            "Next, to play the missing seeds; new ones are drawn, and extend an event whose "
            "results you have seen: the errors of the table then hold however often one looks, and "
            "are about 1.6 times as wide as if so many had been planned. The seeds above allow for "
            "that."
        ]
    if plan.next:
        return [
            "Next, to play the missing seeds; new ones are drawn, and rated together with those "
            "that are there, with errors as if all had been planned; adding seeds until a result "
            "pleases makes errors too small:"
        ]
    if plan.need is not None and plan.need.seeds <= plan.blocks:
        return ["Next: nothing; there are seeds enough."]
    if plan.need is None:
        return ["Next: mend or leave out the bots above, or name another --anchor, and plan again."]
    return []


_CAUTION = (
    "Seeds are those in all, with the ones played, at the same line-ups and bots; 95 %: how far "
    "the number itself may be off, since the variance is known from these seeds only."
)


def _errors(plan: Plan, width: int) -> list[str]:
    rows = [["bot", "elo", "+/-", *_HEADS, "pool+/-", *_HEADS]]
    for row in plan.errors:
        now = [short(row.name), number(row.elo, 1), number(row.error, 1)]
        rows.append([*now, *_cells(row.need), number(row.pool_error, 1), *_cells(row.pool_need)])
    lines = table(rows, to_left=(0,))
    if max(map(columns_of, lines)) <= width:
        return lines
    return [
        *fitting([row[:5] for row in rows], width),
        "",
        *fitting([row[:1] + row[5:] for row in rows], width),
    ]


def _gaps(plan: Plan, standings: Standings, width: int) -> list[str]:
    names = {row.bot: short(row.name) for row in standings.rows}
    rows = [["bot", "above", "elo", "+/-", *_HEADS, "matches"]]
    for row in plan.gaps:
        now = [names[row.upper], names[row.lower], number(row.elo, 1), number(row.error, 1)]
        rows.append(
            [
                *now,
                *_cells(row.need),
                "n/a" if row.need is None else _most_said(row.need.seeds, row.need.matches),
            ]
        )
    return fitting(rows, width, first=2, to_left=(0, 1))


_HEADS = ("seeds", "95 %")


def _cells(need: Seeds | None) -> list[str]:
    if need is None:
        return ["n/a", "n/a"]
    return [
        _most_said(need.seeds, need.seeds),
        f"{_most_said(need.low, need.low)} .. {_most_said(need.high, need.high)}",
    ]


def _most_said(seeds: int, value: int) -> str:
    return "too many" if seeds >= planning.MOST_SEEDS else str(value)


def sentence(plan: Plan) -> str:
    """Return how many seeds are needed in all, in a sentence: the number for which
    ``Plan.next`` has commands.
    """
    if not plan.enough:
        return (
            f"{count(plan.blocks, 'seed')} are too few to know how much results vary: it takes "
            f"{plan.fewest_seeds} or more."
        )
    if plan.error is None:
        gap = (
            f"a true gap of {plan.gap:g} Elo between any two neighbours apart in "
            f"{100 * (plan.power or 0):g} of 100 cases"
        )
        return _sentence(f"to tell {gap}", plan.need)
    bots = "every other bot" if plan.left_out and plan.need else "every bot"
    return _sentence(f"for +/- {plan.error:g} of {bots} relative to the anchor", plan.need)


def _sentence(what: str, need: Seeds | None) -> str:
    if need is None:
        return f"It is unknown how many seeds are needed {what}: see n/a above."
    if need.seeds >= planning.MOST_SEEDS:
        return f"More seeds are needed than can be played {what}."
    return (
        f"{count(need.seeds, 'seed')} (95 %: {need.low} .. {need.high}), "
        f"{count(need.matches, 'match', 'matches')}, {what}."
    )
