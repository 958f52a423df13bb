"""Isolation of a command: the level that was asked for, or the best one that works
here.

Also the places that no bot may read, and where no file may be written.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePath

from khiva_arena.bots.sandbox import system
from khiva_arena.bots.sandbox.cell import sweep
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.bots.sandbox.detect import best, remedy, why_not
from khiva_arena.bots.sandbox.level import Level, Sandbox
from khiva_arena.bots.sandbox.readable_paths import (
    is_below,
    path_holding,
    path_inside,
    program_path,
    real_paths,
)
from khiva_arena.bots.sandbox.warm import refusal
from khiva_arena.common import shipped
from khiva_arena.common.result import Clock
from khiva_arena.common.say import Say
from khiva_arena.competition.settings.settings import AUTO, OF_EXTENSIONS, Settings
from khiva_arena.entrants.bots import Bot
from khiva_arena.entrants.staging import cache_folder
from khiva_arena.errors import ConfigError


class NoLevel(ConfigError):
    """No isolation level works on this machine. ``steps``: what the user can do, a line
    each.
    """

    def __init__(self, lack: str, steps: Sequence[str]) -> None:
        super().__init__(f"no isolation level works here: {lack}")
        self.steps = tuple(steps)

    def __str__(self) -> str:
        return "\n  ".join([*self.problems, *self.steps])


def sandbox_of(settings: Settings, say: Say, *, rated: bool, may_trust: bool = True) -> Sandbox:
    """Try the level and return the sandbox for it. A rated run is played at trusted
    only if that was requested explicitly.

    may_trust: whether the user may play these bots at trusted; a league's are
        strangers'.

    Raises ConfigError if the level does not work here.
    """
    sandbox = chosen_sandbox(settings)
    admit(sandbox, settings, say, rated=rated, may_trust=may_trust)
    return sandbox


def chosen_sandbox(settings: Settings) -> Sandbox:
    """Return the sandbox for the level that is asked for, or for the best one that
    works here, trusted included. ``admit`` says whether it may be used.
    """
    level = best() if settings.isolation == AUTO else Level(settings.isolation)
    return Sandbox(level, settings.resources, settings.ponder)


def admit(
    sandbox: Sandbox, settings: Settings, say: Say, *, rated: bool, may_trust: bool = True
) -> None:
    """Try the level of ``chosen_sandbox`` before the first bot starts, and warn if it
    is trusted.

    Raises ConfigError if the level does not work here, or may not be used.
    """
    level, is_auto = sandbox.level, settings.isolation == AUTO
    if is_auto and not level.confines and rated and not settings.trust_bots:
        raise _no_level("--trust-bots" if may_trust else "")
    if (
        not is_auto and not settings.place and (lack := why_not(level))
    ):  # other places say which levels they have
        command = remedy(level, lack)
        raise ConfigError(
            f"--isolation {level}: does not work here: {lack}"
            + (f"; try: {command}" if command else "")
        )
    if not level.confines:
        _warn_of_trust(settings, say, is_asked_for=not is_auto)
    if not settings.place or not why_not(level):
        sweep(level)


def _warn_of_trust(settings: Settings, say: Say, *, is_asked_for: bool) -> None:
    """Warn in a line that bots play at trusted. If nothing better works here, name the
    command that changes that.
    """
    elsewhere = settings.place or system.why_no_levels()  # on macOS each run would say so
    command = "" if is_asked_for or elsewhere else remedy(Level.STANDARD, why_not(Level.STANDARD))
    way = f"; for a better level: {command}" if command else ""
    if settings.clock == Clock.TICKS:
        say(
            "isolation trusted: builds run with all of your rights; only the VM keeps "
            f"modules from this machine{way}",
            warning=True,
        )
    else:
        say(
            f"isolation trusted: bots run with all of your rights; play only those you trust{way}",
            warning=True,
        )


def _no_level(flag: str) -> NoLevel:
    """Return the error of a machine on which no level works: what standard lacks, which
    most machines can have, and what to do.

    flag: with which the user's own bots play all the same; "" if they may not.
    """
    lack = why_not(Level.STANDARD) or "standard did not work when it was first tried"
    command = remedy(Level.STANDARD, lack) or "khiva-arena doctor"
    trusting = (
        [f"if all of these bots are yours, add {flag}: they run with all of your rights"]
        if flag
        else []
    )
    return NoLevel(lack, [f"next: {command}", *trusting])


def warn_of_cold_files(say: Say) -> None:
    """Warn, once bots were started for the first time, if the files that they read
    could not be kept in memory.
    """
    if lack := refusal():
        from khiva_arena.common.manual import where  # not above: few machines refuse

        notes = (
            "a bot could leave itself notes by what it reads, see "
            f"{where('isolation', 'Files in memory')}"
        )
        say(f"{lack}; {notes}", warning=True)


def sandbox_of_stored(
    recorded: Sandbox, word: str | None, say: Say, *, trusts: bool = False
) -> Sandbox:
    """Return the sandbox for a stored match that is played again.

    Its level is the one asked for now, or without one the level of the match. A level
    that does not work here gives way to the best that does. A store may be a
    stranger's, so trusted has to be asked for.

    trusts: the user has named the bots, or trusts them: they play at trusted if nothing
        better works, as in a match of their own.

    Raises ConfigError for an unknown level, or if only trusted is left.
    """
    if word not in (None, AUTO, *Level):
        raise ConfigError(
            f"--isolation: {word!r} is not a level; there are {AUTO}, {', '.join(Level)}"
        )
    level_then = recorded.level if recorded.level.confines else best()
    level = level_then if word is None else best() if word == AUTO else Level(word)
    lack = why_not(level)
    if lack:
        level = best()
    if not level.confines and word != Level.TRUSTED and not trusts:
        raise _no_level("--isolation trusted")
    if lack:
        say(
            f"isolation {word or level_then} does not work here ({lack}); playing at {level}",
            warning=True,
        )
    elif level is not recorded.level:
        say(f"playing at isolation {level}; the stored match was played at {recorded.level}")
    return replace(recorded, level=level)


def private_places(settings: Settings, plan: Path | None = None) -> list[tuple[str, str]]:
    """Return the places that no bot may read: the flag that names each, and its
    path. ``plan``: the file of the plan, if any.
    """
    files = [
        ("--out", settings.out),
        ("--from-plan", plan),
        ("--events-file", settings.events_file),
        ("--report", settings.report),
    ]
    files += [
        (row.option, settings.of_extensions[row.name]) for row in OF_EXTENSIONS if row.private
    ]
    return [(flag, str(path)) for flag, path in files if path]


def keep_private(
    private: Sequence[tuple[str, str]], sandbox: Sandbox, commands: Sequence[Command]
) -> None:
    """Raise ConfigError if one of these places, or the staged copies of all bots, lies
    in a folder that bots may read.
    """
    if not sandbox.level.confines:
        return
    for command in commands:
        program = program_path(command.argv[0], command.folder)
        readable = (command.readable, command.folder) if command.staged else (command.readable,)
        for flag, path in private if program else ():
            if holder := path_holding(path, program or "", *readable):
                hint = (
                    "the deals of this store too; give another --out"
                    if flag == "--out"
                    else "this file too; name another one"
                )
                raise ConfigError(f"{flag} {path}: bots may read all of {holder}, {hint}")
        if program and (holder := path_holding(str(cache_folder() / "staged"), program, *readable)):
            raise ConfigError(
                f"KHIVA_ARENA_CACHE: bots may read all of {holder}, all staged bots too; "
                "name another folder"
            )


def keep_apart(entrants: Sequence[Bot], commands: Sequence[Command], sandbox: Sandbox) -> None:
    """Raise ConfigError if a bot may read the folder of another entrant, unless its own
    command names that explicitly.
    """
    if not sandbox.level.confines:
        return
    folders = {bot.identity: home for bot in entrants if (home := _home_of(bot))}
    names = {bot.identity: bot.name for bot in reversed(entrants)}
    by_ancestor = _by_ancestor(folders)
    problems: list[str] = []
    for bot, command in dict(zip(entrants, commands, strict=True)).items():
        program = program_path(command.argv[0], command.folder)
        paths = (command.readable, command.folder) if command.staged else (command.readable,)
        neighbours = (
            _neighbours(real_paths(program, *paths), folders, by_ancestor) if program else ()
        )
        for identity in neighbours:
            if identity == bot.identity:
                continue
            name, folder = names[identity], folders[identity]
            holder = path_holding(folder, program or "", *paths)
            inner = "" if holder else path_inside(folder, program or "", *paths)
            typed = (
                ()
                if command.staged
                else (program, os.path.realpath(program or ""), *command.readable)
            )
            if holder or (inner and inner not in typed):
                readable_part = (
                    f"all of {holder}, where {folder} lies"
                    if holder
                    else f"{inner}, which lies in {folder}"
                )
                problems.append(
                    f"bot {bot.name} may read {readable_part}, the folder of bot {name}; "
                    "move the one or the other"
                )
    if problems:
        raise ConfigError(problems)


def _by_ancestor(folders: Mapping[str, str]) -> dict[str, list[str]]:
    """Return by path the identities of the bots whose folders are that path or lie in
    it: so not every pair has to be compared.
    """
    identities: dict[str, list[str]] = {}
    for identity, folder in folders.items():
        for ancestor in (folder, *map(str, PurePath(folder).parents)):
            identities.setdefault(ancestor, []).append(identity)
    return identities


def _neighbours(
    paths: Sequence[str], folders: Mapping[str, str], by_ancestor: Mapping[str, Sequence[str]]
) -> list[str]:
    """Return the identities of bots whose folders lie in one of these paths, or hold
    one, in the order of ``folders``.
    """
    near = {identity for path in paths for identity in by_ancestor.get(path, ())}
    around = {
        ancestor for path in paths for ancestor in map(str, PurePath(path).parents)
    } & by_ancestor.keys()
    near |= {
        identity
        for ancestor in around
        for identity in by_ancestor[ancestor]
        if folders[identity] == ancestor
    }
    return [identity for identity in folders if identity in near] if near else []


def _home_of(bot: Bot) -> str:
    """Return the folder that an entrant has sent. A bot that comes with the arena,
    which anyone may read, or a bare command has "".
    """
    place = os.path.realpath(bot.home) if bot.home else ""
    return "" if is_below(place, os.path.realpath(shipped.folder("bots"))) else place
