"""The check of a game against the contract of ``games/base.py``, with advice on each
broken point.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from hashlib import sha256
from typing import Any

import msgspec
from msgspec import Struct

from khiva_arena.bots.protocol.messages import FRAME_MOST_TO_BOT
from khiva_arena.errors import GameFault, GameSlow
from khiva_arena.extensions.own_games.game import OutsideGame
from khiva_arena.games.base import Game
from khiva_arena.games.checked_match import MOST_STEPS
from khiva_arena.games.conformance import found_in
from khiva_arena.rng import Stream
from khiva_arena.words import count

MATCHES = 3
ONE = "a question with one choice is not asked: let apply() play it, and report it in an event."
SLOW = (
    "look for a loop that does not end, and for what is waited for, at the named line; or make "
    "it faster."
)
DO = {
    "a game has a name": "give your Game a name, a title and a rules_version, each a text.",
    "seat counts rise": "seats is a rising list, such as (2, 3, 4).",
    "own canonical map": "rules() given what it returned must return the same again.",
    "a rules map is plain": "rules() returns a dict of only texts, whole numbers, lists and dicts.",
    "a sample of the rules": "leave out of samples what rules({}) gives anyway.",
    "an unknown rule is refused": (
        "rules() raises khiva_arena.errors.RulesError for a key that it does not know."
    ),
    "seats are refused": "call self.check_seats(seats) first in new().",
    "pending() twice": "pending() must not change anything, nor draw anything: do that in apply().",
    "is over exactly when": (
        "is_over is True exactly when pending() is empty; play what is left to do without "
        "a choice in apply()."
    ),
    "seats come in seat order": "make the dict of pending() in the order of the seats.",
    "no piece is lost or made": (
        "components() counts each piece wherever it lies, also what is hidden, played or "
        "out; look for the move that loses one."
    ),
    "is plain": (
        "only None, True, False, whole numbers to 2**53 - 1, texts, lists and dicts with texts as "
        "keys reach a bot: no tuple, set, float or object of your own."
    ),
    "an entry is a plain list": (
        'each entry of legal is a list of plain values, as ["card", 7]: no tuple, no bare text.'
    ),
    "belongs to its caller": (
        "view() gives a copy: list(self.hands[seat]) and not self.hands[seat]; of lists in a list, "
        "too: [list(bid) for bid in self.bids]."
    ),
    "private part": "leave public() and private() out: view() is enough.",
    "a decision has a kind": 'the first word of a Decision says what is asked, as "bid".',
    "a choice of one": ONE,
    "a question with one choice": ONE,
    "and a decision has": (
        "ask in steps, each of which has fewer choices: first which card, then where it goes."
    ),
    "view and legal have": (
        "show and ask less at a time: leave out of the view what follows from the rest of it."
    ),
    "MiB": "give less at a time.",
    "is too big": "whole numbers go to 2**53 - 1, since bots in other languages read them, too.",
    "one of the arena's own": "give the event a type of its own.",
    "entries differ": "two entries of legal are equal: leave one out.",
    "a score for each seat": (
        "scores is a list with one whole number for each seat, at every moment."
    ),
    "ranks are well formed": (
        "ranks are places: 1 is best, ties share one and the next is left out, as 1, 2, 2, 4."
    ),
    "points by source": (
        "points_by_source is a list with one SeatPoints(counted, uncounted) for each seat; the "
        "values of counted make its score. Leave it out if the rules have only one source."
    ),
    "sources of points": (
        "points_by_source names every source at every moment and for every seat, with 0 where "
        "nothing is held."
    ),
    "are refused": (
        "call check_choices(self.pending(), choices) of khiva_arena.games.base first in apply()."
    ),
    "refused choice changes nothing": "check all choices in apply() before anything is changed.",
    "clone": (
        "clone() copies every list and dict that a move changes; without clone(), everything "
        "is copied."
    ),
    "equal observations": (
        "a seat sees in its view or its choices what no event told it: report it in an event to "
        "that seat when it comes to know it, Event({...}, to=(seat,)), or leave it out."
    ),
    "a replay": (
        "let nothing but the secret, the rules and the choices decide: no random module, no time, "
        "no id(), nothing kept outside of the state."
    ),
    "goes to seats": "an event's `to` is None for everybody, or a tuple of seats.",
    "one line": (
        "narrate() gives one line of text for every event; without narrate(), each event has a "
        "plain line."
    ),
    "opens the same": (
        "draw only from khiva_arena.rng.Stream(secret, ...): no random module, no time, no set of "
        "texts that is gone through in its own order."
    ),
    "after the end": "apply() raises IllegalChoice when the match is over: check_choices does.",
    "ends within": (
        "give the game an end that comes with any choices, also if the first choice is always "
        "played."
    ),
    "the match has not ended": "give the game an end that comes with any choices.",
    "it raised": "see the named line.",
    "same match is played again": (
        "let nothing but the secret, the rules and the choices decide: no random module, no time, "
        "no id(), no set of texts that is gone through in its own order."
    ),
}
"""Advice on a point that fails, by words of the point."""


class GameStep(Struct, frozen=True):
    """A step of the check of a game.

    title: the table and rules that were looked at.
    passed: True if the contract is kept.
    said: the result.
    do: the advice if it failed, a line for each point, "" if nothing is known.
    """

    title: str
    passed: bool
    said: str
    do: str = ""


def steps_of(game: Game, settings: Mapping[str, Any] | None = None) -> Iterator[GameStep]:
    """Yield each step, as it is done: matches at random with every seat count and every
    sample of the rules.

    If rules were ``settings``, they alone are played. A step that takes too long is the
    last one: each further one would take as long.
    """
    for title, look in _looks(game, settings):
        try:
            yield _step(title, look)
        except GameSlow as fault:
            yield GameStep(title, False, f"{fault}; no further step was taken", SLOW)
            return


def _looks(
    game: Game, settings: Mapping[str, Any] | None
) -> Iterator[tuple[str, Callable[[], str]]]:
    """Yield the title of each step, and the function that does it."""
    first = dict(settings or {})
    samples = () if settings else map(dict, game.samples)
    tables = [(seats, first) for seats in _tables(game, first)]
    tables += [(seats, sample) for sample in samples for seats in _tables(game, sample)[-1:]]
    for seats, sample in tables:
        title = count(seats, "seat") + (
            f", {', '.join(f'{key} = {value}' for key, value in sample.items())}" if sample else ""
        )
        yield title, partial(_conforms, game, seats, sample)
    counts = _tables(game, first)
    for seats in dict.fromkeys((counts[0], counts[-1])):
        yield f"the same again, {count(seats, 'seat')}", partial(_measure, game, seats, first)


def _tables(game: Game, settings: Mapping[str, Any]) -> Sequence[int]:
    """Return the seat counts that can be played under some rules."""
    return game.seats_of(game.rules(settings))


def _step(title: str, look: Callable[[], str]) -> GameStep:
    try:
        return GameStep(title, True, look())
    except _Broken as broken:
        do = dict.fromkeys(filter(None, map(advice, broken.points)))
        return GameStep(title, False, "; ".join(broken.points), "\n".join(do))
    except GameSlow:
        raise
    except GameFault as fault:
        return GameStep(title, False, str(fault), advice(str(fault)))


class _Broken(Exception):
    """A game that breaks points of the contract. ``points``: the points that are
    broken.
    """

    def __init__(self, points: Sequence[str]) -> None:
        self.points = points
        super().__init__(*points)


def advice(point: str) -> str:
    """Return the advice on a point that fails, "" if there is none."""
    return next((text for words, text in DO.items() if words in point), "")


def _conforms(game: Game, seats: int, settings: Mapping[str, Any]) -> str:
    rules = game.rules(settings)
    for number in range(MATCHES):
        look = game.looked_at if isinstance(game, OutsideGame) else partial(found_in, game)
        findings = look(seats, rules, MOST_STEPS, f"a check {number}")
        if findings.points:
            raise _Broken(findings.points)
        if findings.short:
            summary = (
                f"{count(number, 'match', 'matches')} at random keep every point of the contract; "
                if number
                else ""
            )
            return (
                f"{summary}a match at random keeps every point that there was time to check: "
                f"{', '.join(findings.short)}"
            )
    return f"{count(MATCHES, 'match', 'matches')} at random keep every point of the contract"


def _measure(game: Game, seats: int, settings: Mapping[str, Any]) -> str:
    """Play a match and describe its length, its largest request and its slowest
    step.
    """
    secret = sha256(f"a check {game.name}".encode()).digest()
    stream = Stream(secret, "check")
    state, _ = game.played(seats, game.rules(settings), secret)
    steps, largest, slowest = 0, 0, 0.0
    while not state.is_over:
        pending = state.pending()
        sizes = (
            len(msgspec.msgpack.encode([state.view(seat), decision.legal]))
            for seat, decision in pending.items()
        )
        largest = max(largest, *sizes)
        choices = {seat: stream.below(len(decision.legal)) for seat, decision in pending.items()}
        began = time.perf_counter()
        state.apply(choices)
        slowest = max(slowest, time.perf_counter() - began)
        steps += 1
    size = f"{largest:,} of {FRAME_MOST_TO_BOT:,} bytes"
    return (
        f"{count(steps, 'step')}, the largest request {size}, the slowest step "
        f"{1000 * slowest:.1f} ms"
    )
