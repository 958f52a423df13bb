"""How long matches take at worst: each bot uses all of its time, in matches as long as
the longest of some random games.

A match may be longer than these games, so the result is no bound. It tells an organiser
whether limits fit into a night.
"""

import time
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import NamedTuple

from khiva_arena.arbiter.job import EXIT_GRACE
from khiva_arena.common.time_in_words import in_time
from khiva_arena.errors import GameFault
from khiva_arena.games.base import Game, Plain
from khiva_arena.records.replay.conditions import TimeLimits
from khiva_arena.rng import Stream
from khiva_arena.words import count

GAMES = 20
MOST_SECONDS = 0.3
"""Seconds of CPU that random games may take; of the clock for a game whose code runs in
another process.
"""
WORTH_SAYING = 60.0


class RandomGames(NamedTuple):
    """Games in which each seat chooses uniformly among its legal choices.

    games: how many were played to their end.
    steps: of the longest game. A step asks one seat, or several at the same time.
    decisions: the most that one seat had in a game.
    at_once: how many seats a step asks in the mean.
    """

    games: int
    steps: int
    decisions: int
    at_once: float

    def match_seconds(self, limits: TimeLimits, seats: int) -> float:
        """Return how long a match takes if each bot uses all of its time. Bots start,
        and end, at the same time.
        """
        return self._around(limits) + self.steps * limits.turn + seats * limits.bank_ms / 1000

    def seconds_of_one(self, limits: TimeLimits) -> float:
        """Return how long a match takes if one bot uses all of its time, and the others
        answer at once.
        """
        return self._around(limits) + self.decisions * limits.turn + limits.bank_ms / 1000

    def _around(self, limits: TimeLimits) -> float:
        return limits.startup + EXIT_GRACE

    @property
    def words(self) -> str:
        """The games as a line names them."""
        return f"the longest of {self.games} random games" if self.games > 1 else "a random game"


def random_games(game: Game, seats: int, rules: Mapping[str, Plain]) -> RandomGames | None:
    """Play random games on deals of their own. Return None if none ends in the time for
    all, or if the game breaks.
    """
    clock = time.monotonic if game.outside else time.process_time
    until = clock() + MOST_SECONDS
    lengths: list[int] = []
    asked: list[list[int]] = []
    for number in range(GAMES):
        steps, decisions = 0, [0] * seats
        secret = sha256(f"khiva-worst-case-1\0{number}".encode()).digest()
        stream = Stream(secret, "choices")
        try:
            state, _ = game.new(seats, rules, secret)
            while pending := state.pending():
                if clock() > until:
                    return _of(lengths, asked)
                state.apply(
                    {seat: stream.below(len(decision.legal)) for seat, decision in pending.items()}
                )
                steps += 1
                for seat in pending:
                    decisions[seat] += 1
        except GameFault:
            return None
        lengths.append(steps)
        asked.append(decisions)
    return _of(lengths, asked)


def _of(lengths: Sequence[int], asked: Sequence[Sequence[int]]) -> RandomGames | None:
    if not sum(lengths):
        return None
    return RandomGames(
        len(lengths), max(lengths), max(map(max, asked)), sum(map(sum, asked)) / sum(lengths)
    )


def seconds_of(matches: Sequence[int], at_a_time: int, match_seconds: float) -> float:
    """Return how long matches take one round after another. ``matches``: of each round,
    which waits for the one before it.
    """
    return sum(-(-of_a_round // at_a_time) for of_a_round in matches) * match_seconds


def worst_line(
    games: RandomGames, limits: TimeLimits, seats: int, matches: Sequence[int], at_a_time: int
) -> str:
    """Return in a line how long matches take at worst; "" for less than
    ``WORTH_SAYING`` seconds.

    matches: of each round that are still to be played.
    at_a_time: how many matches are played at a time.
    """
    seconds = seconds_of(matches, at_a_time, games.match_seconds(limits, seats))
    if seconds < WORTH_SAYING:
        return ""
    return (
        f"its matches take about {in_time(seconds)} at most, if all bots use all of their time and "
        f"no match is longer than {games.words}"
    )


def cost_of_limits(games: RandomGames, limits: TimeLimits, seats: int, matches: int) -> str:
    """Return a paragraph about the most that a slow bot costs at some limits, in
    matches that it all plays, one at a time.
    """
    one, each = games.seconds_of_one(limits), games.match_seconds(limits, seats)
    return (
        "A bot that uses all of this start, turn and bank makes a match last up to about "
        f"{in_time(one)}, by {games.words}. The {count(matches, 'match', 'matches')} of this file, "
        f"one at a time, then take up to {in_time(matches * one)}. If all bots do so, they take up "
        f"to {in_time(matches * each)}. `run` says this for your bots and settings before it plays."
    )
