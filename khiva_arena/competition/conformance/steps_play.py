"""Steps that play: every kind of decision on real positions, its times, and whether
equal requests get equal choices.
"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import trio

from khiva_arena.bots.sandbox import system
from khiva_arena.bots.sandbox.limits import in_words
from khiva_arena.competition.conformance import processor
from khiva_arena.competition.conformance.context import RunningCheck, Skipped, Warned
from khiva_arena.competition.conformance.positions import (
    Place,
    decisions_of_a_match,
    find,
    kinds_of,
    place,
)
from khiva_arena.competition.conformance.talk import Talk, talking
from khiva_arena.entrants.hints.failed import Failed
from khiva_arena.games.base import Game
from khiva_arena.records.replay.conditions import TimeLimits
from khiva_arena.words import count

MATCH_SECONDS, MATCH_DECISIONS = 2.0, 150
QUICK_SECONDS, QUICK_DECISIONS = 0.3, 25
JUMP_DECISIONS = 3
BEFORE_FORFEIT = 3
AGAIN = 60
FEW = 3
"""The decisions below which nothing is said of a bot's pace."""
BEFORE_IDLE = 3


async def one_game(running: RunningCheck, game: Game) -> str:
    """Play matches at every seat count, under the default rules and some variants, one
    of them with a seat that forfeits.

    Then play to the kinds of decision that did not come up.
    """
    seen: Counter[str] = Counter()
    ends: list[bool] = []
    places = list(_places(game, running.quick))
    fewer = next((table_place for table_place in places if table_place.seats > 2), None)
    for table_place in places:
        async with talking(running, table_place) as talk:
            await talk.greet()
            decisions_most = QUICK_DECISIONS if running.quick else MATCH_DECISIONS
            if table_place is fewer:
                await _play_on(talk, seen, BEFORE_FORFEIT)
                talk.table.forfeit((table_place.seat + 1) % table_place.seats)
                decisions_most -= BEFORE_FORFEIT
            ends.append(await _play_on(talk, seen, decisions_most))
    missing = kinds_of(game) - seen.keys()
    for kind, table_place in find(game, missing).items() if not running.quick else ():
        async with talking(running, table_place) as talk:
            await talk.greet()
            question = talk.table.skip_to(kind)
            talk.table.choose(await _put_question(talk, question, seen))
            await _play_on(talk, seen, JUMP_DECISIONS)
    missing -= seen.keys()
    counts = (
        f"{game.seats[0]} to {game.seats[-1]}"
        if not running.quick
        else " and ".join(map(str, _quick_seats(game)))
    )
    matches = _matches(len(ends), sum(ends))
    not_seen = f"; not met in this run: {', '.join(sorted(missing))}" if missing else ""
    kinds = (
        f"{len(seen)} of {len(kinds_of(game))} kinds"
        if kinds_of(game)
        else count(len(seen), "kind")
    )
    return f"{seen.total():,} decisions, {kinds}, {matches} at {counts} seats{not_seen}"


def _matches(begun: int, ended: int) -> str:
    words = count(begun, "match", "matches")
    return words if ended == begun else f"{words} begun, {ended or 'none of them'} to the end,"


def _places(game: Game, quick: bool) -> Iterator[Place]:
    """Yield another seat at each seat count, so that no seat is special."""
    if quick:
        yield from (place(game, seats, seats - 1) for seats in _quick_seats(game))
        return
    for number, seats in enumerate(game.seats):
        yield place(game, seats, number % seats)
    variants: tuple[Mapping[str, Any], ...] = tuple(game.samples)
    for number, variant in enumerate(variants):
        seats = game.seats[-1 - number % len(game.seats)]
        yield place(game, seats, number % seats, variant)


def _quick_seats(game: Game) -> tuple[int, ...]:
    return tuple(dict.fromkeys((game.seats[0], game.seats[-1])))


async def _play_on(talk: Talk, kinds: Counter[str], limit: int) -> bool:
    """Play on until the match is over, or it has been long enough. Return True if it is
    over.
    """
    until = trio.current_time() + (QUICK_SECONDS if talk.running.quick else MATCH_SECONDS)
    for _ in range(limit):
        question = talk.table.next()
        if question is None or trio.current_time() > until:
            return question is None
        talk.table.choose(await _put_question(talk, question, kinds))
    return talk.table.over


async def _put_question(talk: Talk, question: Any, kinds: Counter[str]) -> int:
    choice = await talk.ask(question, legal=True)
    kinds[question.kind] += 1
    return choice


async def repeat(running: RunningCheck) -> str:
    """Check that a conversation repeated byte for byte gets the same choices."""
    table_place = running.place("again")
    decisions_most = QUICK_DECISIONS if running.quick else AGAIN
    answers: list[tuple[int, int, str, int]] = []
    async with talking(running, table_place) as talk:
        await talk.greet()
        until = trio.current_time() + MATCH_SECONDS
        while (
            len(answers) < decisions_most
            and trio.current_time() < until
            and (position := talk.table.next())
        ):
            req = talk.req
            choice = await talk.ask(position)
            answers.append((req, len(position.legal), position.kind, choice))
            talk.play(position, choice)
        frames = talk.sent
    async with talking(running, table_place) as talk:
        await talk.greeted(frames[0])
        for number, (frame, (req, choices, kind, before)) in enumerate(
            zip(frames[1:], answers, strict=True), 1
        ):
            talk.send(frame)
            choice = await talk.answer(req, choices, request=kind)
            if choice != before:
                raise Warned(
                    f"the same requests got another choice at number {number} ({kind}): "
                    f"{before}, then {choice}; such a match "
                    'cannot be replayed. Take random numbers from the hello\'s "seed", and '
                    "count work; look at no clock"
                )
    return f"the same {len(answers)} requests twice, with the same choices"


