"""The bots of an event in ticks, run again: each match is played once more with its modules and compared with its record.

Whatever a module does follows from its bytes, its seat's number and the frames that it is sent. So an honest record comes out
equal again on any machine, ticks and faults included. Only a forfeit by the backstop is the word of the machine that played: it
is taken from the record, and listed. A match that cannot be run again, since this machine or this version lacks something, is
unconfirmed: nobody is accused.
"""

import zlib
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

from msgspec import structs

from khiva_arena.arbiter import pool
from khiva_arena.arbiter.live import too_little, void
from khiva_arena.arbiter.match import Job, Outcome
from khiva_arena.audit.cost import RerunCost
from khiva_arena.audit.report import EventReport
from khiva_arena.audit.sample import RerunFindings, Unconfirmed
from khiva_arena.entrants import only_modules, staging
from khiva_arena.entrants.modules import is_sound
from khiva_arena.errors import ConfigError, StagingError
from khiva_arena.modules.meter.bounds import MODULE_BYTES
from khiva_arena.replay.definition import DefinedBot, Definition, ModuleFile
from khiva_arena.replay.record import Record
from khiva_arena.replay.ticks import granted, refuse_unspoken, unconfirmed
from khiva_arena.result import Verdict
from khiva_arena.sandbox import regular_files
from khiva_arena.sandbox.command import Command
from khiva_arena.sandbox.detect import best
from khiva_arena.sandbox.level import Sandbox
from khiva_arena.say import Say, say_nothing
from khiva_arena.text import LONGEST, harmless

PATIENCE = 10
"""How many times as much of the machine as in play a match may take when it is run again: nobody is accused by a slow machine."""
NOT_HERE = "it cannot be run again on this machine: "
BACKSTOP_CLAIMED = "forfeited by the backstop, as only the machine that played can know"


