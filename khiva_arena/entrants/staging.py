"""Staging of a bot: its files are copied, read-only, and built once.

A staged bot lies in a cache folder named by its identity, so that a build runs once for
each identity, for every command that asks. The contents at staging are noted beside the
folder, and a folder that has been changed since is made again.
"""

import errno
import fcntl
import os
import re
import stat
import tempfile
import time
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from khiva_arena.arbiter.seals import is_as_sealed, seal, seal_of
from khiva_arena.bots.sandbox import regular_files, scratch
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.bots.sandbox.level import Level
from khiva_arena.common import shipped
from khiva_arena.entrants import source_walk, sources
from khiva_arena.entrants.bots import PYTHON, SHOWN, Bot, from_command
from khiva_arena.entrants.build import as_run, build, must_stay_in, of_runtimes
from khiva_arena.entrants.loading import ANY_SIZE, Loading
from khiva_arena.errors import BotError, ConfigError, StagingError

DRAFT, STAGED, COMPILED = "draft-", "staged", "compiled"
KEPT = "modules"
"""The folder of the cache with modules and payloads by their hashes."""
DRAFT_SECONDS = 24 * 60 * 60
_IDENTITY = re.compile("[0-9a-f]{64}")


class StagedModule(NamedTuple):
    """A bot that is a module, as it lies staged.

    command: starts it.
    module: its bytes, or those of its interpreter.
    payload: the bytes that it reads from descriptor 3; None if it has no payload.
    """

    command: Command
    module: bytes
    payload: bytes | None


def cache_folder() -> Path:
    """Return the folder where staged bots are kept: $KHIVA_ARENA_CACHE, else the user's
    cache folder, for root the system's.
    """
    folder = os.environ.get("KHIVA_ARENA_CACHE")
    if folder:
        return Path(os.path.abspath(folder))
    if os.environ.get("XDG_CACHE_HOME"):
        return Path(os.environ["XDG_CACHE_HOME"], "khiva-arena")
    # Under root bots run as users of their own, who could not enter root's home.
    if os.geteuid() == 0:
        return Path("/var/cache/khiva-arena")
    try:
        return Path.home() / ".cache" / "khiva-arena"
    except RuntimeError:
        raise ConfigError(
            "this user has no home to keep staged bots in; set KHIVA_ARENA_CACHE to a folder"
        ) from None


def staged(level: Level, kind: str = STAGED) -> Path:
    """Return the folder of the copies that are played at a level, made if need be.
    Others on this machine may not enter it.

    kind: ``STAGED``, or ``COMPILED`` for compiled modules

    At basic root's bots are users of their own, who get at their copies by the path:
    there is another folder for them.
    """
    is_open = level is Level.BASIC and os.geteuid() == 0
    folder = cache_folder() / (f"{kind}-open" if is_open else kind)
    folder.mkdir(parents=True, exist_ok=True)
    if folder.stat().st_uid == os.geteuid():  # else a cache that users share on purpose
        folder.chmod(0o755 if is_open else 0o700)
    return folder


def stage(bot: Bot, level: Level = Level.TRUSTED, *, by_function: bool = False) -> Command:
    """Copy, build and make read-only the files of a bot, unless that was done and
    nothing has changed since. Return its command.

    level: the level at which a build runs
    by_function: let a module count its ticks by function

    Raises BotError when the build fails, with the end of what it printed.
    """
    if bot.guest:
        from khiva_arena.entrants import guests  # not above: most tables have none

        return guests.command(bot.asked_as)
    if not bot.sources:
        _refuse_changed_command(bot)
        paths = [os.path.join(bot.folder, word) for word in bot.run[1:]]
        files = tuple(os.path.abspath(path) for path in paths if os.path.isfile(path))
        return Command(bot.run, bot.folder, {}, (*files, *of_runtimes(bot)))
    if bot.module:
        return stage_module(bot, level, by_function=by_function).command
    final, _ = _staged_files(bot, level)
    words = as_run(bot.run, bot)
    inside = final / words[0]
    if "/" in words[0] and inside.is_file():
        words[0] = str(inside)
        must_stay_in(bot, words[0], str(final))
    environment, readable = {"PYTHONDONTWRITEBYTECODE": "1"}, [*of_runtimes(bot)]
    if bot.run[0] == PYTHON and (engine := _engine()):
        environment["PYTHONPATH"] = engine
        readable.append(engine)
    return Command(
        tuple(words), str(final), environment, tuple(readable), staged=True, reports=bot.reports
    )


