"""What an organiser gains who tries deals before he chooses them: leagues of six equal
bots, of which one is his friend's.

Run as a program, it prints the table of docs/what-results-prove.md. Its bots choose at
random, each from its own number, as a bot does that asks its seed. So an organiser who
knows secret and line knows every match beforehand, as in a league in ticks.
"""

import sys
import tempfile
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from statistics import fmean
from typing import NamedTuple
from unittest import mock

import made_league
from made_league import MadeLeague, Shape
from synthesised import outcome

from khiva_arena import __version__
from khiva_arena.arbiter.match import Job, Outcome
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.competition.events.pool_tables import tables_of
from khiva_arena.extensions.league.chain import stored_chain
from khiva_arena.extensions.league.chain.links import Beacon, Drawn
from khiva_arena.extensions.league.chain.stored_chain import links_of
from khiva_arena.extensions.league.draw.next_batch import definition_of, next_batch
from khiva_arena.rating.schedule.timetable import Timetable
from khiva_arena.records.replay import seeds
from khiva_arena.records.replay.definition import Definition
from khiva_arena.records.store.db import EventRow

FRIEND = "friend"
BEGINS = datetime(2020, 1, 1, tzinfo=UTC)
BEACON = Beacon("lottery", BEGINS.isoformat(), 1, 30)


def line_of(number: int) -> str:
    """Return the line of a round of the beacon, which nobody knows before."""
    return sha256(b"lottery %d" % number).hexdigest()


class Size(NamedTuple):
    """How much is tried: secrets or lines a batch, and batches of so many deals."""

    tries: int = 12
    batches: int = 6
    seeds: int = 2


class Choice(NamedTuple):
    """What an organiser chooses of a batch: the secret, and the line that he says was
    mixed in.
    """

    secret: bytes
    line: str


Worth = Callable[[bytes, str | None], float]
"""What a batch is worth to the friend, by its secret and the line that is mixed into
its deals.
"""


def secrets_of(number: int, tries: int) -> list[bytes]:
    """Return the secrets that are tried for a batch."""
    return [sha256(b"secret %d of batch %d" % (one, number)).digest() for one in range(tries)]


def tries_secrets(worth: Worth, secrets: Sequence[bytes], line: str) -> Choice:
    """Commit to the best of some secrets, in a league without a beacon."""
    return Choice(max(secrets, key=lambda secret: worth(secret, None)), line)


def tries_secrets_before_the_line(worth: Worth, secrets: Sequence[bytes], line: str) -> Choice:
    """Commit to the secret that is best with a guess of the line."""
    return Choice(max(secrets, key=lambda secret: worth(secret, "a guess")), line)


def draws_late(worth: Worth, secrets: Sequence[bytes], line: str) -> Choice:
    """Wait for the line, commit to the secret that is best with it, and date the link
    back.
    """
    return Choice(max(secrets, key=lambda secret: worth(secret, line)), line)


def writes_a_false_line(worth: Worth, secrets: Sequence[bytes], line: str) -> Choice:
    """Commit to a secret in time, and say that the line was the best of some others."""
    lines = [sha256(f"{line} {number}".encode()).hexdigest() for number in range(len(secrets))]
    return Choice(secrets[0], max(lines, key=lambda other: worth(secrets[0], other)))


def is_honest(_worth: Worth, secrets: Sequence[bytes], line: str) -> Choice:
    """Commit to any secret, and take the line that comes."""
    return Choice(secrets[0], line)


class Result(NamedTuple):
    """What became of a league.

    elo: of the friend's bot, above the mean of the other five.
    error: of it.
    folder: of the league.
    drawn: the links that draw batches.
    """

    elo: float
    error: float
    folder: Path
    drawn: list[Drawn]


def play(job: Job) -> Outcome:
    """Play a match of bots that choose by lot from their own numbers, which follow from
    the secret of the deal.
    """
    return outcome(job, job.secret.hex())


def league_of(
    folder: Path,
    choose: Callable[[Worth, Sequence[bytes], str], Choice],
    beacon: Beacon | None,
    size: Size,
) -> Result:
    """Play a league whose organiser chooses so, and return what became of it."""
    clock = [BEGINS]

    def now() -> str:
        return clock[0].isoformat()

    with (
        mock.patch.object(stored_chain, "now", now),
        MadeLeague(folder, Shape(seeds=size.seeds, beacon=beacon), play) as made,
    ):
        for number, name in enumerate((FRIEND, "ann", "bob", "eve")):
            made.enter(name, number, number)
        for number in range(size.batches):
            definition = definition_of(made.chain, next_batch(made.chain, made.counts), {})

            def worth(
                secret: bytes, line: str | None, definition: Definition = definition
            ) -> float:
                return _worth(definition, secret, line)

            clock[0] += timedelta(minutes=1)
            choice = choose(
                worth, secrets_of(number, size.tries), line_of(BEACON.round_after(clock[0]))
            )
            with (
                mock.patch.object(
                    made_league.secrets, "token_bytes", lambda _size, secret=choice.secret: secret
                ),
                mock.patch.object(
                    made_league, "line_of_round", lambda _number, line=choice.line: line
                ),
            ):
                made.batch(at=(clock[0] + timedelta(seconds=BEACON.ahead)).isoformat())
        drawn = [link for link in links_of(made.store) if isinstance(link, Drawn)]
    ((table,),) = (tables_of(folder, ()),)
    rows = {row.name: row for row in table.standings.rows}
    friend = rows.pop(FRIEND)
    assert friend.elo is not None
    return Result(
        friend.elo - fmean(row.elo or 0.0 for row in rows.values()),
        friend.error or 0.0,
        folder,
        drawn,
    )


def _worth(definition: Definition, secret: bytes, line: str | None) -> float:
    """Return the mean rank of the friend's bot in a batch, below 0, so that more is
    better.
    """
    commitment = seeds.commitment(definition.digest, secret)
    event = seeds.event_id(definition.digest, commitment)
    row = EventRow(
        event, 1, definition.text, (__version__,), "", commitment, secret, (), public=line
    )
    friend, timetable, ranks = definition.names.index(FRIEND), Timetable(row.terms()), []
    for ordinal in range(timetable.matches):
        match = timetable.match(ordinal)
        assert match is not None
        if friend not in match.bots:
            continue
        of_seed = row.seed_secret(match.k)
        header = definition.header(definition.seated(match.bots), row.match_id(ordinal), of_seed)
        record = play(
            Job(ordinal, 1, header, of_seed, (Command(("none",), "/"),) * 3, definition.sandbox())
        ).record
        assert record is not None
        ranks.append(record.ranks[match.bots.index(friend)])
    return -fmean(ranks)


ORGANISERS: dict[str, tuple[Callable[[Worth, Sequence[bytes], str], Choice], Beacon | None]] = {
    "honest, no beacon": (is_honest, None),
    "tries secrets, no beacon": (tries_secrets, None),
    "honest, with a beacon": (is_honest, BEACON),
    "tries secrets, with a beacon": (tries_secrets_before_the_line, BEACON),
    "draws late, with a beacon": (draws_late, BEACON),
    "writes a false line, with a beacon": (writes_a_false_line, BEACON),
}


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        for said, (choose, beacon) in ORGANISERS.items():
            result = league_of(Path(name) / said, choose, beacon, Size(*map(int, sys.argv[1:])))
            print(f"{said:36} {result.elo:+5.0f} +/- {result.error:.0f}", flush=True)
