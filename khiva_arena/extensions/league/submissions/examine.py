"""The examination of a submitted bot: its files, its check in the cell, and one trial
table against the anchors.

The trial is played on deals of its own and is not recorded among the matches of the
league. What comes out is kept for the bot's author alone, in the words of ``khiva-arena
check``.

A bot is unpacked into a draft, which becomes the league's copy in one step once it is
accepted.
"""

import resource
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from khiva_arena.common import shipped
from khiva_arena.common.machine import of_the_machine
from khiva_arena.common.text import harmless
from khiva_arena.entrants import bots as bot_files
from khiva_arena.entrants.bots import Bot
from khiva_arena.entrants.loading import Interpreters
from khiva_arena.entrants.staging import cache_folder
from khiva_arena.entrants.unpacking import unpack
from khiva_arena.errors import ArenaError, BotError, ConfigError, StagingError
from khiva_arena.extensions.league import failures
from khiva_arena.extensions.league.settings import League
from khiva_arena.extensions.league.submissions.drafts import sweep
from khiva_arena.extensions.league.submissions.entry_files import (
    copy_of,
    draft_of,
    forget,
    take_back_older,
)
from khiva_arena.extensions.league.submissions.limits import limits_of
from khiva_arena.extensions.league.submissions.names import compared, name_taken
from khiva_arena.extensions.league.submissions.queue import MOST_ATTEMPTS, Queue
from khiva_arena.extensions.league.submissions.queue_rows import EQUAL, EntryState, QueueEntry
from khiva_arena.extensions.league.submissions.trial_table import Finding, as_played, verdict_of
from khiva_arena.records.replay.definition import ModuleFile
from khiva_arena.records.store.files import MODULES

MOST_WORDS = 10_000
MOST_REPORT = 20_000  # characters
UNEXAMINED = (
    "it was not examined, since the arena itself failed at it, and the organiser can read why; it "
    "does not count against your day: send it again, or ask the organiser"
)
"""The report of an entry that the arena could not examine: it names no place of this
machine.
"""
ENDED = (
    f"its check was ended {MOST_ATTEMPTS} times before it was done, as by kills of the player "
    "or a full disk"
)
"""What the organiser is told of an entry that is set aside without another check."""
NOT_AGREED = (
    "this league publishes its bots, and its author did not agree to that: send it with "
    "`khiva-arena submit --agree`"
)
"""The refusal of a bot whose author was not told that bundles of the league hold it."""
NEXT = "  next: khiva-arena check"
"""The beginning of the line that names a command for the user of this machine."""


class _Settled(NamedTuple):
    """What becomes of an entry.

    finding: for its author and the organiser.
    played_as, parts: of a bot that is accepted, as ``Queue.settle`` has them.
    """

    finding: Finding
    played_as: str | None = None
    parts: tuple[str, ...] = ()


def folder_of(league: League, identity: str) -> Path:
    """Return the folder with the league's copy of a bot, as ``copy_of`` does."""
    return copy_of(league.folder, identity)


def examine_next(
    league: League,
    queue: Queue,
    number: int | None = None,
) -> tuple[QueueEntry, Finding] | None:
    """Examine an entry that waits, note what became of it, and return both; None if
    none waits.

    number: of the entry, which this process holds; None for the next one.

    An entry that the arena fails at is set aside, with a trace for the organiser. So is
    one whose checks were ended too often.

    Raises StagingError if this machine is to blame: then the entry waits again. Raises
    StoreError if the queue cannot be read or written.
    """
    sweep(league, queue)
    if number is None and (ended := queue.set_aside_ended(UNEXAMINED)):
        forget(league.folder, queue, ended.number)
        return ended, Finding(False, ended.report, ENDED)
    claimed = queue.claim(number, 0.0 if number else limits_of(league.options).build_seconds)
    if claimed is None:
        return None
    entry, packed = claimed
    draft = draft_of(league.folder, entry.number)
    cpu = _cpu_of_children()
    try:
        settled = _examined(league, queue, entry, packed, draft, is_players=number is None)
        _settle(league, queue, entry, settled, draft)
    except BaseException as error:
        if of_the_machine(error) or not isinstance(error, Exception):  # or a stop
            queue.roll_back()
            queue.put_back(entry.number)
        raise
    finally:
        queue.add_build_seconds(entry.number, _cpu_of_children() - cpu)
    entry = queue.entry(entry.number)
    if entry.state == "refused":
        forget(league.folder, queue, entry.number)
    return entry, Finding(entry.state != "refused", entry.report, settled.finding.failure)


def _examined(
    league: League, queue: Queue, entry: QueueEntry, packed: bytes, draft: Path, *, is_players: bool
) -> _Settled:
    """Examine an entry, whatever is in it, and remove its draft. ``is_players``: the
    player asked, which comes again to an entry that waits.

    Raises StagingError if this machine is to blame, and has not failed at this entry so
    often that the entry may be.
    """
    try:
        try:
            return _examine(league, queue, entry, packed, draft)
        finally:
            shutil.rmtree(
                draft, ignore_errors=True
            )  # before the queue is written: the draft may be what fills the disk
    except Exception as error:
        queue.roll_back()
        if of_the_machine(error):
            if not (is_players and queue.note_failure(entry.number)):
                raise _of_this_machine(error, draft) from error
        elif isinstance(error, ConfigError | BotError):
            return _Settled(Finding(False, _for_author(str(error), draft)))
        return _Settled(
            Finding(False, UNEXAMINED, failures.keep(league.folder, f"entry-{entry.number}", error))
        )