def stage_module(bot: Bot, level: Level, *, by_function: bool = False) -> StagedModule:
    """Stage a bot that is a module, as ``stage`` does, and return the bytes that
    play.
    """
    from khiva_arena.entrants import modules  # not above: most tables have none

    final, compiled = _staged_files(bot, level)
    for file in filter(None, (bot.module, bot.payload)):
        if (final / file).is_file():
            must_stay_in(bot, str(final / file), str(final))
    payload = _payload_of(bot, final)
    module = interpreter_of(bot) if bot.is_interpreted else modules.module_of(bot, final)
    return StagedModule(
        modules.command(bot, module, payload, level, compiled, by_function=by_function),
        module,
        payload,
    )


def _staged_files(bot: Bot, level: Level) -> tuple[Path, Path]:
    """Stage the files of a bot, and return their folder, and that of compiled
    modules.
    """
    home = cache_folder()
    try:
        home, compiled = staged(level), staged(level, COMPILED) if bot.module else Path()
        final = home / bot.identity
        with (home / f"{bot.identity}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # another arbiter may be staging it
            if not is_as_sealed(final) or _is_damaged(bot, final):
                _sweep(home)
                _stage_from_sources(bot, final, level)
    except RecursionError:  # a tree may be deeper than this Python can walk
        raise _too_deep(bot) from None
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:  # or than a path can name
            raise _too_deep(bot) from None
        raise StagingError(f"{bot.name}: cannot be staged in {home}: {_in_words(error)}") from None
    return final, compiled


def _payload_of(bot: Bot, folder: Path) -> bytes | None:
    """Return what the module of a bot reads from descriptor 3, None if it has no
    payload. Raises BotError.

    folder: of its staged files
    """
    if bot.is_interpreted and bot.interpreted:
        # not above: by the wall clock no bot has need of it
        from khiva_arena.entrants.payloads import packed

        return packed(bot.name, bot.interpreted, folder, bot.largest_payload)
    try:
        return (
            regular_files.read(folder / bot.payload, bot.largest_payload, follow=False)
            if bot.payload
            else None
        )
    except OSError as error:
        raise BotError(
            f"{bot.name}: its payload {bot.payload}: {error.strerror or error}"
        ) from None


def interpreter_of(bot: Bot) -> bytes:
    """Return the module of the interpreter that runs a bot. Raises ConfigError or
    StagingError if it is not available.
    """
    from khiva_arena.entrants.interpreters import module_of  # not above: most bots have none

    assert bot.interpreted is not None
    return module_of(bot.name, bot.interpreted, cache_folder() / KEPT)


def _too_deep(bot: Bot) -> BotError:
    return BotError(
        f"{bot.name}: its files, or what its build leaves, lie too deep in folders; nest them less"
    )


def _in_words(error: OSError) -> str:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"{error.strerror}; make room there, or set KHIVA_ARENA_CACHE to a folder with room"
    return str(error)


def _engine() -> str:
    """Return a folder that holds only a link to the arena's package, "" if the arena is
    installed.

    If the arena runs from a working copy, the link keeps a bot that uses the engine as
    its model from the rest of that copy.
    """
    package = Path(__file__).resolve().parent.parent
    if package.parent.name in ("site-packages", "dist-packages"):
        return ""
    folder = cache_folder() / "engine" / sha256(str(package).encode()).hexdigest()[:16]
    link = folder / package.name
    if not link.is_symlink():
        folder.mkdir(parents=True, exist_ok=True)
        with suppress(FileExistsError):  # another arbiter was quicker
            link.symlink_to(package)
    return str(folder)


def _stage_from_sources(bot: Bot, final: Path, level: Level) -> None:
    draft = Path(tempfile.mkdtemp(prefix=DRAFT, dir=final.parent))
    try:
        _copy(bot, draft)
        draft.chmod(
            0o755
        )  # under root a build is a user of its own, and bwrap root without its powers
        seal_of(final).unlink(missing_ok=True)
        if os.path.lexists(final):
            _remove(final)
        draft.rename(final)
    finally:
        if draft.exists():
            _remove(draft)
    try:
        # It is built where it stays: compilers write the folder into their output, and
        # debuggers look for the sources there.
        if bot.build:
            build(bot, final, level)
        else:
            _compile_ours(bot, final)
        _make_read_only(final)
        seal(final)
    except BaseException:
        _remove(final)
        raise


def _copy(bot: Bot, draft: Path) -> None:
    """Copy the sources of a bot. Raises BotError if the copies are not the bot that was
    named. ``modules.command`` looks at those of a bot that is identified by its module.
    """
    for name, source in bot.sources:
        target = draft / name
        target.parent.mkdir(parents=True, exist_ok=True)
        with sources.open_source(source, bot.root) as file, target.open("xb") as copy:
            copy.writelines(regular_files.pieces(file, bot.largest, source))
            target.chmod(0o755 if sources.runs(file) else 0o644)
    if not bot.built_from:
        copies = tuple((name, draft / name) for name, _ in bot.sources)
        copied = sources.identity_of_files(
            copies, bot.lines, bot.build, bot.largest, str(draft), reports=bot.reports
        )
        _refuse_changed(bot, copied)


def _compile_ours(bot: Bot, final: Path) -> None:
    """Compile the kit and the modules of shipped bots, or each start would: bots cannot
    write here.

    A stranger's source stays as it is: it may be made to harm the process that compiles
    it.
    """
    kit = (shipped.folder("bots") / "python" / "kit" / "khiva_kit.py").read_bytes()
    for name, source in bot.sources:
        path = final / name
        if path.suffix == ".py" and (source_walk.is_shipped(source) or path.read_bytes() == kit):
            import py_compile  # not above: bots are staged once

            py_compile.compile(
                str(path), quiet=2, invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH
            )


@cache
def _sweep(home: Path) -> None:
    """Remove leftovers of arbiters that were killed while staging: drafts, also of
    modules, and folders whose build did not end.

    Once is enough: of a thousand bots each would look at the others.
    """
    unsealed = (
        path
        for path in home.iterdir()
        if _IDENTITY.fullmatch(path.name) and not seal_of(path).exists()
    )
    for path in [*home.glob(f"{DRAFT}*"), *home.parent.glob(f"{COMPILED}*/{DRAFT}*"), *unsealed]:
        with suppress(OSError):
            if time.time() - path.lstat().st_mtime > DRAFT_SECONDS:
                _remove(path)


def _make_read_only(folder: Path) -> None:
    for path in sorted(folder.rglob("*"), reverse=True):
        if not path.is_symlink():  # chmod would change the file that the link leads to
            path.chmod(stat.S_IMODE(path.stat().st_mode) & 0o555 | 0o444)
    folder.chmod(0o555)


def _remove(path: Path) -> None:
    if path.is_symlink() or not path.is_dir():
        path.unlink()
        return
    scratch.remove(str(path))
    if path.exists():
        raise OSError(f"{path} cannot be removed")


def _is_damaged(bot: Bot, final: Path) -> bool:
    """Tell whether a staged module is not the one that identifies its bot, as when a
    damaged copy was staged and sealed.
    """
    if not bot.built_from:
        return False
    from khiva_arena.entrants import modules  # not above: most tables have none

    files = zip((bot.module, bot.payload), bot.parts or (bot.identity,), strict=False)
    return not all(modules.is_sound(final / file, digest) for file, digest in files)


def _refuse_changed(bot: Bot, identity: str) -> None:
    """Raise BotError if the identity of the files that are about to play is not the
    bot's, by which it was named.
    """
    if identity != bot.identity:
        was, now = bot.identity[:SHOWN], identity[:SHOWN]
        problem = (
            f"its files were changed after the command had read them (identity {was} then, "
            f"{now} now)"
        )
        raise BotError(
            f"{bot.name}: {problem}; leave {bot.asked_as} as it is, and type the command again"
        )


def _refuse_changed_command(bot: Bot) -> None:
    """Raise BotError if a bare command, which runs where it lies, is no longer what was
    named; ConfigError if it is gone.
    """
    loading = Loading(ANY_SIZE, {runtime.name: runtime for runtime in bot.runtimes})
    _refuse_changed(bot, from_command(bot.asked_as, bot.folder, loading).identity)
