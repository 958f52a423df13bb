"""Recorded matches as values, each of which can be replayed step by step."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from khiva_arena.bots.protocol.bot_function import Choose
from khiva_arena.common.text import preformatted
from khiva_arena.competition.events.find import events_of, matches_of
from khiva_arena.competition.events.in_bundle import bundled_matches
from khiva_arena.competition.settings.table import OF_A_MATCH
from khiva_arena.errors import ConfigError, StoreError
from khiva_arena.games.base import Event, Pending, SeatPoints, State
from khiva_arena.interface.api.checkpoints import Checkpoint
from khiva_arena.interface.api.functions import as_words
from khiva_arena.interface.api.host import Host, is_remote
from khiva_arena.interface.api.keywords import (
    as_path,
    hand_over,
    naming_its_extension,
    plain_settings,
    refuse_early,
)
from khiva_arena.rating.report.exports import points_columns
from khiva_arena.records.replay.record import Record
from khiva_arena.records.replay.story import story
from khiva_arena.records.replay.verify import verify
from khiva_arena.records.store.db import EventRow, MatchRow, Store

if TYPE_CHECKING:
    import pandas


class MatchFault(NamedTuple):
    """A fault of a bot in a match.

    verdict: the kind, a word of result.Verdict.
    step: the number of the step, 0 is the start.
    detail: one line for the bot's author.
    """

    verdict: str
    step: int
    detail: str


@dataclass(frozen=True, slots=True)
class ReplayStep:
    """One step of a match.

    number: 0 is the opening, in which nobody is asked.
    before: the state in which the seats were asked; None for the opening. It may be
        looked at or cloned, not changed.
    asked: by seat, its decision.
    choices: by seat, its index into ``asked[seat].legal``.
    defaults: by seat, why the default was played: a verdict, or "forfeited". Seats that
        chose themselves are absent.
    events: what happened, in order.
    state: after the step; the ``before`` of the next step.
    """

    number: int
    before: State | None
    asked: Pending = field(repr=False)
    choices: Mapping[int, int]
    defaults: Mapping[int, str]
    events: Sequence[Event] = field(repr=False)
    state: State


@dataclass(frozen=True)
class PlayedMatch:
    """A match that was recorded. Lists are by seat.

    record: what replays bit for bit, with rules, choices and results.
    secret: of its deal, 32 bytes: what opens the record's commitment.
    event: its number in the store, 0 for a match that belongs to none.
    ordinal: its place in the schedule, from 0.
    seed: which deal of the event, from 0.
    faults: of each seat, strikes included; None from a bundle, which does not have
        their details.
    notes: the stderr of each bot, as far as it is kept; None from a bundle.
    """

    record: Record
    secret: bytes = field(repr=False)
    event: int = 0
    ordinal: int = 0
    seed: int = 0
    faults: tuple[tuple[MatchFault, ...], ...] | None = None
    notes: tuple[str, ...] | None = field(default=None, repr=False)

    @property
    def id(self) -> str:
        """The id of the match, 16 hex digits."""
        return self.record.header.match

    @property
    def game(self) -> str:
        """The name of the game."""
        return self.record.header.game

    @property
    def rules(self) -> Mapping[str, Any]:
        """The rules map of the game."""
        return self.record.header.rules

    @property
    def bots(self) -> tuple[str, ...]:
        """The names of the bots, by seat."""
        return tuple(seat.name for seat in self.record.header.seats)

    @property
    def ranks(self) -> tuple[int, ...]:
        """The final ranks by seat: 1 is best, ties share a rank."""
        return self.record.ranks

    @property
    def scores(self) -> tuple[int, ...]:
        """The scores by seat, in the game's own points."""
        return self.record.scores

    @property
    def verdicts(self) -> tuple[str, ...]:
        """The verdicts by seat: "ok", or why the seat forfeited."""
        return tuple(map(str, self.record.verdicts))

    @property
    def digest(self) -> str:
        """The end of the record's hash chain, 64 hex digits."""
        return self.record.digest

    def __repr__(self) -> str:
        seats = zip(self.bots, self.scores, self.ranks, self._fault_words(), strict=True)
        results = ", ".join(f"{bot} {score} ({rank}.{words})" for bot, score, rank, words in seats)
        return f"<match {self.id} of {self.game}: {results}>"

    def _fault_words(self) -> list[str]:
        """Return by seat ", crashed" or ", 2 x timeout" and the like, "" for no
        fault.
        """
        if self.faults is None:
            return ["" if verdict == "ok" else f", {verdict}" for verdict in self.verdicts]
        counts = [Counter(fault.verdict for fault in faults) for faults in self.faults]
        return [
            "".join(f", {n} x {kind}" if n > 1 else f", {kind}" for kind, n in seat.items())
            for seat in counts
        ]

    def __hash__(self) -> int:
        return hash(self.digest)

    @naming_its_extension()
    def replay(self) -> tuple[ReplayStep, ...]:
        """Return all steps, the opening first. Raises RecordError if the record does
        not replay to what it says.
        """
        steps: list[ReplayStep] = []

        def watch(number: int, state: State, events: Sequence[Event]) -> None:
            before = steps[-1].state if steps else None
            choices = self.record.steps[number - 1] if number else ()
            steps.append(
                ReplayStep(
                    number,
                    before,
                    dict(before.pending()) if before else {},
                    {choice.seat: choice.choice for choice in choices},
                    {choice.seat: choice.why for choice in choices if choice.why},
                    tuple(events),
                    state.clone(),
                )
            )

        verify(self.record, self.secret, watch)
        return tuple(steps)

    @naming_its_extension()
    def points_by_source(self) -> tuple[SeatPoints, ...] | None:
        """Return where the points of each seat come from, None if the game does not
        say. Raises RecordError if the record does not replay to what it says.
        """
        by_source = verify(self.record, self.secret).points_by_source
        return None if by_source is None else tuple(by_source)

    @naming_its_extension()
    def story(self) -> str:
        """Return the match as text, turn by turn, hidden cards included. Raises
        RecordError if it does not replay.
        """
        return story(self.record, self.secret)

    def to_json(self) -> str:
        """Return the record as canonical JSON."""
        return self.record.to_json()

    def _repr_html_(self) -> str:
        return preformatted(self.story())


