"""The events of a run, written once each as a line of the stream.

The store's log, the messages on stderr, the live screen and each reader of
``--events-file`` are drawn from the stream. No failure here stops a run: a stream that
can no longer be written ends with one warning, and if the screen dies, plain lines
follow.
"""

import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, Self

from msgspec.structs import replace

from khiva_arena.common import stream
from khiva_arena.common.say import Say
from khiva_arena.common.text import harmless
from khiva_arena.competition.playing.jobs import Play
from khiva_arena.competition.run.events_file import EventsFile
from khiva_arena.competition.run.store_log import StoreLog
from khiva_arena.display.terminal.screen_process import ScreenProcess
from khiva_arena.display.terminal.stream_messages import RunLines, message_of
from khiva_arena.display.terminal.tty import can_draw
from khiva_arena.games.registry import HASHED
from khiva_arena.rating.schedule.formats import DrawnRound
from khiva_arena.records.replay.definition import Definition
from khiva_arena.records.store.db import MatchRow, Store, VoidRow

if TYPE_CHECKING:
    from khiva_arena.competition.playing.sequential import AnyTest


class LinkNewsSource(Protocol):
    """A source of news of links to bots on other machines, such as
    extensions/seats/seating.py.
    """

    def tell(self, take: Callable[[stream.LinkNews], None] | None) -> None:
        """Hand the news to ``take`` from now on, in another thread; None: to nobody."""

    def figures(self) -> Sequence[stream.LinkNews]:
        """Return the figures of each link so far."""


