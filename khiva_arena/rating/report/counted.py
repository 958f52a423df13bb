"""The part of a table that is counted and never fitted, in whole numbers: matches,
seeds, places, faults, and points of pairs.

It is counted without numpy, as whoever checks a bundle in a page does. A pair of two
bots at one table has two half points: both for who finished ahead, one each for a tie.
A pair of a match of K seats weighs 3/(K+1), see docs/how-ratings-work.md.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import msgspec

from khiva_arena.common.result import FAULTS, Result, Verdict

DIGITS = 3
"""Digits of a percentage behind the point."""


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
        return float(round(50 * self.won / self.weight, DIGITS)) if self.weight else None


class CountedTable(msgspec.Struct):
    """The counts of a table.

    bots: by identity.
    matches, tables: rated ones.
    fault_free_matches: rated matches in which no seat made a fault.
    blocks: seeds of rated matches in which two bots met.
    left_out: recorded matches of tables that are not rated.
    incomplete, set_aside: those tables, each its event and its name, by what is
        missing.
    seats: of the largest rated table.
    """

    bots: dict[str, CountedBot]
    matches: int = 0
    tables: int = 0
    fault_free_matches: int = 0
    blocks: set[str] = msgspec.field(default_factory=set)
    left_out: int = 0
    incomplete: list[tuple[str, str]] = msgspec.field(default_factory=list)
    set_aside: list[tuple[str, str]] = msgspec.field(default_factory=list)
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
        if sorted(match.rotation for match in matches if not match.set_aside) != list(
            range(len(matches[0].bots))
        ):
            table.left_out += sum(not match.set_aside for match in matches)
            unrated = (
                table.set_aside if any(match.set_aside for match in matches) else table.incomplete
            )
            unrated.append((matches[0].event, matches[0].table))
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
        table.blocks.add(match.block)
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


def to_json(table: CountedTable, names: Mapping[str, str]) -> dict[str, Any]:
    """Return the counts in the form of ``standings --json``. ``names``: by the identity
    of each bot.
    """
    return {
        "matches": table.matches,
        "tables": table.tables,
        "blocks": len(table.blocks),
        "fault_free_matches": table.fault_free_matches,
        "left_out": {
            "matches": table.left_out,
            "incomplete": table.incomplete,
            "set_aside": table.set_aside,
        },
        "rows": [
            {"bot": bot, "name": names[bot], **_columns(of, table.seats)}
            for bot, of in table.bots.items()
        ],
    }


def _columns(bot: CountedBot, seats: int) -> dict[str, Any]:
    return {
        "matches": bot.matches,
        "seeds": len(bot.seeds),
        "finishes": [bot.finishes[place] for place in range(1, seats + 1)],
        "faults": {str(kind): bot.faults[kind] for kind in FAULTS},
        "voids": bot.voids,
        "score": bot.score,
        "ties": float(round(100 * bot.ties / bot.weight, DIGITS)) if bot.weight else None,
    }