class Rerunner:
    """Runs the bots of matches again.

    stores: the folders of the modules of stores.
    modules: folders in which modules are looked for, beside these and the cache of this machine.
    jobs: how many matches are played at a time.
    say: takes a line for people, before bots are run.
    """

    def __init__(self, stores: Iterable[Path], modules: Iterable[Path], jobs: int, say: Say = say_nothing) -> None:
        self.say = say
        self._stores = tuple(stores)
        self._modules = tuple(modules)
        self._jobs = jobs
        self._level = best()
        self._bundled: dict[ModuleFile, bytes] = {}
        self._known: dict[str, Command] = {}

    def take(self, file: ModuleFile, data: bytes) -> None:
        """Take a module or a payload that a bundle holds. It is not written before a match of its bot was sound: a small bundle
        may hold much that is long."""
        self._bundled[file] = zlib.compress(data)

    def _commands_of(self, definition: Definition, matches: Mapping[int, tuple[Record, bytes]]) -> Mapping[str, Command]:
        """Return the command of each bot of sound matches, by identity. Raises ConfigError if a module of the event is not to be
        had, or is another one."""
        unknown = [bot for bot in definition.bots if bot.identity not in self._known]
        files = ((bot, file) for bot in unknown for file in bot.files if file not in self._bundled)
        self._refuse_lacking([(bot, file) for bot, file in files if not self._path_of(file)])
        playing = {seat.bot for record, _ in matches.values() for seat in record.header.seats}
        for bot in (bot for bot in unknown if bot.identity in playing):
            for file in bot.files:
                self._keep(file)
            self._known[bot.identity] = staging.stage(only_modules.bot_of(bot), self._level)
        return self._known

    def _keep(self, file: ModuleFile) -> None:
        """Keep a sound copy on this machine. Raises ConfigError if it is no longer there, StagingError if it cannot be kept."""
        packed, path = self._bundled.get(file), self._path_of(file)
        try:
            data = zlib.decompress(packed) if packed else regular_files.read(path, MODULE_BYTES, follow=False) if path else b""
        except OSError as error:
            raise ConfigError(f"{error.filename}: {error.strerror}") from None
        if only_modules.keep(file.kind, data) != file:
            raise ConfigError(f"{path} is not the {file.kind} {file.digest}: it has changed")

    def _refuse_lacking(self, lacking: Sequence[tuple[DefinedBot, ModuleFile]]) -> None:
        """Raise ConfigError if there are bots without a sound module or payload; it names the copies that are damaged."""
        names = ", ".join(dict.fromkeys(bot.name for bot, _ in lacking))
        damaged = [str(path) for _, file in lacking for path in only_modules.damaged_copies(file, *self._stores)]
        if damaged:
            raise ConfigError(
                f"the modules of {names} are damaged here ({', '.join(damaged)}): name a folder of sound ones with --modules"
            )
        if lacking:
            raise ConfigError(f"the modules of {names} are not here: name the folder that has them with --modules")

    def _path_of(self, file: ModuleFile) -> Path | None:
        """Return where a module or a payload lies; None if no sound copy is anywhere."""
        places = [only_modules.kept(file), *(only_modules.named(folder, file) for folder in self._stores)]
        return self._in_folders.get(file) or next((path for path in places if is_sound(path, file.digest)), None)

    @cached_property
    def _in_folders(self) -> dict[ModuleFile, Path]:
        """The modules and payloads in the folders that were named. Raises ConfigError for one that cannot be read."""
        ends = only_modules.ENDS.items()
        paths = [(kind, path) for folder in self._modules for kind, end in ends for path in sorted(folder.glob(f"*{end}"))]
        try:
            return {ModuleFile(kind, only_modules.digest_of(path)): path for kind, path in paths}
        except OSError as error:
            raise ConfigError(f"--modules: {error.filename}: {error.strerror}") from None

    def rerun(self, definition: Definition, matches: Mapping[int, tuple[Record, bytes]], report: EventReport) -> None:
        """Play sound matches of an event again, and note in its report each that does not come out equal, or cannot be played.

        matches: by ordinal, the record and the secret of the seed.

        Raises ConfigError if a module is not to be had, or is another one.
        """
        unequal, unconfirmed_matches = self.findings(definition, matches)
        for ordinal, difference in unequal.items():
            report.add(f"match {report.number}/{ordinal}: {difference}")
        report.unsound_matches += unequal
        for ordinal, (why, *_) in unconfirmed_matches.items():
            report.unconfirmed.append(harmless(f"match {report.number}/{ordinal}: {why}", LONGEST))
        untried = [ordinal for ordinal, one in unconfirmed_matches.items() if not one.is_claim]
        report.unconfirmed_matches += untried
        out = {*unequal, *untried}
        report.sound -= len(out)
        report.sound_matches = [ordinal for ordinal in report.sound_matches if ordinal not in out]
        report.rerun = (report.rerun or 0) + len(matches.keys() - out)
        for record, _ in matches.values():
            report.rerun_cost = (report.rerun_cost or RerunCost()).with_match(record.ticks)

    def findings(self, definition: Definition, matches: Mapping[int, tuple[Record, bytes]]) -> RerunFindings:
        """Play sound matches of an event again. Return what comes out.

        A match in which a seat is out by the backstop, as its record claims, is unconfirmed, unless it differs otherwise.

        matches: by ordinal, the record and the secret of the seed.

        Raises ConfigError if a module is not to be had, or is another one.
        """
        unequal: dict[int, str] = {}
        unconfirmed_matches: dict[int, Unconfirmed] = {}
        try:
            refuse_unspoken(definition.meter)
        except ConfigError as lacking:
            return _nothing_ran(matches, str(lacking))
        try:
            commands = self._commands_of(definition, matches)
        except StagingError as lacking:  # this machine cannot keep or compile a module
            return _nothing_ran(matches, f"{NOT_HERE}{lacking}")
        sandbox = definition.sandbox(self._level)
        jobs = {ordinal: _job(ordinal, *match, commands, sandbox) for ordinal, match in matches.items()}
        outcomes = {ordinal: void(job, why, begun=False) for ordinal, job in jobs.items() if (why := too_little(job))}
        again = [job for ordinal, job in jobs.items() if ordinal not in outcomes]
        pool.play(again, self._jobs, lambda outcome: outcomes.update({outcome.ordinal: outcome}))
        for ordinal, (record, _) in matches.items():
            one = compared(record, outcomes.get(ordinal))
            if one.difference:
                unequal[ordinal] = one.difference
            elif one.unconfirmed:
                unconfirmed_matches[ordinal] = one.unconfirmed
        return RerunFindings(unequal, unconfirmed_matches)


def _job(ordinal: int, record: Record, secret: bytes, commands: Mapping[str, Command], sandbox: Sandbox) -> Job:
    by_seat = tuple(commands[seat.bot] for seat in record.header.seats)
    return as_recorded(Job(ordinal, 1, record.header, secret, by_seat, sandbox), record)