def match(*bots: str | Path | Choose | Checkpoint, **settings: Any) -> PlayedMatch:
    """Play one match, the bots seated in the order given, and return it.

    bots: words as ``--bot`` takes them, folders, or functions ``choose(decide, match)
        -> index``.
    settings: settings of a match by their names in a settings file, as game="emira",
        seed="a", turn="500ms", rules={...}. A game that does not come with the arena
        stays handed over until Python ends.

    Raises ConfigError for wrong settings, BotError for a bot that does not start,
    ArenaError if the match fails twice because of this machine.
    """
    words, functions = as_words(bots)
    keywords = {
        **plain_settings(
            settings, functions, known=[name for name in OF_A_MATCH if name != "bots"]
        ),
        "bots": words,
    }
    hand_over(keywords.get("game", ()))
    # not above: recorded matches do without it
    from khiva_arena.competition.settings.one_match import settings_and_bots

    refuse_early(keywords, settings_and_bots)
    reply = Host("match", aloud=is_remote(words), keywords=keywords, callables=functions).value()
    return PlayedMatch(
        record=Record.from_json(reply["record"]),
        secret=bytes.fromhex(reply["secret"]),
        faults=tuple(tuple(MatchFault(*fault) for fault in seat) for seat in reply["faults"]),
        notes=tuple(reply["notes"]),
    )


