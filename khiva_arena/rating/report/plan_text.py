"""Say a plan as text: its tables of errors and gaps, and the commands to type next."""

from khiva_arena.common.text import WIDTH
from khiva_arena.rating.ratings import planning
from khiva_arena.rating.report import shared_deals
from khiva_arena.rating.report.first_place import listed
from khiva_arena.rating.report.plan import Plan, Seeds
from khiva_arena.rating.report.text import columns_of, fitting, number, paragraphs, short, table
from khiva_arena.rating.report.values import Standings
from khiva_arena.words import count


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
