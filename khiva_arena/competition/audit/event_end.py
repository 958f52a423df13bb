"""Audit how an event ended: the claims of its store, against the matches."""

from collections import Counter
from collections.abc import Iterator, Mapping

from khiva_arena.common.text import LONGEST, harmless
from khiva_arena.competition.audit.audit_report import EventReport, EventSource, RunsAgain
from khiva_arena.competition.audit.set_aside import left_out_of
from khiva_arena.errors import ConfigError, RecordError
from khiva_arena.rating.schedule.formats import FORMATS
from khiva_arena.rating.schedule.timetable import Timetable
from khiva_arena.records.replay.record import Record, run_digest
from khiva_arena.records.store.db import RUN_SECRET
from khiva_arena.words import count


def _are(matches: int) -> str:
    return count(matches, "match is", "matches are")


class EventEnd:
    """The end of one event, as the audit checks it."""

    def __init__(self, source: EventSource, rerunner: RunsAgain | None) -> None:
        self.source = source
        self._rerunner: RunsAgain | None = None
        self._rerunner_of_ticks = rerunner
        self._module = b""
        self._to_rerun: dict[int, tuple[Record, bytes]] = {}
        self._claims: dict[int, set[int]] = {}
        self._set_aside: Counter[int] = Counter()  # matches by seed
        event = source.event
        ground = event.is_of_0_1 and event.public is None
        self.report = EventReport(
            harmless(event.id, LONGEST),
            event.number,
            event.commitment,
            public=event.public,
            ground=ground,
        )
        self.report.closed = event.closed is not None
        self.report.engines = tuple(event.engines)
        self.timetable: Timetable | None = None
        self.revealed: dict[int, bytes] = {}
        self.voids: Counter[int] = Counter()
        self.suspects: set[int] = set()
        self.recorded: dict[int, int] = {}
        self.digests: list[str] = []
        self.refusals: list[ConfigError] = []

    def _set_planned(self, timetable: Timetable, *, ended: bool, concluded: bool = False) -> None:
        """Note in the report how many matches the event has when it is over: a
        sequential test ends with its decision.

        concluded: whether its end is stored. A comparison also ends after any whole
            seed, when its time does.
        """
        event, self.report.planned = self.source.event, timetable.matches
        if not FORMATS[event.definition.format].SEQUENTIAL:
            return
        from khiva_arena.competition.playing.sequential import so_far  # numpy comes with it

        try:
            test, played = so_far(event, timetable, self.source.results() if ended else ())
        except (KeyError, TypeError, ValueError) as error:
            raise RecordError(
                f"its definition has no test that can be ({type(error).__name__}: {error})"
            ) from None
        if test.decision or (concluded and event.definition.comparison):
            self.report.planned = played * timetable.per_seed(timetable.shapes[0])

    def _check_end(self, timetable: Timetable, digest: str) -> None:
        report = self.report
        report.passes(
            "its end",
            lambda: self._set_planned(timetable, ended=True, concluded=self._is_concluded(digest)),
        )
        if self.source.event.set_aside:
            report.passes("its end", lambda: self._take_set_aside(timetable))
        report.missing = max(0, report.planned - report.left_out - len(self.recorded))
        for ordinal, attempt in self.recorded.items():
            if attempt != (voids := self.voids[ordinal]) + 1:
                report.add(
                    f"match {report.number}/{ordinal}: recorded at attempt {attempt}, but "
                    f"{voids} attempts were void"
                )
        for ordinal in (
            ordinal for ordinal, bots in self._claims.items() if not bots <= self.suspects
        ):
            why = "a seat is out by the backstop, but no attempt at a match of its bot was void"
            report.add(f"match {report.number}/{ordinal}: {why}")
        by_seed = Counter(
            place[0] for ordinal in self.recorded if (place := timetable.place(ordinal))
        )
        known = (seed for seed in sorted({*by_seed, *self.revealed}) if 0 <= seed < timetable.seeds)
        missing = {
            seed: timetable.per_seed(timetable.shape_of_seed(seed)) - by_seed[seed]
            for seed in known
        }
        for seed, matches in self._set_aside.items():
            missing[seed] = missing.get(seed, 0) - matches
        for problem in self._misfits(missing, digest):
            report.add(problem)

    def _is_concluded(self, digest: str) -> bool:
        return bool(digest or self.source.bundled) and self.source.event.closed is None

    def _take_set_aside(self, timetable: Timetable) -> None:
        self._set_aside = left_out_of(self.source.event, timetable, self.recorded, self.voids)
        self.report.left_out = self._set_aside.total()

    def _misfits(self, gaps: Mapping[int, int], digest: str) -> Iterator[str]:
        """Yield each contradiction at the end of an event.

        A seed's secret is revealed with its last match, the run's with the last of all,
        and its digest is then stored.

        gaps: by seed, how many of its matches are missing.
        """
        missing, revealed = self.report.missing, self.revealed
        if self.source.event.closed is not None:
            yield from self._misfits_if_closed(gaps, digest)
            return
        over, prefix = not missing, "its end: " if self.source.bundled else ""
        if (surplus := len(self.recorded) - self.report.planned) > 0:
            yield (
                f"{prefix}{count(surplus, 'match was', 'matches were')} recorded after the "
                "decision of the test"
            )
        if self.source.bundled:
            if missing:
                yield f"{prefix}{_are(missing)} missing, and only complete events are bundled"
            elif {
                RUN_SECRET,
                *(seed for seed, matches in gaps.items() if not matches),
            } != revealed.keys():
                yield f"{prefix}the revealed secrets do not match the run and the seeds played"
        else:
            for seed, matches in gaps.items():
                if matches > 0 and seed in revealed:
                    yield (
                        f"seed {seed}: {_are(matches)} missing, though its secret is revealed: "
                        "they were all recorded"
                    )
                if matches == 0 and seed not in revealed:
                    yield f"seed {seed}: all matches are recorded, but its secret is not revealed"
            if (RUN_SECRET in revealed, bool(digest)) != (over, over):
                yield (
                    f"the event is {'over' if over else 'not over'}, but what is stored at its "
                    f"end is {'not ' * over}there"
                )
        if over and digest not in ("", run_digest(self.digests)):
            yield f"{prefix}the run digest was {digest} when the event was over"

    def _misfits_if_closed(self, gaps: Mapping[int, int], digest: str) -> Iterator[str]:
        """Yield each contradiction at the end of a closed event: closing reveals the
        secrets of the run and of seeds played.
        """
        if not self.report.missing:
            yield "it was closed, though all of its matches are recorded"
        else:
            yield from self.source.misfits_of_cap(self.recorded)
        played = {
            place[0]
            for ordinal in self.recorded
            if self.timetable and (place := self.timetable.place(ordinal))
        }
        if self.revealed.keys() != {RUN_SECRET, *played}:
            yield (
                "the revealed secrets do not match the run and the seeds played until it was closed"
            )
        if digest != run_digest(self.digests):
            yield f"the run digest was {digest or 'not stored'} when the event was closed"
