"""What a run lets others see while it goes on: lines of the log, the stream of events, and the live screen drawn from that.

None of it stops a run: a stream that cannot be written any longer ends with one warning, and after a screen that died come
plain lines.
"""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

from khiva_arena.arbiter.match import Job, Outcome
from khiva_arena.cli.log import Log, plainly
from khiva_arena.cli.play import Play
from khiva_arena.cli.watching import stream
from khiva_arena.cli.watching.events_file import EventsFile
from khiva_arena.cli.watching.screen_process import ScreenProcess
from khiva_arena.cli.watching.terminal import can_draw
from khiva_arena.schedule.formats import Round
from khiva_arena.schedule.roundrobin import Match
from khiva_arena.store.db import MatchRow, Store

if TYPE_CHECKING:
    from khiva_arena.ratings.sprt import SequentialTest

TYPED = ("fault", "paused", "void")
"""Of what the log says, this has lines of its own in the stream."""


class Watched:
    """For one run of one or more events. ``folder``: the store; ``events``: where the stream goes, None: nowhere.

    Raises ConfigError where ``events`` cannot be written to.
    """

    def __init__(self, folder: Path, events: Path | None, log: Log) -> None:
        self._log = log
        self._files = [] if events is None else [EventsFile.open(events)]
        self._shown: EventsFile | None = None
        self._screen = ScreenProcess()
        self._first = self._zero = time.monotonic()
        self._begin_at: int | None = None
        self._play: Play
        self._digest: str | None = None
        self._whole = True
        self._planned: dict[int, Match] = {}
        self._rounds = 0
        self._looked_at = 0
        if can_draw(sys.stderr):
            self._shown = next((file for file in self._files if not file.fifo), None) or self._unnamed(folder)

    def _unnamed(self, folder: Path) -> EventsFile | None:
        """What the screen reads where the events go to no file."""
        try:
            file = EventsFile.unnamed(folder)
        except OSError:
            return None  # without it there is no screen, but plain lines
        self._files.append(file)
        return file

    def __enter__(self) -> Self:
        self._log.tell = self._tell
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        how: Literal["complete", "incomplete", "interrupted", "failed"] = "complete" if self._whole else "incomplete"
        if kind is not None:
            how = "interrupted" if issubclass(kind, KeyboardInterrupt) else "failed"
        fixed = len(self._play.done) if self._begin_at is not None else 0
        digest = self._digest if kind is None else None
        self._write(stream.End(t=self._t(), how=how, fixed=fixed, seconds=time.monotonic() - self._first, digest=digest))
        self._each(EventsFile.drain)
        for file in self._files:
            file.close()
        self._files = []

    # --- what happens ---

    def begin(self, store: Store, play: Play, jobs: int, stage: str | None = None, number: int = 0) -> None:
        """An event begins, or goes on: what was fixed by earlier runs is told first."""
        if not self._files:
            return
        event, table = play.event, play.timetable
        what = event.definition
        names = [bot["name"] for bot in what["bots"]]
        self._begin_at = self._shown.size if self._shown else 0
        self._play, self._planned, self._rounds, self._zero = play, {}, 0, time.monotonic()
        self._digest, self._whole = None, False
        self._write(
            stream.Begin(
                t=0.0,
                event=event.id,
                stage=stage,
                number=number,
                format=what["format"],
                game=what["game"],
                bots=names,
                anchor=names.index(what["anchor"]),
                seats=what["seats"],
                rounds=len(table.shapes),
                seeds=table.seeds,
                matches=table.matches,
                before=len(play.done),
                jobs=jobs,
                commitment=event.commitment,
                at=datetime.now(UTC).isoformat(timespec="seconds"),
            )
        )
        for row in store.matches(event.id) if play.done else ():
            self._earlier(row)
        for void in store.voids(event.id):
            self._write(_void(void.ordinal, void.attempt, void.bots, void.why, self._t(), before=True))
        self._looked_at = 0
        self._look()
        self._each(EventsFile.drain)

    def _earlier(self, row: MatchRow) -> None:
        drawn = self._play.timetable.round(self._play.timetable.shape_of(row.ordinal).number)
        if drawn is not None:
            self.round(drawn)
        match = Match(row.ordinal, row.seed, row.lineup, row.rotation, tuple(seat.bot for seat in row.seats))
        ranks, scores = [seat.rank for seat in row.seats], [seat.score for seat in row.seats]
        self._match(match, ranks, scores, [seat.verdict for seat in row.seats], row.seconds, before=True)
        for seat in row.seats:
            self._seat(match, seat.seat, seat.faults, seat.paused, before=True)
        if self._files and row.ordinal % 1000 == 0:
            self._each(EventsFile.drain)

    def round(self, drawn: Round) -> None:
        """A round was drawn; told once."""
        if self._files and drawn.number >= self._rounds:
            self._rounds = drawn.number + 1
            self._write(
                stream.Round(
                    t=self._t(),
                    number=drawn.number,
                    first_seed=drawn.first_seed,
                    seeds=drawn.seeds,
                    tables=len(drawn.line_ups),
                    byes=list(drawn.byes),
                )
            )

    def jobs(self, play: Play, drawn: Round) -> Iterator[Job]:
        """The jobs of a round, and what they are of is kept until they are fixed."""
        self.round(drawn)
        for job in play.jobs(drawn):
            self._planned[job.ordinal] = play.planned(job.ordinal)
            yield job

    def void(self, outcome: Outcome, *, last: bool) -> None:
        """An attempt was void. ``last``: its table is set aside."""
        match = self._planned[outcome.ordinal]
        self._log.say("void", warning=True, match=outcome.ordinal, attempt=outcome.attempt, why=outcome.void)
        if self._files:
            self._write(_void(outcome.ordinal, outcome.attempt, match.bots, outcome.void, self._t(), before=False))
            if last:
                self._write(stream.SetAside(t=self._t(), seed=match.k, lineup=match.lineup))

    def fixed(self, outcome: Outcome) -> None:
        """A match was fixed."""
        record, match = outcome.record, self._planned.pop(outcome.ordinal)
        assert record is not None
        if self._files:
            verdicts = [str(verdict) for verdict in record.verdicts]
            self._match(match, list(record.ranks), list(record.scores), verdicts, outcome.seconds, before=False)
        for seat, report in enumerate(outcome.seats):
            where: dict[str, Any] = {"match": outcome.ordinal, "bot": record.header.seats[seat].name, "seat": seat}
            faults = [[str(blame.verdict), blame.detail, blame.gather] for blame in report.faults]
            for verdict, detail, gather in faults:
                self._log.say("fault", **where, verdict=verdict, gather=gather, detail=detail)
            if report.paused:
                self._log.say("paused", **where, times=report.paused, why="it kept a core from a seat that was asked")
            if self._files:
                self._seat(match, seat, faults, report.paused, before=False)
        self._look()

    def _look(self) -> None:
        """Tell how a sequential test stands, if it has counted another seed."""
        # only such a play has one; its module is not asked, since numpy comes with it
        test: SequentialTest | None = getattr(self._play, "test", None) if self._files else None
        if test is None or test.blocks == self._looked_at:
            return
        self._looked_at = test.blocks
        low, high = test.hypotheses.bounds
        self._write(stream.Llr(t=self._t(), llr=test.llr(), low=low, high=high, seeds=test.blocks, decision=str(test.decision)))

    def concluded(self, digest: str, *, whole: bool) -> None:
        """An event is over as far as this run goes. ``whole``: all of it is fixed, or a test has decided."""
        self._digest, self._whole = digest if whole else None, whole

    # --- lines ---

    def _match(
        self, match: Match, ranks: list[int], scores: list[int], verdicts: list[str], seconds: float, *, before: bool
    ) -> None:
        self._write(
            stream.Match(
                t=self._t(),
                ordinal=match.ordinal,
                round=self._play.timetable.shape_of(match.ordinal).number,
                seed=match.k,
                lineup=match.lineup,
                rotation=match.rotation,
                bots=list(match.bots),
                ranks=ranks,
                scores=scores,
                verdicts=verdicts,
                seconds=round(seconds, 6),
                before=before,
            )
        )

    def _seat(self, match: Match, seat: int, faults: Sequence[Sequence[Any]], paused: int, *, before: bool) -> None:
        at, bot, t = match.ordinal, match.bots[seat], self._t()
        for verdict, detail, gather in faults:
            line = stream.Fault(t=t, match=at, bot=bot, seat=seat, verdict=verdict, gather=gather, detail=detail, before=before)
            self._write(line)
        if paused:
            self._write(stream.Paused(t=t, match=at, bot=bot, seat=seat, times=paused, before=before))

    def _t(self) -> float:
        return round(time.monotonic() - self._zero, 3)

    def _tell(self, event: str, text: str, warning: bool) -> None:
        """A line of the log: on the stream, and on stderr unless the screen has it."""
        if event not in TYPED and self._begin_at is not None:
            self._write(stream.Note(t=self._t(), text=text, warning=warning))
        if not self._screen.lives():
            plainly(event, text, warning)

    def _write(self, line: stream.Line) -> None:
        if self._files and self._begin_at is not None:
            data = stream.encoded(line)
            self._each(lambda file: file.write(data))

    def _each(self, do: Callable[[EventsFile], None]) -> None:
        """To all files, but those that fail: they are given up, and the screen with its own."""
        for file in list(self._files):
            try:
                do(file)
            except OSError as error:
                if file not in self._files:  # telling of another one has ended it already
                    continue
                self._files.remove(file)
                file.close()
                if file is self._shown:
                    self._shown = None
                    self._screen.end(at_once=True)
                self._log.say(f"{file.called} stops here: {error.strerror or error}", warning=True)

    @contextmanager
    def screen(self) -> Iterator[None]:
        """While this lasts there is a live screen, where stderr is a terminal; whatever is said meanwhile appears there."""
        if self._shown and self._begin_at is not None:
            self._screen.start(self._shown, self._begin_at)
        try:
            yield
        finally:
            self._screen.end()


def _void(ordinal: int, attempt: int, bots: Sequence[int], why: str, t: float, *, before: bool) -> stream.Void:
    return stream.Void(t=t, match=ordinal, attempt=attempt, bots=list(bots), why=why, before=before)