def as_recorded(job: Job, record: Record) -> Job:
    """Return a match as it is played again to be compared with its record.

    It has ten times as much of the machine as in play, and is not tried again if a seat meets the backstop then. No question
    takes more ticks than the record has, whatever limits the header claims, so that nobody's records take more of this machine
    than they say.
    """
    seats = tuple(range(len(record.header.seats)))
    return structs.replace(job, warned=seats, forced=unconfirmed(record), patience=PATIENCE, granted=granted(record))


class Compared(NamedTuple):
    """A match that was run again, beside its record.

    difference: the first, in words; "" for none.
    unconfirmed: why nothing, or not all, is known of it; None for a match that came out equal.
    """

    difference: str = ""
    unconfirmed: Unconfirmed | None = None


def compared(record: Record, again: Outcome | None) -> Compared:
    """Compare a match with what came out when it was run again: None if the pool gave up before, as it does on a machine on which
    match after match is void."""
    if again is None:
        return Compared("", _unconfirmed(record, NOT_HERE + "others before it could not be, either"))
    if again.record is None:
        return Compared("", _unconfirmed(record, NOT_HERE + again.void, again.causes))
    claims = dict(unconfirmed(record))
    new = dict(unconfirmed(again.record)).items() - claims.items()
    if new and not _differs_before(min(step for _, step in new), record, again.record):
        why = NOT_HERE + "a seat's ticks took too much of the processor"
        return Compared("", _unconfirmed(record, why, [seat for seat, _ in new]))
    if again.record != record:
        return Compared(first_difference(record, again.record))
    if not claims:
        return Compared()
    why = "; ".join(f"step {step}, seat {seat}: {BACKSTOP_CLAIMED}" for seat, step in claims.items())
    return Compared("", _unconfirmed(record, why, claims)._replace(is_claim=True))


def _differs_before(step: int, record: Record, again: Record) -> bool:
    """Tell whether two records of a match differ in what came before a step: 0 is the start."""
    kept = max(0, step - 1)
    return (record.steps[:kept], (record.ticks or ())[:step]) != (again.steps[:kept], (again.ticks or ())[:step])


def _nothing_ran(matches: Mapping[int, tuple[Record, bytes]], why: str) -> RerunFindings:
    """Return the findings where this machine can run none of the matches."""
    return RerunFindings({}, {ordinal: _unconfirmed(record, why) for ordinal, (record, _) in matches.items()})


def _unconfirmed(record: Record, why: str, seats: Iterable[int] = ()) -> Unconfirmed:
    """Return a match that is unconfirmed. ``seats``: those that it is due to; none if nobody knows, so that it may be any."""
    at_table = record.header.seats
    return Unconfirmed(why, tuple(at_table[seat].name for seat in seats) or tuple(seat.name for seat in at_table))


def first_difference(recorded: Record, again: Record) -> str:
    """Return in words where two records of a match part."""
    starts = zip(recorded.ticks[0] if recorded.ticks else (), again.ticks[0] if again.ticks else (), strict=True)
    for seat, (mine, other) in enumerate(starts):
        if mine != other:
            more = " or more" if other == mine + 1 else ""
            return f"seat {seat} took {mine:,} ticks to start by the record, and {other:,}{more} when its module was run again"
    for number, (mine_, other_) in enumerate(zip_longest(_steps(recorded), _steps(again)), 1):
        for mine, other in zip_longest(mine_ or (), other_ or ()):
            if mine != other:
                seat = (mine or other)[0]
                again_words = _in_words(other)
                if mine and other and other[2:] == (Verdict.TIMEOUT, mine[3] + 1):
                    again_words = f"more than {mine[3]:,} ticks"  # it was stopped there
                return f"step {number}, seat {seat}: {_in_words(mine)} by the record, {again_words} when it was run again"
    return "its end is another one when its modules are run again"


PaidChoice = tuple[int, int, str, int]
"""A choice with its seat, its fault and its ticks."""


def _steps(record: Record) -> list[list[PaidChoice]]:
    rows = (record.ticks or ())[1:]
    return [
        [(*choice, took) for choice, took in zip(step, row, strict=True)] for step, row in zip(record.steps, rows, strict=True)
    ]


def _in_words(answer: PaidChoice | None) -> str:
    if answer is None:
        return "nothing"
    _, choice, why, ticks = answer
    return f"{why or f'choice {choice}'} in {ticks:,} ticks"
