"""The part of a table that is counted and never fitted, in whole numbers: matches, seeds, places, faults, and points of pairs.

It is counted without numpy, as whoever checks a bundle in a page does. A pair of two bots at one table has two half points: both
for who finished ahead, one each for a tie. A pair of a match of K seats weighs 3/(K+1), see docs/how-ratings-work.md.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import isclose
from typing import Any

import msgspec

from khiva_arena.result import FAULTS, Result, Verdict

ROUNDING = 0.002
"""The difference that two percentages of three digits behind the point may have by rounding."""


class CountedBot(msgspec.Struct):
    """The counts of one bot.

    matches, seeds: rated ones that it sat in.
    finishes: by place, how often it came in there in those.
    faults: by kind, how often it made the fault, in every match.
    voids: attempts at its matches that were void.
    halves: by bot that it met, its half points against that bot, and the pairs.
    won, weight, ties: weighted sums over its pairs: half points, pairs, ties.
    """

    matches: int = 0
    seeds: set[str] = msgspec.field(default_factory=set)
    finishes: Counter[int] = msgspec.field(default_factory=Counter)
    faults: Counter[str] = msgspec.field(default_factory=Counter)
    voids: int = 0
    halves: dict[str, list[int]] = msgspec.field(default_factory=dict)
    won: Fraction = Fraction(0)
    weight: Fraction = Fraction(0)
    ties: Fraction = Fraction(0)

    @property
    def score(self) -> float | None:
        """Its points in percent of its pairs, None without any."""
        return float(50 * self.won / self.weight) if self.weight else None


class CountedTable(msgspec.Struct):
    """The counts of a table.

    bots: by identity.
    matches, tables: rated ones.
    fault_free_matches: rated matches in which no seat made a fault.
    left_out: recorded matches of tables that are not complete.
    seats: of the largest rated table.
    """

    bots: dict[str, CountedBot]
    matches: int = 0
    tables: int = 0
    fault_free_matches: int = 0
    left_out: int = 0
    seats: int = 0


def counted(results: Iterable[Result], identities: Mapping[str, Sequence[str]]) -> CountedTable:
    """Count the results of the events of one table.

    identities: by the id of an event, those of its bots, in its order.
    """
    table = CountedTable({bot: CountedBot() for bots in identities.values() for bot in bots})
    by_table: defaultdict[tuple[str, int, int], list[Result]] = defaultdict(list)
    for result in results:
        by_table[result.event, result.seed, result.lineup].append(result)
        _count_always(result, [table.bots[identities[result.event][bot]] for bot in result.bots])
    for matches in by_table.values():
        if sorted(match.rotation for match in matches) != list(range(len(matches[0].bots))):
            table.left_out += len(matches)
            continue
        table.tables += 1
        for match in matches:
            table.matches += 1
            table.fault_free_matches += match.fault_free
            table.seats = max(table.seats, len(match.bots))
            _count_rated(match, table, [identities[match.event][bot] for bot in match.bots])
    return table


def _count_always(match: Result, bots: Sequence[CountedBot]) -> None:
    for bot, faults in zip(bots, match.faults, strict=True):
        bot.faults.update(fault for fault, _ in faults)
    for bot in {id(bot): bot for bot in bots}.values():
        bot.voids += match.voids


def _count_rated(match: Result, table: CountedTable, bots: Sequence[str]) -> None:
    for bot in set(bots):
        table.bots[bot].matches += 1
        table.bots[bot].seeds.add(match.block)
    for bot, rank in zip(bots, match.ranks, strict=True):
        table.bots[bot].finishes[rank] += 1
    weight = Fraction(3, len(bots) + 1)
    for one, other, halves in _pairs(match, bots):
        for me, them, mine in ((one, other, halves), (other, one, 2 - halves)):
            row = table.bots[me]
            met = row.halves.setdefault(them, [0, 0])
            met[0] += mine
            met[1] += 1
            row.won += weight * mine
            row.weight += weight
            row.ties += weight * (mine == 1)


def _pairs(match: Result, bots: Sequence[str]) -> Iterator[tuple[str, str, int]]:
    """Yield the pairs that count, each two bots and the half points of the first."""
    unstarted = [verdict == Verdict.START_FAILED for verdict in match.verdicts]
    for i, one in enumerate(bots):
        for j in range(i + 1, len(bots)):
            if one != bots[j] and (unstarted[i] or unstarted[j] or not any(unstarted)):
                ahead = (match.ranks[j] > match.ranks[i]) - (match.ranks[j] < match.ranks[i])
                yield one, bots[j], 1 + ahead


def count_differences(stored: Mapping[str, Any], table: CountedTable, names: Mapping[str, str]) -> Iterator[str]:
    """Yield each count of a stored table, in the form of ``standings --json``, that differs, a line each.

    names: by the identity of each bot.
    """
    for key in ("matches", "tables", "fault_free_matches"):
        yield from _compare(key, stored.get(key), getattr(table, key))
    out = stored.get("left_out")
    yield from _compare("left_out.matches", out.get("matches") if isinstance(out, dict) else out, table.left_out)
    rows = stored.get("rows")
    plain = [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    by_bot = {str(row.get("bot")): row for row in plain}
    if by_bot.keys() != table.bots.keys() or not isinstance(rows, list) or len(rows) != len(by_bot):
        yield "its rows are not one for each bot of the events"
        return
    for bot, of in table.bots.items():
        name, row = names[bot], by_bot[bot]
        if row.get("name") not in (name, f"{name}#{bot[:4]}"):
            yield f"{name}: its row has the name {row.get('name')!r}"
        for key, value in _columns(of, table.seats):
            yield from _compare(f"{name}: {key}", row.get(key), value)


def _columns(bot: CountedBot, seats: int) -> Iterator[tuple[str, Any]]:
    yield "matches", bot.matches
    yield "seeds", len(bot.seeds)
    yield "finishes", [bot.finishes[place] for place in range(1, seats + 1)]
    yield "faults", {str(kind): bot.faults[kind] for kind in FAULTS}
    yield "voids", bot.voids
    yield "score", bot.score
    yield "ties", float(100 * bot.ties / bot.weight) if bot.weight else None


def _compare(name: str, stored: Any, own: Any) -> Iterator[str]:
    if isinstance(own, float) and isinstance(stored, float):
        if not isclose(stored, own, rel_tol=0, abs_tol=ROUNDING):
            yield f"{name} is {stored:g}, the records give {own:.3f}"
    elif type(stored) is not type(own) or stored != own:
        yield f"{name} is {str(stored)[:80]}, the records give {own}"
