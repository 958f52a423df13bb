"""The bots of an event in ticks, run again: each match is played once more with its
modules and compared with its record.

Whatever a module does follows from its bytes, its seat's number and the frames that it
is sent. So an honest record comes out equal again on any machine, ticks and faults
included. Only a forfeit by the backstop is the word of the machine that played: it is
taken from the record, and listed. A match that cannot be run again, since this machine
or this version lacks something, is unconfirmed: nobody is accused.
"""

import zlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path

from khiva_arena.arbiter import pool
from khiva_arena.arbiter.job import Job, Outcome
from khiva_arena.arbiter.live import too_little, void
from khiva_arena.bots.modules.meter.bounds import MODULE_BYTES
from khiva_arena.bots.sandbox import regular_files
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.bots.sandbox.detect import best
from khiva_arena.bots.sandbox.level import Sandbox
from khiva_arena.common.say import Say, say_nothing
from khiva_arena.competition.audit.audit_report import EventReport
from khiva_arena.competition.audit.compared import (
    NOT_HERE,
    as_recorded,
    compared,
    note,
    unconfirmed_match,
    unpublished_match,
)
from khiva_arena.competition.audit.sample import RerunFindings, Unconfirmed
from khiva_arena.competition.events.watching import UNWATCHED, MatchWatch
from khiva_arena.entrants import only_modules, staging
from khiva_arena.entrants.modules import is_sound
from khiva_arena.errors import ConfigError, StagingError
from khiva_arena.records.replay.definition import DefinedBot, Definition, ModuleFile
from khiva_arena.records.replay.record import Record
from khiva_arena.records.replay.ticks import refuse_unspoken

RUNNING = "running bots again"