def _of_this_machine(error: Exception, draft: Path) -> StagingError:
    if isinstance(error, OSError):
        return StagingError(f"{error.filename or draft}: {error.strerror or error}")
    return StagingError(
        str(error) if isinstance(error, ArenaError) else f"{type(error).__name__}: {error}"
    )


def _examine(
    league: League, queue: Queue, entry: QueueEntry, packed: bytes, draft: Path
) -> _Settled:
    """Examine an entry; the draft of a bot that is accepted becomes the league's copy.
    Raises whatever the examination does.
    """
    bot = _unpacked(league, entry, packed, draft)
    queue.identify(entry.number, bot.identity)
    verdict = verdict_of(league, bot, lambda: queue.renew(entry.number))
    if not verdict.accepted:
        return _Settled(verdict._replace(report=_for_author(verdict.report, draft)))
    played = as_played(league, bot)
    if played.identity in {anchor.identity for anchor in league.anchors}:
        raise ConfigError(EQUAL)
    folder = folder_of(league, bot.identity)
    shutil.rmtree(
        folder, ignore_errors=True
    )  # what a kill has left: no other entry has this identity
    draft.rename(folder)
    return _Settled(verdict, played.identity, played.parts)


def _settle(
    league: League, queue: Queue, entry: QueueEntry, settled: _Settled, draft: Path
) -> None:
    """Note what becomes of an entry."""
    finding = settled.finding
    if finding.failure:
        queue.set_aside(entry.number, finding.report)
        return
    try:
        state: EntryState = "accepted" if finding.accepted else "refused"
        queue.settle(entry.number, state, finding.report, settled.played_as, settled.parts)
    except ConfigError as error:  # an equal bot came in meanwhile
        queue.settle(entry.number, "refused", _for_author(str(error), draft))
    take_back_older(league.folder, queue, entry.number)


def _unpacked(league: League, entry: QueueEntry, packed: bytes, draft: Path) -> Bot:
    """Unpack a bot and return it. Raises ConfigError if it is no bot that the league
    takes.
    """
    if league.terms.publishes_bots and not entry.agreed:
        raise ConfigError(NOT_AGREED)
    alike = {compared(anchor.name) for anchor in league.anchors}
    if compared(entry.family_name) in alike:
        raise name_taken(entry.family_name, "a bot")
    shutil.rmtree(draft, ignore_errors=True)  # what a kill has left
    draft.parent.mkdir(mode=0o700, exist_ok=True)
    unpack(packed, draft)
    bot = _loaded(league, draft, entry.family_name, league.loading.interpreters)
    if sum(map(len, (*bot.run, *bot.build))) > MOST_WORDS:
        raise ConfigError(
            f"its run and build lines have more than {MOST_WORDS:,} characters; put a "
            "longer script into a file"
        )
    if entry.identity and bot.identity != entry.identity:
        raise ConfigError("its files hash to another identity than was announced; send it again")
    return bot


def _cpu_of_children() -> float:
    """Return the CPU seconds of all processes that this one has started and waited for,
    and of theirs.
    """
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def load(league: League, identity: str, name: str, parts: Sequence[str] = ()) -> Bot:
    """Return the league's copy of a bot. Raises ConfigError.

    identity: of its files and commands
    parts: the hashes of its module and its payload if it was entered with both: its
        interpreter is the one of then
    """
    interpreters = league.loading.interpreters
    if not parts:
        return _loaded(league, folder_of(league, identity), name, interpreters)
    bot = _loaded(league, folder_of(league, identity), name, replace(interpreters, pins=None))
    if bot.interpreted is None:
        return bot
    # not above: few leagues are in ticks
    from khiva_arena.entrants.only_modules import keep, read_from

    module = ModuleFile("module", parts[0])
    if (data := read_from(league.folder / MODULES, module)) is not None:
        keep(module.kind, data)
    return bot_files.pinned(bot, replace(interpreters, pins={bot.interpreted.word: module.digest}))


def _refuse_outside(bot_toml: Path, paths: Sequence[str]) -> None:
    """Refuse files outside of a bot's folder, which no upload has. Raises
    ConfigError.
    """
    name = Path(paths[0]).name
    raise ConfigError(
        f"{bot_toml}: {name} lies outside of its folder; copy it into the folder, and "
        "leave include out"
    )


def _loaded(league: League, folder: Path, name: str, interpreters: Interpreters) -> Bot:
    loading = replace(league.loading, include=_refuse_outside, interpreters=interpreters)
    return replace(bot_files.load(str(folder), loading=loading), name=name, author="")


def _for_author(text: str, draft: Path) -> str:
    """Return a report as it is kept: without places of this machine and what to type on
    it, harmless, and not too long.
    """
    caches = (f"{cache_folder()}/staged-open", f"{cache_folder()}/staged")
    for place in (
        *map(str, (draft.absolute(), draft)),
        *caches,
        str(shipped.folder("protocol").parent),
    ):
        text = (
            text.replace(f"--bot {place}: ", "")
            .replace(f"{place}/", "")
            .replace(place, "its folder")
        )
    lines = [line for line in text[:MOST_REPORT].splitlines() if not line.startswith(NEXT)]
    return "\n".join(map(harmless, lines))