async def latency(running: RunningCheck) -> str:
    """Check the times of all decisions, and whether the bank pays for those of a whole
    match.
    """
    percentiles = of_latency(running.thought)
    if not percentiles:
        raise Skipped("it answered no request")
    turn = running.limits.turn_ms
    text = ", ".join(f"{name} {_ms(took)}" for name, took in percentiles.items())
    way = ", the way to its relay and back included" if running.bot.is_remote else ""
    text = f"{len(running.thought):,} decisions{way}: {text}; a turn has {turn:,} ms"
    late = sum(took * 1000 > turn for took in running.thought)
    if not late:
        return text
    bank = f"its bank of {running.limits.bank_ms:,} ms"
    text = f"{text}; {late} took longer than that, which {bank} has to pay"
    lasts = bank_lasts(running.thought, running.firsts, running.limits)
    decisions, game = _longest_match(running)
    if lasts < decisions:
        raise Failed(
            f"a bank that lasts for a whole match, which asks a seat for about {decisions} "
            f"decisions in {game}",
            f"{_pace(running.thought)}; {text}, and at that rate it lasts {lasts:.0f} decisions",
        )
    raise Warned(text)


def too_slow(running: RunningCheck) -> str:
    """Return in words how slow a bot is of which every decision so far took longer than
    a turn, and whose bank does not pay for a match; "" for any other bot.
    """
    thought, limits = running.thought, running.limits
    if len(thought) < FEW or min(thought) <= limits.turn:
        return ""
    return (
        _pace(thought)
        if bank_lasts(thought, running.firsts, limits) < _longest_match(running)[0]
        else ""
    )


def _pace(thought: list[float]) -> str:
    return f"too slow: {sum(thought) / len(thought):.1f} s a decision"


def _longest_match(running: RunningCheck) -> tuple[int, str]:
    """Return about how many decisions a seat has in a match of the game that asks for
    the most of them, and that game.
    """
    return max((decisions_of_a_match(game), game.name) for game in running.games)


def bank_lasts(thought: list[float], firsts: set[int], limits: TimeLimits) -> float:
    """Return the number of decisions of a match that the bank pays for at this rate,
    infinity if for any number.

    firsts: the positions of the first decisions of conversations, which often take
        longer, and come once to a match
    """
    beyond = [max(0.0, took - limits.turn) for took in thought]
    first = [took for number, took in enumerate(beyond) if number in firsts]
    later = [took for number, took in enumerate(beyond) if number not in firsts] or first
    bank = limits.bank_ms / 1000 - (sum(first) / len(first) if first else 0.0)
    rate = sum(later) / len(later) if later else 0.0
    return 1 + bank / rate if rate else math.inf


async def cores(running: RunningCheck) -> str:
    """Check the processor use in all decisions, and when the bot has just answered and
    is asked nothing.
    """
    async with talking(running) as talk:
        await talk.greet()
        for _ in range(BEFORE_IDLE):
            await talk.turn()
        idling = await processor.idle(talk.wire)
    return processor.judge(running, idling)


def of_latency(thought: list[float]) -> dict[str, float]:
    """Return percentiles and the longest time in milliseconds; empty if there is no
    time.

    A percentile is the smallest time that so many do not exceed.
    """
    times = sorted(thought)
    if not times:
        return {}
    at = {"p50": 50, "p90": 90, "p99": 99}
    return {name: times[-(-len(times) * part // 100) - 1] * 1000 for name, part in at.items()} | {
        "max": times[-1] * 1000
    }


def _ms(milliseconds: float) -> str:
    return f"{milliseconds:,.0f} ms" if milliseconds >= 100 else f"{milliseconds:.2g} ms"


def histogram(thought: list[float]) -> list[tuple[float, int]]:
    """Return pairs of a bound in milliseconds and the decisions up to it and above the
    bound before; the last bound is the longest time.
    """
    bounds = [0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0, 3000.0]
    times = [took * 1000 for took in thought]
    edges = [bound for bound in bounds if times and bound < max(times)] + (
        [max(times)] if times else []
    )
    bars, below = [], 0
    for edge in edges:
        upto = sum(took <= edge for took in times)
        bars.append((edge, upto - below))
        below = upto
    return bars


async def keys(running: RunningCheck) -> str:
    """Check that no key stands twice in a map that the bot has sent."""
    if running.repeated:
        raise Warned(
            f"it sends {', '.join(sorted(running.repeated))} twice in one map; the last "
            "one counts, but send it once"
        )
    return ""


async def memory(running: RunningCheck) -> str:
    """Check the bot's peak of memory against its limit."""
    limit = running.sandbox.resources.memory
    peak = (
        f"{in_words('memory', running.peak)} at most, of {in_words('memory', limit)}"
        if running.peak
        else f"n/a: {system.UNSEEN}"
    )
    if running.exceeded:
        raise Failed(
            "a bot that stays within the limits of a match (see `khiva-arena doctor`)",
            running.exceeded[0],
        )
    if running.peak > 0.75 * limit:
        raise Warned(f"{peak}; a longer match may end it")
    return peak
