"""The audit of events, for a store and a bundle alike.

Every record is replayed, and everything else is compared with the result.
"""

from collections.abc import Iterable
from functools import partial
from hashlib import sha256

from khiva_arena.bots.modules.meter.bounds import MODULE_BYTES
from khiva_arena.bots.modules.released import by_interpreter
from khiva_arena.common.text import LONGEST, harmless
from khiva_arena.competition.audit.audit_report import (
    AuditLine,
    AuditResult,
    Damage,
    EventSource,
    RunsAgain,
)
from khiva_arena.competition.audit.event_end import EventEnd
from khiva_arena.competition.audit.extends import check_chain
from khiva_arena.competition.audit.parallel_replay import Replayed, Replayers, replayers
from khiva_arena.competition.audit.sample import AT_ONCE
from khiva_arena.competition.audit.stored_rows import check_row, check_run_secret, is_planned
from khiva_arena.competition.events import stored
from khiva_arena.competition.events.find import CHANGED, uncollected
from khiva_arena.competition.events.record_check import why_not_as_recorded
from khiva_arena.errors import ArenaError, ConfigError, RecordError
from khiva_arena.games.registry import HASHED, get
from khiva_arena.games.rules_map import file_in_rules
from khiva_arena.rating.schedule.seating import ScheduledMatch
from khiva_arena.records.replay import seeds
from khiva_arena.records.replay.definition import ModuleFile
from khiva_arena.records.replay.record import Record, canonical, run_digest
from khiva_arena.records.replay.ticks import unconfirmed
from khiva_arena.records.replay.verify import check_unplayed, verify
from khiva_arena.records.store import bundle
from khiva_arena.records.store.db import RUN_SECRET, EventRow, MatchRow, VoidRow

MOST_SEEDS = 2**63  # as many as a store can number


def audit(
    sources: Iterable[EventSource], jobs: int = 1, rerunner: RunsAgain | None = None
) -> AuditResult:
    """Check events one after the other, as far as their file can be read.

    jobs: the number of processes.
    rerunner: runs the bots of events in ticks again; None to take their answers from
        the records.

    Raises ConfigError if ``rerunner`` lacks a module: of a bundle only if all else in
    it is sound, which may be why it lacks one.
    """
    result = AuditResult()
    refusals: list[ConfigError] = []
    try:
        with replayers(jobs) as pool, uncollected():
            before: dict[str, EventRow] = {}
            for source in sources:
                event_audit = _EventAudit(source, rerunner)
                result.events.append(event_audit.report)
                event_audit.run(pool)
                event_audit.report.passes(
                    "the event itself",
                    partial(check_chain, before, source.event, event_audit.report),
                )
                before[source.event.id] = source.event
                refusals += event_audit.refusals
    except RecordError as error:
        result.problems.append(harmless(str(error), LONGEST))
    if refusals and result.sound:
        raise refusals[0]
    return result


def _why_not_whole(event: EventRow, row: MatchRow) -> str:
    """Return why a row and its record are not what the arena stored, as far as that
    shows without a replay; "" if they are.
    """
    try:
        if any(seat.bot >= len(event.definition.bots) for seat in row.seats):
            return "its bots are not those of its record"
        row.parsed()
        return why_not_as_recorded(event, row)
    except ArenaError as error:
        return str(error)