class RunEvents:
    """The events of one run, of one or more stages. Raises ConfigError if ``events``
    cannot be written to.

    folder: the store
    events: the file or FIFO that the stream goes to, or None
    logged: whether messages go to the store's log, too
    listeners: other files that the stream goes to, which are closed here
    links: the links to bots on other machines, whose news are written, or None
    """

    def __init__(
        self,
        folder: Path,
        events: Path | None,
        say: Say,
        *,
        logged: bool = True,
        listeners: Sequence[EventsFile] = (),
        links: "LinkNewsSource | None" = None,
    ) -> None:
        self._say_plainly = say
        self._links = links
        self._writing = threading.RLock()  # news of links come in a thread of their own
        self._files = [] if events is None else [EventsFile.open(events)]
        self._files += listeners
        self._log: StoreLog | None = None
        self._screen = ScreenProcess()
        self._drawn_from: EventsFile | None = None
        self._start = self._zero = time.monotonic()
        self._begin: stream.Begin | None = None
        self._begin_at = 0
        self._play: Play
        self._rounds = self._seeds_tested = 0
        self._digest: str | None = None
        self._is_complete = True
        self._lines = RunLines()
        if logged:
            self._open_log(folder)
        if can_draw(sys.stderr):
            self._drawn_from = next(
                (file for file in self._files if not file.fifo), None
            ) or self._unnamed(folder)

    def _open_log(self, folder: Path) -> None:
        try:
            self._log = StoreLog(folder)
        except OSError as error:
            self._say_plainly(f"this run has no log: {error}", warning=True)

    def _close_log(self) -> None:
        if self._log is not None:
            self._log.close()
            self._log = None

    def _unnamed(self, folder: Path) -> EventsFile | None:
        """Make the file that the screen reads if the events go to no file. None means
        that there is no screen.
        """
        try:
            file = EventsFile.unnamed(folder, "the live screen")
        except OSError:
            return None  # then there are plain lines and no screen
        self._files.append(file)
        return file

    def __enter__(self) -> Self:
        if self._links:
            self._links.tell(self._link)
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        ending: Literal["complete", "incomplete", "interrupted", "failed"] = (
            "complete" if self._is_complete else "incomplete"
        )
        if kind is not None:
            ending = "interrupted" if issubclass(kind, KeyboardInterrupt) else "failed"
        if self._links:
            self._links.tell(None)
            for figures in self._links.figures():
                self._link(figures)
        if self._begin is not None:
            digest = self._digest if kind is None else None
            seconds = time.monotonic() - self._start
            self._write(
                stream.RunEnded(
                    t=self._t(),
                    how=ending,
                    fixed=len(self._play.done),
                    seconds=seconds,
                    digest=digest,
                )
            )
        self._tell(self._lines.untold_counts())
        self._each_file(EventsFile.drain)
        for file in self._files:
            file.close()
        self._files = []
        self._close_log()

    # --- events of a run ---

    def say(self, text: str, *, warning: bool = False) -> None:
        """Write a message of the arbiter."""
        self._write(stream.Note(t=self._t(), text=harmless(text), warning=warning))

    def begin(
        self, store: Store, play: Play, jobs: int, stage: str | None = None, number: int = 0
    ) -> None:
        """Write that an event begins or is resumed, then the lines of its matches in
        earlier runs.
        """
        event, table = play.event, play.timetable
        definition = event.definition
        names = definition.names
        self._begin_at = self._drawn_from.size if self._drawn_from else 0
        self._play, self._rounds, self._zero = play, 0, time.monotonic()
        self._digest, self._is_complete = None, False
        self._begin = stream.Begin(
            t=0.0,
            event=event.id,
            stage=stage,
            number=number,
            format=str(definition.format),
            game=definition.game,
            bots=names,
            anchor=names.index(definition.anchor),
            seats=definition.seats,
            rounds=len(table.shapes),
            seeds=table.seeds,
            matches=play.planned,
            before=len(play.done),
            jobs=jobs,
            commitment=event.commitment,
            at=datetime.now(UTC).isoformat(timespec="seconds"),
            marks=[list(bot.marks) for bot in definition.bots],
            which=_which(definition),
            in_store=event.number,
            looks=definition.looks or 0,
            called=definition.called if definition.called != definition.format else "",
        )
        self._write(self._begin)
        if self._files:
            self._write_earlier(store)

    def _write_earlier(self, store: Store) -> None:
        event, table = self._play.event.id, self._play.timetable
        for row in store.matches(event) if self._play.done else ():
            draw = table.round(table.shape_of(row.ordinal).number)
            if draw is not None:
                self.round(draw)
            self._match(row, before=True)
            if row.ordinal % 1000 == 0:
                self._each_file(EventsFile.drain)
        for void in store.voids(event):
            self._void(void, before=True)
        self._seeds_tested = 0
        self._sequential_test()
        self._each_file(EventsFile.drain)

    def round(self, draw: DrawnRound) -> None:
        """Write that a round was drawn, unless that was written before."""
        if draw.number < self._rounds:
            return
        self._rounds = draw.number + 1
        self._write(
            stream.Round(
                t=self._t(),
                number=draw.number,
                first_seed=draw.first_seed,
                seeds=draw.seeds,
                tables=len(draw.line_ups),
                byes=list(draw.byes),
            )
        )

    def stored(self, row: MatchRow | VoidRow, *, set_aside: bool) -> None:
        """Write that a match or a void was stored. ``set_aside``: whether the table of
        a void is set aside with it.
        """
        if isinstance(row, MatchRow):
            self._match(row, before=False)
            self._sequential_test()
            return
        self._void(row, before=False)
        if set_aside:
            self._write(stream.SetAside(t=self._t(), seed=row.seed, lineup=row.lineup))

    def concluded(self, digest: str | None, *, is_complete: bool) -> None:
        """Note that this run is done with an event.

        digest: None for a shard alone
        is_complete: whether all that is played here is recorded, or a test has decided
        """
        self._digest, self._is_complete = digest if is_complete else None, is_complete

    # --- lines ---

    def _match(self, row: MatchRow, *, before: bool) -> None:
        """Write a recorded match, then its faults and pauses, seat by seat."""
        self._write(
            stream.MatchRecorded(
                t=self._t(),
                ordinal=row.ordinal,
                round=self._play.timetable.shape_of(row.ordinal).number,
                seed=row.seed,
                lineup=row.lineup,
                rotation=row.rotation,
                bots=[seat.bot for seat in row.seats],
                ranks=[seat.rank for seat in row.seats],
                scores=[seat.score for seat in row.seats],
                verdicts=[seat.verdict for seat in row.seats],
                seconds=round(row.seconds, 6),
                before=before,
            )
        )
        for seat in row.seats:
            place: dict[str, Any] = {
                "match": row.ordinal,
                "bot": seat.bot,
                "seat": seat.seat,
                "before": before,
            }
            for verdict, detail, step in seat.faults:
                self._write(
                    stream.FaultRecorded(
                        t=self._t(), **place, verdict=verdict, step=step, gather=step, detail=detail
                    )
                )
            if seat.measured.paused:
                self._write(stream.Paused(t=self._t(), **place, times=seat.measured.paused))

    def _void(self, row: VoidRow, *, before: bool) -> None:
        self._write(
            stream.VoidRecorded(
                t=self._t(),
                match=row.ordinal,
                attempt=row.attempt,
                bots=row.bots,
                why=row.why,
                before=before,
            )
        )

    def _sequential_test(self) -> None:
        """Write how a sequential test stands, if it has counted another seed."""
        # Only a sequential play has a test; its module is not imported for the type,
        # since numpy comes with it.
        test: AnyTest | None = getattr(self._play, "test", None) if self._files else None
        if test is None or test.blocks == self._seeds_tested:
            return
        self._seeds_tested = test.blocks
        state: dict[str, Any] = {
            "t": self._t(),
            "seeds": test.blocks,
            "decision": str(test.decision),
        }
        # not above: only tests have need of it
        from khiva_arena.rating.ratings.comparison import ComparisonTest

        if isinstance(test, ComparisonTest):
            elo = test.elo(is_over=False)
            ends = [end if isfinite(end) else None for end in (elo.low, elo.high)]
            self._write(stream.EloDifference(**state, elo=elo.value, low=ends[0], high=ends[1]))
        else:
            low, high = test.hypotheses.bounds
            self._write(stream.Llr(**state, llr=test.llr(), low=low, high=high))

    def _t(self) -> float:
        return round(time.monotonic() - self._zero, 3)

    def _link(self, figure: stream.LinkNews) -> None:
        self._write(replace(figure, t=self._t()))

    def _write(self, line: stream.Any_line) -> None:
        """Write a line to the stream, and its message to the log and, unless the screen
        shows it, to stderr.
        """
        with self._writing:
            if self._files and self._begin is not None:
                data = stream.encoded(line)
                self._each_file(lambda file: file.write(data))
            message = message_of(line, self._begin.bots if self._begin else ())
            if message is not None and self._log is not None:
                try:
                    self._log.write(message)
                except OSError as error:
                    # A log that cannot be written ends nothing: the store has all.
                    self._close_log()
                    self.say(f"the log ends early: {error}", warning=True)
            is_on_screen = message is not None and self._screen.lives()
            if not is_on_screen or isinstance(line, stream.Begin):
                texts = self._lines.messages(line)
                self._tell([] if is_on_screen else texts)

    def _tell(self, texts: Sequence[str]) -> None:
        for text in texts:
            self._say_plainly(harmless(text))

    def _each_file(self, do: Callable[[EventsFile], None]) -> None:
        """Call ``do`` with each file. Files that fail are given up, and the screen if
        the file is the screen's.
        """
        with self._writing:
            self._each_alone(do)

    def _each_alone(self, do: Callable[[EventsFile], None]) -> None:
        for file in list(self._files):
            try:
                do(file)
            except OSError as error:
                if file not in self._files:  # the warning about another one has ended it already
                    continue
                self._files.remove(file)
                file.close()
                if file is self._drawn_from:
                    self._drawn_from = None
                    self._screen.end(at_once=True)
                self.say(f"{file.name} stops here: {error.strerror or error}", warning=True)

    @contextmanager
    def screen(self) -> Iterator[None]:
        """Show a live screen during this context if stderr is a terminal; messages
        appear there.
        """
        if self._drawn_from and self._begin is not None:
            self._start_screen(self._drawn_from)
        try:
            yield
        finally:
            self._screen.end()

    def _start_screen(self, file: EventsFile) -> None:
        try:
            descriptor = file.reading(self._begin_at)
        except OSError:
            return  # then there are plain lines and no screen
        self._screen.start(descriptor, file.size - self._begin_at)


def _which(definition: Definition) -> str:
    """Return the words of a heading that tell which version a game is, if it does not
    come with the arena; else "".
    """
    if HASHED not in definition.rules_version:
        return ""
    from khiva_arena.games.which import which  # not above: most games come with the arena

    return which(definition)