class RecordedMatches(Iterator[PlayedMatch]):
    """An iterator of recorded matches; the matches still to come can be had as a data
    frame.
    """

    def __init__(self, matches: Iterator[PlayedMatch]) -> None:
        self._matches = matches

    def __next__(self) -> PlayedMatch:
        return next(self._matches)

    def rows(self, points: bool = False) -> Iterator[dict[str, Any]]:
        """Yield a row for each seat of each match.

        points: whether to replay each match, and to add where the seat's points come
            from: "points_gems" for a source that counts,
            "uncounted_undelivered_carpets" for one that does not. Raises RecordError if
            a match does not replay.
        """
        for match in self:
            by_source = (match.points_by_source() if points else None) or [None] * len(match.bots)
            common = {
                "event": match.event,
                "match": match.id,
                "ordinal": match.ordinal,
                "seed": match.seed,
                "game": match.game,
            }
            seats = zip(
                match.bots,
                match.record.header.seats,
                match.ranks,
                match.scores,
                match.verdicts,
                strict=True,
            )
            for seat, (bot, entrant, rank, score, verdict) in enumerate(seats):
                yield {
                    **common,
                    "seat": seat,
                    "bot": bot,
                    "identity": entrant.bot,
                    "rank": rank,
                    "score": score,
                    "verdict": verdict,
                    "faults": None if match.faults is None else len(match.faults[seat]),
                    **points_columns(by_source[seat]),
                }

    def to_pandas(self, points: bool = False) -> "pandas.DataFrame":
        """Return a pandas.DataFrame with a row for each seat of each match. Needs
        pandas. ``points``: as for ``rows``.
        """
        import pandas

        rows = list(self.rows(points))
        return pandas.DataFrame(rows, columns=list(_columns(rows)))

    def to_polars(self, points: bool = False) -> Any:
        """Return a polars.DataFrame with a row for each seat of each match. Needs
        polars. ``points``: as for ``rows``.
        """
        polars = import_module("polars")
        types = {int: polars.Int64, str: polars.String}
        rows = list(self.rows(points))
        return polars.DataFrame(
            rows, schema={name: types[kind] for name, kind in _columns(rows).items()}
        )


FRAME = {
    "event": int,
    "match": str,
    "ordinal": int,
    "seed": int,
    "game": str,
    "seat": int,
    "bot": str,
    "identity": str,
    "rank": int,
    "score": int,
    "verdict": str,
    "faults": int,
}
"""The columns of a frame of matches; ``faults`` is unknown in a bundle."""


def _columns(rows: Sequence[Mapping[str, Any]]) -> dict[str, type]:
    """Return the columns of a frame: those of every frame, and those of points by
    source that some of the rows have.
    """
    return {**FRAME, **{name: int for row in rows for name in row if name not in FRAME}}


def matches(
    path: str | Path, *events: str | int, game: str | Path | Sequence[str] = ()
) -> RecordedMatches:
    """Return the recorded matches of a store or of a bundle, in the order of their
    schedule. Each is read when it is asked for.

    ``matches(path).to_pandas()`` and ``to_polars()`` return a frame with a row for each
    seat of each match.

    events: events of the store, by number or the beginning of their ids; all events by
        default.
    game: as in ``verify``, for replaying matches.

    Raises ConfigError for an event that is not there, StoreError for a store that is
    damaged or cannot be read, RecordError for a damaged record.
    """
    return RecordedMatches(_recorded(path, events, game))


def _recorded(
    path: str | Path, events: Sequence[str | int], game: str | Path | Sequence[str]
) -> Iterator[PlayedMatch]:
    hand_over(game)
    path = as_path("path", path)
    if path.is_file():
        if events:
            raise ConfigError("a bundle is read as a whole: leave out the events")
        for number, ordinal, seed, record, secret, _ in bundled_matches(path):
            yield PlayedMatch(record, secret, number, ordinal, seed)
        return
    with Store.read(path) as store:
        for event in events_of(store, tuple(map(str, events))):
            secrets = store.reveals(event.id)
            for row in matches_of(store, event):
                yield of_row(event, row, secrets.get(row.seed) or event.seed_secret(row.seed))


def of_row(event: EventRow, row: MatchRow, secret: bytes) -> PlayedMatch:
    """Return a match of a store, from its row. Raises RecordError."""
    return PlayedMatch(
        record=row.parsed(),
        secret=secret,
        event=event.number,
        ordinal=row.ordinal,
        seed=row.seed,
        faults=tuple(
            tuple(MatchFault(verdict, step, detail) for verdict, detail, step in seat.faults)
            for seat in row.seats
        ),
        notes=tuple(seat.notes for seat in row.seats),
    )


def recorded_matches(folder: Path, places: Sequence[tuple[str, int]]) -> list[PlayedMatch]:
    """Return the matches at places of events, each place an event's id and an ordinal.
    Raises StoreError, RecordError.
    """
    with Store.read(folder) as store:
        events = {event.id: event for event in store.events()}
        matches = []
        for event, ordinal in places:
            row = store.match(event, ordinal)
            if row is None:
                raise StoreError(
                    f"{folder}: match {ordinal} of event {event} was recorded and is gone"
                )
            matches.append(of_row(events[event], row, events[event].seed_secret(row.seed)))
        return matches
