"""Replays of events through their own draw, by bots of given strengths.

They show the effect of chance and the draw on errors. Matches are independent and
follow Plackett and Luce: a bot comes first of several with its share of their
strengths. Each replay has a stream of its own, from which its lots and its results
come, so that numbers depend on the key alone.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from khiva_arena.rating.ratings.elo import ELO_PER_NAT
from khiva_arena.rating.ratings.match_arrays import Floats, Ints
from khiva_arena.rating.ratings.replicas import ReplicaRound, fit_replicas
from khiva_arena.rating.ratings.swiss_factors import Factors
from khiva_arena.rating.schedule import knockout, swiss
from khiva_arena.rating.schedule.formats import shapes
from khiva_arena.rating.schedule.lineups import LineUp
from khiva_arena.rating.schedule.names import Format
from khiva_arena.rating.schedule.scores import BotSums, RoundSums, by_score_of
from khiva_arena.rating.schedule.terms import DrawnRound, Placing, Shape, Terms
from khiva_arena.records.replay.definition import author_groups
from khiva_arena.rng import Stream

REPLAYS = 300
_AT_ONCE = 50
_NUMBERS = 4  # of 8 bytes, in a block of a stream
_SECONDS_A_PAIR, _SECONDS_A_PAIR_OF_SEATS = 4e-7, 6e-8  # of one round of one replay
_DRAWS: dict[str, Callable[[Terms, Shape, Sequence[RoundSums]], DrawnRound]] = {
    Format.SWISS: partial(swiss.draw_of, quick=True),
    Format.KNOCKOUT: knockout.draw_of,
}
_PLACES: dict[str, Callable[[Terms, Sequence[RoundSums]], tuple[Placing, ...]]] = {
    Format.SWISS: swiss.places_of,
    Format.KNOCKOUT: knockout.places_of,
}


class EventToReplay(msgspec.Struct, frozen=True):
    """An event, as far as it is replayed.

    terms: the terms of its schedule; their key is not used.
    bots: by position, the number of the bot in the table.
    rounds: the number of its rounds that are replayed.
    played: for line-ups known from the start, those that were played, and on how many
        seeds, in parts.
    after: the index of the replayed event that was the stage before, whose best bots
        play here; None for none.
    authors: by number of the bot in the table, "" for none.
    """

    terms: Terms
    bots: tuple[int, ...]
    rounds: int = 0
    played: tuple[tuple[tuple[LineUp, ...], int], ...] = ()
    after: int | None = None
    authors: tuple[str, ...] = ()


def follows_results(event: EventToReplay) -> bool:
    """Tell whether results decide who meets whom in the replayed rounds of an event.

    In a knockout, and where the best of one stage come to the next, results only decide
    who plays on, and errors are right.
    """
    return event.terms.format == Format.SWISS and event.rounds > 1


def seconds_of(events: Sequence[EventToReplay]) -> float:
    """Return about how many seconds all replays of these events take on one core: from
    counts alone, so equal on every machine.
    """
    bots = max(bot for event in events for bot in event.bots) + 1
    seconds = 0.0
    for event in events:
        for shape, line_ups in _shapes(event):
            seconds += (
                _SECONDS_A_PAIR * bots**2
                + _SECONDS_A_PAIR_OF_SEATS * shape.matches * shape.seats**2
            )
            seconds += 0.0 if line_ups is not None else _SECONDS_A_PAIR * len(event.bots) ** 2
    return REPLAYS * seconds


def factors(
    events: Sequence[EventToReplay],
    elo: Sequence[int],
    rated: Sequence[bool],
    key: bytes,
    number: int = REPLAYS,
) -> Factors:
    """Replay the events of one table.

    elo: by number of the bot, its strength.
    rated: by number of the bot, whether it counts; a match is rated if all its bots
        count.
    key: 32 bytes, from which all chance comes.
    """
    numbers = [range(first, min(number, first + _AT_ONCE)) for first in range(0, number, _AT_ONCE)]
    return factors_of(
        np.concatenate(
            [all_distances(play_replays(events, elo, rated, key, batch), elo) for batch in numbers]
        )
    )


def all_distances(rounds: Sequence[ReplicaRound], elo: Sequence[int]) -> Floats:
    """Return (R, n (n - 1) / 2) how far the difference of each two bots is from the
    truth, in standard errors.

    Two bots that are not compared have NaN.
    """
    fits, truth = fit_replicas(rounds), np.array(elo, dtype=np.float64) / ELO_PER_NAT
    off = (fits.nats[:, :, None] - fits.nats[:, None, :]) - (truth[:, None] - truth)
    upper = np.triu_indices(len(elo), 1)
    return np.asarray((np.abs(off) / fits.errors())[:, upper[0], upper[1]])


def factors_of(distances: Floats) -> Factors:
    """Return the 95 % quantiles of the distances of all replays: over every pair, and
    over the largest of each replay.
    """
    return Factors(_quantile(distances.ravel()), _quantile(np.fmax.reduce(distances, axis=1)))


def _quantile(values: Floats) -> float:
    numbers_known = values[~np.isnan(values)]
    return round(float(np.quantile(numbers_known, 0.95)), 3) if len(numbers_known) else 0.0


class _Replay(NamedTuple):
    """A replay as far as it has come.

    lots, results: its streams.
    terms: of each event, with a key of its own.
    bots: of each event, by position the number of the bot in the table.
    past: of each event, the rounds that were played.
    """

    lots: Stream
    results: Stream
    terms: list[Terms]
    bots: list[tuple[int, ...]]
    past: list[list[RoundSums]]


def play_replays(
    events: Sequence[EventToReplay],
    elo: Sequence[int],
    rated: Sequence[bool],
    key: bytes,
    numbers: range,
) -> list[ReplicaRound]:
    """Play the replays of these ``numbers`` side by side, round by round."""
    counts, weight = np.array(rated, dtype=np.bool_), 10 ** (np.array(elo, dtype=np.float64) / 400)
    replays = [
        _Replay(
            Stream(key, "replay", str(number), "lots"),
            Stream(key, "replay", str(number), "results"),
            [],
            [],
            [],
        )
        for number in numbers
    ]
    rounds = []
    for at, event in enumerate(events):
        for replay in replays:
            replay.bots.append(
                event.bots if event.after is None else _best(replay, event.after, len(event.bots))
            )
            replay.terms.append(
                replace(_with_authors(event, replay.bots[at]), key=replay.lots.blocks(1))
            )
            replay.past.append([])
        for shape, fixed in _shapes(event):
            draws = [
                _DRAWS[event.terms.format](replay.terms[at], shape, replay.past[at]).line_ups
                if fixed is None
                else fixed
                for replay in replays
            ]
            bots = np.array(
                [
                    [replay.bots[at] for _ in line_ups]
                    for replay, line_ups in zip(replays, draws, strict=True)
                ]
            )
            tables = np.take_along_axis(bots, np.array(draws), axis=2)
            chance = [
                replay.results.blocks(-(-tables[0].size * shape.seeds * shape.seats // _NUMBERS))
                for replay in replays
            ]
            of_round, sums = _play(tables, counts, shape.seeds, weight, chance)
            rounds.append(of_round)
            for replay, line_ups, of_replay in zip(replays, draws, sums, strict=True):
                by_bot = [BotSums(*of_replay[bot]) for bot in replay.bots[at]]
                replay.past[at].append(RoundSums(shape.matches, line_ups, by_bot))
    return rounds


def _shapes(event: EventToReplay) -> Iterator[tuple[Shape, tuple[LineUp, ...] | None]]:
    """Yield the rounds that are replayed, each with its line-ups if these are known,
    else None.
    """
    if event.rounds:
        yield from ((shape, None) for shape in shapes(event.terms)[: event.rounds])
    for number, (line_ups, seeds) in enumerate(event.played):
        yield Shape(number, 0, seeds, len(line_ups), 0, event.terms.seats), line_ups


def _with_authors(event: EventToReplay, bots: Sequence[int]) -> Terms:
    """Return the terms with the authors of the bots that came to the stage."""
    if event.after is None or not event.terms.authors:
        return event.terms
    return replace(event.terms, authors=author_groups([event.authors[bot] for bot in bots]))


def _best(replay: _Replay, at: int, number: int) -> tuple[int, ...]:
    """Return the bots of the stage after event ``at``, best first."""
    terms, past = replay.terms[at], replay.past[at]
    placings = (
        _PLACES[terms.format](terms, past)
        if terms.format in _PLACES
        else by_score_of(terms.bots, past)
    )
    return tuple(replay.bots[at][placing.bot] for placing in placings[:number])


def _play(
    tables: Ints, rated: npt.NDArray[np.bool_], seeds: int, weight: Floats, chance: Sequence[bytes]
) -> tuple[ReplicaRound, list[list[tuple[int, int, int]]]]:
    """Play each table of each replay in all rotations on so many seeds.

    Returns the round to be fitted; and by replay and bot the half points, pairs and
    first places that a draw reads.
    """
    replays, count, seats = tables.shape
    bots = len(weight)
    shape = (replays, count, seeds, seats, seats)  # ..., match, seat
    numbers = np.array(
        [np.frombuffer(text, dtype=">u8")[: count * seeds * seats * seats] for text in chance],
        dtype=np.uint64,
    )
    # 53 bits and a half: never 0, whose logarithm would be infinite
    uniform = ((numbers >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53
    # exponential times: a bot comes first with its share of the strengths, as in
    # Plackett and Luce
    arrival = (-np.log(uniform)).reshape(shape) / weight[tables][:, :, None, None, :]
    counts = np.asarray(rated[tables].all(axis=2))
    first = np.arange(replays)[:, None] * bots
    of_seed = (np.arange(replays)[:, None, None] * seeds + np.arange(seeds)) * bots  # (R, 1, S)
    points = np.zeros(replays * seeds * bots, dtype=np.float64)
    won, pairs = np.zeros(replays * bots), np.zeros(replays * bots)
    ahead = np.zeros((replays, bots, bots), dtype=np.bool_)
    for i in range(seats):
        for j in range(seats):
            if i == j:
                continue
            a, b = tables[:, :, i], tables[:, :, j]
            different = a != b
            wins = (arrival[..., i] < arrival[..., j]).sum(axis=3) * different[
                :, :, None
            ]  # (R, T, S)
            scored = (counts[:, :, None] * wins).ravel()
            points += np.bincount((of_seed + a[:, :, None]).ravel(), scored, len(points))
            won += np.bincount((first + a).ravel(), wins.sum(axis=2).ravel(), len(won))
            pairs += np.bincount(
                (first + a).ravel(), (different * (seeds * seats)).ravel(), len(pairs)
            )
            is_ahead = (wins.sum(axis=2) > 0) & counts
            ahead[
                np.broadcast_to(np.arange(replays)[:, None], a.shape)[is_ahead],
                a[is_ahead],
                b[is_ahead],
            ] = True
    winner = np.take_along_axis(
        tables[:, :, None, None, :], arrival.argmin(axis=4)[..., None], axis=4
    )[..., 0]
    firsts = np.bincount((first[:, :, None, None] + winner).ravel(), minlength=replays * bots)
    sums = np.stack([2 * won, pairs, firsts], axis=1).astype(np.int64).reshape(replays, bots, 3)
    of_round = ReplicaRound(
        tables, counts, points.astype(np.int64).reshape(replays, seeds, bots), ahead
    )
    return of_round, [
        [(halves, met, first_places) for halves, met, first_places in of_replay]
        for of_replay in sums.tolist()
    ]