class _EventAudit(EventEnd):
    """The audit of an event.

    source: where its lines come from.
    report: the findings so far.
    timetable: None unless the definition is sound; without it a match of a store is
        compared only with its own row.
    revealed: secrets by seed.
    voids: attempts that were void, by ordinal.
    suspects: positions of the bots that may have made one of them void.
    recorded: the attempt that was recorded, by ordinal, of the matches that the
        schedule has.
    digests: of all matches, in the order of their lines.
    refusals: why the bots of a bundle's event were not run again.
    """

    def run(self, pool: Replayers) -> None:
        self.report.passes("the event itself", self._check_event)
        if self._rerunner:
            self._rerunner.say(self.source.cost().says)
        for line, outcome in pool.replay_ahead(self.source.lines(), self._likely_secret):
            self._take(line, outcome)
            if len(self._to_rerun) >= AT_ONCE:
                self._rerun()
        if self._rerunner:
            self._rerun()
        if self._module:
            self.report.add("its modules: the last one is not whole")
        self.report.digest = run_digest(self.digests)
        self.report.own_word = self.source.own_word()
        self.report.sample = self.source.sample

    def _take(self, line: AuditLine, outcome: Replayed | None) -> None:
        number, passes = self.report.number, self.report.passes
        match line:
            case Damage(problem, ordinal):
                self.report.add(problem)
                self.report.unsound_matches += [] if ordinal is None else [ordinal]
            case bundle.ModuleLine() | bundle.PayloadLine():
                passes("its modules", lambda: self._take_module(line))
            case bundle.RevealLine():
                secret = self.revealed[line.seed] = bytes.fromhex(line.secret)
                name = (
                    f"the revealed secret of seed {line.seed}"
                    if self.source.bundled
                    else "the event itself"
                )
                passes(name, lambda: self._check_revealed(line.seed, secret))
            case bundle.VoidLine() | VoidRow():
                self.voids[line.ordinal] += 1
                passes(f"void {number}/{line.ordinal}", lambda: self._check_void(line))
            case bundle.MatchLine():
                claimed, text = line.record.get("digest"), canonical(line.record).decode()
                sampled = self._is_sampled(line)
                digest = claimed if isinstance(claimed, str) else ""
                self._take_match(line.ordinal, text, digest, None, outcome, is_sampled=sampled)
            case MatchRow() if not self._is_sampled(line):
                self._leave(line)
            case MatchRow():
                self._take_match(line.ordinal, line.record, line.digest, line, outcome)
            case bundle.OverLine() if self.timetable:
                self.report.take_cap(line.ended_by_cap)
                self._check_end(self.timetable, line.digest)

    def _leave(self, row: MatchRow) -> None:
        """Check the place, the sums and the hash chain of a match that is not replayed,
        and that its row says what its record does.
        """
        self.digests.append(row.digest)
        place = self.timetable.place(row.ordinal) if self.timetable else None
        if place:
            self.recorded[row.ordinal] = row.attempt
        if not row.intact or (self.timetable and place != (row.seed, row.lineup, row.rotation)):
            damage = f"it {CHANGED if not row.intact else 'is not where the schedule has it'}"
        else:
            damage = _why_not_whole(self.source.event, row)
        if damage:
            self.report.add(f"match {self.report.number}/{row.ordinal} ({row.id}): {damage}")
            self.report.unsound_matches.append(row.ordinal)

    def _is_sampled(self, line: AuditLine) -> bool:
        """Tell whether a match is to be replayed."""
        sample = self.source.sample
        return (
            sample is None
            or not isinstance(line, MatchRow | bundle.MatchLine)
            or line.ordinal in sample.ordinals
        )

    def _take_match(
        self,
        ordinal: int,
        text: str,
        digest: str,
        row: MatchRow | None,
        outcome: Replayed | None,
        *,
        is_sampled: bool = True,
    ) -> None:
        """Check a match and count it in the report.

        row: the store's row of the match, None in a bundle.
        outcome: the replay's result; None if the match has yet to be replayed.
        is_sampled: whether the match is replayed. If not, its record's result is taken,
            since the standings of a bundle count it.
        """
        report = self.report
        self.digests.append(digest)
        if self.timetable and self.timetable.place(ordinal):
            self.recorded[ordinal] = row.attempt if row else self.voids[ordinal] + 1
        name = f"match {report.number}/{ordinal}" + (f" ({row.id})" if row else "")
        if report.passes(
            name, lambda: self._check_match(ordinal, text, row, outcome, is_sampled=is_sampled)
        ):
            report.sound += is_sampled
            report.sound_matches += [ordinal] * is_sampled
            report.unrevealed += row is not None and row.seed not in self.revealed
        else:
            report.unsound_matches.append(ordinal)

    # --- the event ---

    def _check_event(self) -> None:
        event = self.source.event
        stored.check_definition(event)
        definition = event.definition
        self._rerunner = self._rerunner_of_ticks if definition.in_ticks else None
        self.report.meter = definition.meter
        self.report.interpreters = by_interpreter(definition.with_payloads)
        if HASHED in definition.rules_version and not file_in_rules(
            definition.game, definition.rules
        ):
            # before any match is replayed: without it nothing can be said of them
            get(definition.game, definition.rules_version)
        timetable = self.source.timetable()
        self._set_planned(timetable, ended=False)
        self.timetable = timetable
        stored.check_bots(event)
        if not self.source.bundled:
            check_run_secret(event, event.secret, "its secret")

    def _check_revealed(self, seed: int, secret: bytes) -> None:
        event, bundled = self.source.event, self.source.bundled
        if not RUN_SECRET <= seed < (self.timetable.seeds if self.timetable else MOST_SEEDS):
            raise RecordError(
                f"{'' if bundled else f'a secret of seed {seed} is revealed, and '}there "
                "is no such seed"
            )
        if seed == RUN_SECRET and bundled:
            check_run_secret(event, secret, "it")
        elif secret != (event.secret if seed == RUN_SECRET else event.seed_secret(seed)):
            it = "it" if bundled else f"the revealed secret of seed {seed}"
            raise RecordError(f"{it} does not follow from the run's secret")

    def _check_void(self, line: bundle.VoidLine | VoidRow) -> None:
        if line.attempt != (place := self.voids[line.ordinal]):
            raise RecordError(f"attempt {line.attempt} is at place {place}")
        if self.timetable and not is_planned(self.timetable, line):
            raise RecordError("the schedule has no such match")
        if isinstance(line, bundle.VoidLine):  # it does not say who caused the void
            self.suspects.update(range(len(self.source.event.definition.bots)))
        elif not line.intact:
            raise RecordError(f"it {CHANGED}")
        else:
            self.suspects.update(line.suspects)

    def _take_module(self, line: bundle.ModuleLine | bundle.PayloadLine) -> None:
        """Check a module or a payload when its last part is there, and hand it to who
        runs bots again.
        """
        file = ModuleFile(
            "module" if isinstance(line, bundle.ModuleLine) else "payload", line.identity
        )
        self._module += line.data
        if (
            all(file not in bot.files for bot in self.source.event.definition.bots)
            or len(self._module) > MODULE_BYTES
        ):
            self._module = b""
            raise RecordError("there is one that is no bot's")
        if line.rest:
            return
        module, self._module = self._module, b""
        if sha256(module).hexdigest() != line.identity:
            raise RecordError(f"the one of {line.identity[:8]} has other bytes")
        if self._rerunner:
            self._rerunner.take(file, module)

    # --- a match ---

    def _check_match(
        self,
        ordinal: int,
        text: str,
        row: MatchRow | None,
        outcome: Replayed | None,
        *,
        is_sampled: bool,
    ) -> None:
        record, event = Record.from_json(text), self.source.event
        match = self._scheduled_match(ordinal, row)
        secret = self._secret_of(row.seed if row else match.k if match else 0, record)
        if match is not None:
            definition = event.definition
            if record.header != definition.header(
                definition.seated(match.bots), event.match_id(ordinal), secret
            ):
                raise RecordError("its header does not match the event")
        if not is_sampled:
            check_unplayed(record, secret)
        elif outcome is None:
            verify(record, secret)
        else:
            outcome.hold(record, secret)
        if row is not None:
            check_row(
                row, record, match.bots if match else [seat.bot for seat in row.seats], secret
            )
        if match is not None:
            self.source.keep(match, record, self.voids[ordinal])
            if record.ticks:
                self._claims[ordinal] = {match.bots[seat] for seat, _ in unconfirmed(record)}
        if self._rerunner and is_sampled:
            self._to_rerun[ordinal] = record, secret

    def _rerun(self) -> None:
        """Run the bots of the sound matches since the last time again, and note those
        that do not come out equal.
        """
        assert self._rerunner is not None
        matches, self._to_rerun = self._to_rerun, {}
        try:
            self._rerunner.rerun(
                self.source.event.definition, matches, self.report, self.source.published
            )
        except ConfigError as refusal:
            if not self.source.bundled:
                raise
            self.refusals.append(refusal)
            self._rerunner = None

    def _scheduled_match(self, ordinal: int, row: MatchRow | None) -> ScheduledMatch | None:
        """Return the match that the schedule has there; None without a schedule, if a
        store's row says enough to check the record.
        """
        if row is not None and not 0 <= row.seed < MOST_SEEDS:
            raise RecordError(f"there is no seed {row.seed}")
        if self.timetable is None:
            if row is None:
                raise RecordError("it cannot be checked, since the event's definition is damaged")
            return None
        match = self.timetable.match(ordinal)
        if match is None and self.timetable.place(ordinal):
            raise RecordError(
                "its round cannot be drawn: results of a round before it are missing or not sound"
            )
        if match is None or (
            row and (match.k, match.lineup, match.rotation) != (row.seed, row.lineup, row.rotation)
        ):
            raise RecordError("the schedule has no such match")
        return match

    def _likely_secret(self, line: bundle.MatchLine | MatchRow) -> bytes | None:
        """Return the secret of a match's seed, unless the file is damaged; None if it
        is not known before its line is checked.
        """
        if isinstance(line, MatchRow):
            is_known = 0 <= line.seed < MOST_SEEDS and self._is_sampled(line)
            return self.source.event.seed_secret(line.seed) if is_known else None
        if not self._is_sampled(line):
            return None
        place = self.timetable.place(line.ordinal) if self.timetable else None
        return (
            self.source.event.seed_secret(place[0]) if place and self.source.event.secret else None
        )

    def _secret_of(self, seed: int, record: Record) -> bytes:
        """Return the secret of a match's seed. A damaged store may have two: then the
        one that opens the match's commitment.
        """
        derived = self.source.event.seed_secret(seed)
        if self.source.bundled:
            if RUN_SECRET not in self.revealed:
                raise RecordError("it cannot be checked, since the run's secret is not revealed")
            return derived
        revealed = self.revealed.get(seed, derived)
        return (
            revealed
            if seeds.commitment(record.header.match, revealed) == record.header.commit
            else derived
        )

    # --- the end ---