class Rerunner:
    """Runs the bots of matches again.

    stores: the folders of the modules of stores.
    modules: folders in which modules are looked for, beside these and the cache of this
        machine.
    jobs: how many matches are played at a time.
    say: takes a line for people, before bots are run.
    watch: sees how many matches have been played.
    """

    def __init__(
        self,
        stores: Iterable[Path],
        modules: Iterable[Path],
        jobs: int,
        say: Say = say_nothing,
        watch: MatchWatch = UNWATCHED,
    ) -> None:
        self.say = say
        self._watch = watch
        self._stores = tuple(stores)
        self._modules = tuple(modules)
        self._jobs = jobs
        self._level = best()
        self._bundled: dict[ModuleFile, bytes] = {}
        self._known: dict[str, Command] = {}

    def take(self, file: ModuleFile, data: bytes) -> None:
        """Take a module or a payload that a bundle holds. It is not written before a
        match of its bot was sound: a small bundle may hold much that is long.
        """
        self._bundled[file] = zlib.compress(data)

    def _unpublished(self, definition: Definition, published: Collection[str]) -> dict[str, str]:
        """Return the bots of an event that their league does not publish and that are
        not here, the name of each by identity.
        """
        others = [
            bot
            for bot in definition.bots
            if bot.identity not in published and bot.identity not in self._known
        ]
        return {bot.identity: bot.name for bot in others if not all(map(self._is_here, bot.files))}

    def _is_here(self, file: ModuleFile) -> bool:
        return file in self._bundled or self._path_of(file) is not None

    def _commands_of(
        self,
        definition: Definition,
        matches: Mapping[int, tuple[Record, bytes]],
        besides: Collection[str],
    ) -> Mapping[str, Command]:
        """Return the command of each bot of sound matches, by identity. ``besides``:
        the bots that need not be here. Raises ConfigError if a module of the event is
        not available, or is another one.
        """
        modules = [bot for bot in definition.bots if not bot.person]
        unknown = [
            bot
            for bot in modules
            if bot.identity not in self._known and bot.identity not in besides
        ]
        self._refuse_lacking(
            [(bot, file) for bot in unknown for file in bot.files if not self._is_here(file)]
        )
        playing = {seat.bot for record, _ in matches.values() for seat in record.header.seats}
        for bot in (bot for bot in unknown if bot.identity in playing):
            for file in bot.files:
                self._keep(file)
            self._known[bot.identity] = staging.stage(only_modules.bot_of(bot), self._level)
        return self._known

    def _keep(self, file: ModuleFile) -> None:
        """Keep a sound copy on this machine. Raises ConfigError if it is no longer
        there, StagingError if it cannot be kept.
        """
        packed, path = self._bundled.get(file), self._path_of(file)
        try:
            data = (
                zlib.decompress(packed)
                if packed
                else regular_files.read(path, MODULE_BYTES, follow=False)
                if path
                else b""
            )
        except OSError as error:
            raise ConfigError(f"{error.filename}: {error.strerror}") from None
        if only_modules.keep(file.kind, data) != file:
            raise ConfigError(f"{path} is not the {file.kind} {file.digest}: it has changed")

    def _refuse_lacking(self, lacking: Sequence[tuple[DefinedBot, ModuleFile]]) -> None:
        """Raise ConfigError if there are bots without a sound module or payload; it
        names the copies that are damaged.
        """
        names = ", ".join(dict.fromkeys(bot.name for bot, _ in lacking))
        damaged = [
            str(path)
            for _, file in lacking
            for path in only_modules.damaged_copies(file, *self._stores)
        ]
        if damaged:
            raise ConfigError(
                f"the modules of {names} are damaged here ({', '.join(damaged)}): name a "
                "folder of sound ones with --modules"
            )
        if lacking:
            raise ConfigError(
                f"the modules of {names} are not here: name the folder that has them with --modules"
            )

    def _path_of(self, file: ModuleFile) -> Path | None:
        """Return where a module or a payload lies; None if no sound copy is
        anywhere.
        """
        places = [
            only_modules.kept(file),
            *(only_modules.named(folder, file) for folder in self._stores),
        ]
        return self._in_folders.get(file) or next(
            (path for path in places if is_sound(path, file.digest)), None
        )

    @cached_property
    def _in_folders(self) -> dict[ModuleFile, Path]:
        """The modules and payloads in the folders that were named. Raises ConfigError
        for one that cannot be read.
        """
        ends = only_modules.ENDS.items()
        paths = [
            (kind, path)
            for folder in self._modules
            for kind, end in ends
            for path in sorted(folder.glob(f"*{end}"))
        ]
        try:
            return {ModuleFile(kind, only_modules.digest_of(path)): path for kind, path in paths}
        except OSError as error:
            raise ConfigError(f"--modules: {error.filename}: {error.strerror}") from None

    def rerun(
        self,
        definition: Definition,
        matches: Mapping[int, tuple[Record, bytes]],
        report: EventReport,
        published: Collection[str] | None = None,
    ) -> None:
        """Play sound matches of an event again, and note in its report each that does
        not come out equal, or cannot be played.

        matches: by ordinal, the record and the secret of the seed.
        published: as ``RunsAgain`` has it.

        Raises ConfigError if a module is not available, or is another one.
        """
        note(report, self.findings(definition, matches, published), matches)

    def findings(
        self,
        definition: Definition,
        matches: Mapping[int, tuple[Record, bytes]],
        published: Collection[str] | None = None,
    ) -> RerunFindings:
        """Play sound matches of an event again. Return what comes out.

        A match in which a seat is out by the backstop, as its record claims, is
        unconfirmed, unless it differs otherwise.

        matches: by ordinal, the record and the secret of the seed.
        published: as ``RunsAgain`` has it.

        Raises ConfigError if a module is not available, or is another one.
        """
        unequal: dict[int, str] = {}
        hidden = {} if published is None else self._unpublished(definition, published)
        unconfirmed_matches = {
            at: lacks for at, (record, _) in matches.items() if (lacks := _hidden(record, hidden))
        }
        matches = {
            ordinal: match
            for ordinal, match in matches.items()
            if ordinal not in unconfirmed_matches
        }
        try:
            refuse_unspoken(definition.meter)
        except ConfigError as lacking:
            return _nothing_ran(matches, str(lacking), unconfirmed_matches)
        try:
            commands = self._commands_of(definition, matches, hidden)
        except StagingError as lacking:  # this machine cannot keep or compile a module
            return _nothing_ran(matches, f"{NOT_HERE}{lacking}", unconfirmed_matches)
        sandbox = definition.sandbox(self._level)
        jobs = {
            ordinal: _job(ordinal, *match, commands, sandbox) for ordinal, match in matches.items()
        }
        outcomes = {
            ordinal: void(job, why, begun=False)
            for ordinal, job in jobs.items()
            if (why := too_little(job))
        }
        outcomes |= self._played([job for ordinal, job in jobs.items() if ordinal not in outcomes])
        for ordinal, (record, _) in matches.items():
            one = compared(record, outcomes.get(ordinal))
            if one.difference:
                unequal[ordinal] = one.difference
            elif one.unconfirmed:
                unconfirmed_matches[ordinal] = one.unconfirmed
        return RerunFindings(unequal, unconfirmed_matches)

    def _played(self, jobs: Sequence[Job]) -> dict[int, Outcome]:
        """Play jobs, and return the outcome of each by ordinal."""
        outcomes: dict[int, Outcome] = {}

        def take(outcome: Outcome) -> None:
            outcomes[outcome.ordinal] = outcome
            self._watch.far(RUNNING, len(outcomes), len(jobs))

        self._watch.over()
        self._watch.far(RUNNING, 0, len(jobs))
        pool.play(jobs, self._jobs, take)
        self._watch.over()
        return outcomes


def _job(
    ordinal: int, record: Record, secret: bytes, commands: Mapping[str, Command], sandbox: Sandbox
) -> Job:
    persons = record.header.persons
    seats = enumerate(record.header.seats)
    by_seat = tuple(
        Command((), "/", ours=True) if at in persons else commands[seat.bot] for at, seat in seats
    )
    return as_recorded(Job(ordinal, 1, record.header, secret, by_seat, sandbox), record)


def _hidden(record: Record, hidden: Mapping[str, str]) -> Unconfirmed | None:
    """Return why a match is unconfirmed if bots of it are hidden; None if none
    is. ``hidden``: names by identity.
    """
    seats = [number for number, seat in enumerate(record.header.seats) if seat.bot in hidden]
    return (
        unpublished_match(record, hidden[record.header.seats[seats[0]].bot], seats)
        if seats
        else None
    )


def _nothing_ran(
    matches: Mapping[int, tuple[Record, bytes]], why: str, besides: Mapping[int, Unconfirmed]
) -> RerunFindings:
    """Return the findings where this machine can run none of the matches. ``besides``:
    what is known of others.
    """
    none = {ordinal: unconfirmed_match(record, why) for ordinal, (record, _) in matches.items()}
    return RerunFindings({}, {**besides, **none})
