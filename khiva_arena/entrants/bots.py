"""What a bot is: read its ``bot.toml`` or its bare command, stage its files read-only, know it by their hash, build it once.

A staged bot lives in a cache folder named by its identity, so that a build runs once for each identity, whoever asks. What
lay in it when it was staged is noted beside it, and a folder that has been changed since is made again.
"""

import fcntl
import os
import re
import shlex
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from difflib import get_close_matches
from hashlib import sha256
from pathlib import Path

from khiva_arena import shipped
from khiva_arena.entrants import manifest, runtimes, seals, sources, weight
from khiva_arena.entrants.loading import AS_IT_IS, DEFAULT, Loading
from khiva_arena.entrants.runtimes import WORD, Runtime
from khiva_arena.entrants.sources import is_executable
from khiva_arena.errors import BotError, ConfigError, InternalError
from khiva_arena.sandbox import cell as isolation
from khiva_arena.sandbox import readable_paths, reap, regular_files, scratch, stops
from khiva_arena.sandbox.cell import Cell
from khiva_arena.sandbox.command import Command
from khiva_arena.sandbox.level import Level, Sandbox
from khiva_arena.sandbox.limits import FOR_A_BUILD
from khiva_arena.sandbox.reaper import REAPER
from khiva_arena.text import printable

BUILD_SECONDS = 300
REAP_SECONDS = 10.0
BUILD_SAID = 2_000
DRAFT = "draft-"
DRAFT_SECONDS = 24 * 60 * 60
_IDENTITY = re.compile("[0-9a-f]{64}")
PYTHON = "{python}"


@dataclass(frozen=True, slots=True)
class Bot:
    """A bot as an event names it.

    name, version, author: as in its bot.toml; "" if that does not say. The author is not part of the identity by itself.
    run, build: words of its commands.
    games: those that it plays; empty: all.
    identity: 64 hex digits over its files, run and build lines.
    complete: whether the identity covers all of it; a bare command may use files that nobody named.
    sources: each staged path with the file it comes from; empty for a bare command.
    asked_as: the --bot word.
    folder: where a bare command runs.
    runtimes: those that its words name.
    largest: bytes that it may have when it is built.
    home: the folder of its bot.toml.
    """

    name: str
    version: str
    run: tuple[str, ...]
    build: tuple[str, ...]
    games: tuple[str, ...]
    identity: str
    complete: bool
    sources: tuple[tuple[str, Path], ...]
    asked_as: str
    folder: str = ""
    author: str = ""
    runtimes: tuple[Runtime, ...] = ()
    largest: int = DEFAULT.build_size
    home: str = ""


def load(word: str, base: str = "", loading: Loading = AS_IT_IS) -> Bot:
    """The bot that a ``--bot`` word names: one that comes with the arena, a folder with bot.toml, else a command. Its paths are
    relative to ``base``, by default the working folder. Raises ConfigError with all mistakes."""
    if word.startswith(shipped.WORD):
        return _shipped(word, loading)
    place = os.path.join(base, word)
    try:
        if os.path.isdir(place):
            return _from_folder(Path(place), word, loading)
        if word.endswith("bot.toml") and os.path.isfile(place):
            return _from_folder(Path(place).parent, word, loading)
        return _from_command(word, base, loading)
    except OSError as error:
        what = f"{error.filename}: {error.strerror}" if error.filename and error.strerror else str(error)
        raise ConfigError(f"--bot {word}: {what}") from None


def _shipped(word: str, loading: Loading) -> Bot:
    known = shipped.bots()
    if word not in known:
        near = get_close_matches(word, known, n=1)
        hint = f"did you mean {near[0]}?" if near else "`khiva-arena bots` lists them"
        raise ConfigError(f"--bot {word}: no such bot comes with the arena; {hint}")
    return _from_folder(known[word], word, loading)


def load_all(words: Sequence[str], loading: Loading = AS_IT_IS) -> list[Bot]:
    """All bots of an event, with distinct names. Raises ConfigError with every mistake in every bot."""
    problems: list[str] = []
    bots: list[Bot] = []
    for word in words:
        try:
            bots.append(load(word, loading=loading))
        except ConfigError as error:
            problems += error.problems
    if problems:
        raise ConfigError([*problems, *_named_twice(bots)])
    return with_distinct_names(bots)


def _named_twice(bots: Sequence[Bot]) -> list[str]:
    seen: dict[str, Bot] = {}
    problems: list[str] = []
    for bot in bots:
        if bot.identity in seen:
            first = seen[bot.identity].asked_as
            problems.append(
                f"--bot {bot.asked_as}: the same bot as {first}; name each bot once, and let `run` seat copies with --copies"
            )
        seen[bot.identity] = bot
    return problems


def with_distinct_names(bots: Sequence[Bot]) -> list[Bot]:
    """The same bots, each name once: a name that comes again for another bot gets a number. Raises ConfigError if one bot
    comes twice, since ``--copies`` is the way to seat copies."""
    if problems := _named_twice(bots):
        raise ConfigError(problems)
    out: list[Bot] = []
    for bot in bots:
        taken = {other.name for other in out}
        name, number = bot.name, 1
        while name in taken:
            number += 1
            name = f"{bot.name}-{number}"
        out.append(replace(bot, name=name))
    return out


def of_another_game(bots: Sequence[Bot], game: str) -> list[str]:
    """A line for each bot whose bot.toml names games, but not this one."""
    return [
        f"--bot {bot.asked_as}: its bot.toml lists {', '.join(bot.games)}, not {game}"
        for bot in bots
        if bot.games and game not in bot.games
    ]


# --- a folder with bot.toml ---


def _from_folder(folder: Path, word: str, loading: Loading) -> Bot:
    where = folder / "bot.toml"
    if not os.path.lexists(where):
        raise ConfigError(f"--bot {word}: the folder has no bot.toml; bots/README.md shows one")
    said = manifest.read(where, dict(loading.runtimes))
    found = sources.sources(folder, where, said.files, said.include, loading.bounds)
    identity = sources.hashed(found, said.run, said.build, loading.bounds)
    return Bot(
        said.name,
        said.version,
        said.run,
        said.build,
        said.games,
        identity,
        True,
        found,
        word,
        author=said.author,
        runtimes=said.runtimes,
        largest=loading.bounds.build_size,
        home=os.path.abspath(folder),
    )


# --- a bare command ---


def _from_command(word: str, base: str, loading: Loading) -> Bot:
    try:
        words = shlex.split(word)
    except ValueError as error:
        raise ConfigError(f"--bot {word!r}: {error}") from None
    if not words:
        raise ConfigError("--bot: an empty command")
    known = loading.runtimes
    used = [known[name] for name in runtimes.named(words[:1]) if name in known]
    if used:
        program: str | None = used[0].program
    elif words[0] != PYTHON and WORD.fullmatch(words[0]):
        raise ConfigError(f"--bot {word}: {manifest.unknown_runtime(words[0], dict(known))}")
    else:
        program = sys.executable if words[0] == PYTHON else shutil.which(_inside(base, words[0]))
    if program is None:
        what = "no such folder or command" if "/" in words[0] else "no such folder, and no such command on the PATH"
        raise ConfigError(f"--bot {word}: {what}")
    most = loading.bounds.bot_file_size
    files = [(words[0], regular_files.digest(program, runtimes.LARGEST_PROGRAM if used else most), True)]
    paths = [(argument, os.path.join(base, argument)) for argument in words[1:]]
    files += [(argument, regular_files.digest(path, most), False) for argument, path in paths if os.path.isfile(path)]
    # It runs where it was named, with its words unchanged: one that happens to be a file's name may mean something else.
    run = (os.path.abspath(program), *words[1:])
    name = Path(files[-1][0]).stem[:64]
    identity = sources.identity(files, words, ())
    return Bot(name, "", run, (), (), identity, False, (), word, os.path.abspath(base), runtimes=tuple(used))


def _inside(base: str, program: str) -> str:
    """As a shell takes it: a program with a slash is a path, another one is looked for on the PATH."""
    return os.path.join(base, program) if "/" in program else program


# --- staging ---


def cache_folder() -> Path:
    """Where staged bots are kept: $KHIVA_ARENA_CACHE, else the user's cache folder, for root the system's."""
    given = os.environ.get("KHIVA_ARENA_CACHE")
    if given:
        return Path(os.path.abspath(given))
    if os.environ.get("XDG_CACHE_HOME"):
        return Path(os.environ["XDG_CACHE_HOME"], "khiva-arena")
    # Under root bots run as users of their own, who could not enter root's home.
    if os.geteuid() == 0:
        return Path("/var/cache/khiva-arena")
    try:
        return Path.home() / ".cache" / "khiva-arena"
    except RuntimeError:
        raise ConfigError("this user has no home to keep staged bots in; set KHIVA_ARENA_CACHE to a folder") from None


def missing_tool(bot: Bot) -> str:
    """The program that this bot needs for its build or run and that this machine lacks, or ""."""
    for words in (bot.build, bot.run):
        if words and "/" not in words[0] and not WORD.fullmatch(words[0]) and shutil.which(words[0]) is None:
            return words[0]
    return ""


def stage(bot: Bot, level: Level = Level.TRUSTED) -> Command:
    """Copy, build and make read-only what the bot names, unless that was done before and is still as it was; returns how to
    start it. ``level``: what a build is kept in.

    Raises BotError when the build fails, with the end of what it printed.
    """
    if not bot.sources:
        named = [os.path.join(bot.folder, word) for word in bot.run[1:]]
        files = tuple(os.path.abspath(path) for path in named if os.path.isfile(path))
        return Command(bot.run, bot.folder, {}, (*files, *_of_runtimes(bot)))
    home = cache_folder() / "staged"
    final = home / bot.identity
    try:
        home.mkdir(parents=True, exist_ok=True)
        with (home / f"{bot.identity}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # another arbiter may be staging it
            if not seals.is_as_sealed(final):
                _sweep(home)
                _stage_from_sources(bot, final, level)
    except (OSError, RecursionError) as error:  # a build may leave a tree deeper than can be walked
        raise BotError(f"{bot.name}: cannot be staged in {home}: {error}") from None
    words = _as_run(bot.run, bot)
    inside = final / words[0]
    if "/" in words[0] and inside.is_file():
        words[0] = str(inside)
        _must_stay_in(bot, words[0], str(final))
    environment, more = {"PYTHONDONTWRITEBYTECODE": "1"}, [*_of_runtimes(bot)]
    if bot.run[0] == PYTHON and (engine := _engine()):
        environment["PYTHONPATH"] = engine
        more.append(engine)
    return Command(tuple(words), str(final), environment, tuple(more), staged=True)


def _as_run(words: Sequence[str], bot: Bot) -> list[str]:
    """The words of a command of a bot.toml with what those in braces stand for."""
    stand_for = {PYTHON: sys.executable} | {f"{{{runtime.name}}}": runtime.program for runtime in bot.runtimes}
    return [stand_for.get(word, word) for word in words]


def _of_runtimes(bot: Bot) -> tuple[str, ...]:
    """What a bot may read of the runtimes that it names."""
    return tuple(dict.fromkeys(path for runtime in bot.runtimes for path in runtimes.folders(runtime)))


def _must_stay_in(bot: Bot, program: str, folder: str) -> None:
    """Raise BotError if a bot's own program leads out of its folder after all."""
    if out := readable_paths.leads_out(program, folder, _of_runtimes(bot)):
        name = os.path.relpath(program, folder)
        problem = f"{name} leads to {printable(out.encode())}, by a link or by its first line, which is outside of its folder"
        raise BotError(f'{bot.name}: {problem}; copy what it needs into the folder, or name a runtime: run = "{{NAME}} ..."')


def _engine() -> str:
    """Where the arena itself runs from a working copy: a folder with nothing but a link to its package, since a bot that takes
    the engine as its model may not look around in that copy. "" if it is installed."""
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
        draft.chmod(0o755)  # under root a build is a user of its own, and bwrap root without its powers
        for name, source in bot.sources:
            target = draft / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
            target.chmod(0o755 if is_executable(source) else 0o644)
        seals.path_of(final).unlink(missing_ok=True)
        if os.path.lexists(final):
            _remove(final)
        draft.rename(final)
    finally:
        if draft.exists():
            _remove(draft)
    try:
        # Where it stays: compilers write the folder into what they make, and debuggers look for the sources there.
        if bot.build:
            _build(bot, final, level)
        _make_read_only(final)
        seals.seal(final)
    except BaseException:
        _remove(final)
        raise


def _sweep(home: Path) -> None:
    """Remove what arbiters left that were killed while staging: drafts, and folders whose build did not end."""
    unsealed = (path for path in home.iterdir() if _IDENTITY.fullmatch(path.name) and not seals.path_of(path).exists())
    for path in [*home.glob(f"{DRAFT}*"), *unsealed]:
        with suppress(OSError):
            if time.time() - path.lstat().st_mtime > DRAFT_SECONDS:
                _remove(path)


def _build(bot: Bot, folder: Path, level: Level) -> None:
    words = _as_run(bot.build, bot)
    if "/" in words[0] and (folder / words[0]).is_file():
        _must_stay_in(bot, str(folder / words[0]), str(folder))
    sandbox = Sandbox(level, FOR_A_BUILD, writable=(str(folder),), may_leave_group=True)
    mark = reap.new_mark()
    said = bytearray()
    with reap.Adoption(mark) as adoption:
        try:
            command = Command(tuple(words), str(folder), readable=_of_runtimes(bot), staged=True)
            cell = isolation.cell(command, sandbox, mark)
        except FileNotFoundError:
            raise BotError(f"{bot.name}: its build needs {words[0]!r}, which is not on this machine") from None
        try:
            with _given_to(cell.user, folder):
                code = _run_build(bot, folder, cell, adoption, said)
        except InternalError:
            raise BotError(f"{bot.name}: its build left processes that cannot be ended") from None
        finally:
            cell.clean()
    if code != 0:
        time.sleep(stops.SETTLES_SECONDS)  # if it was a stop that ended it, we are to hear of that
        end = printable(said)[-BUILD_SAID:].strip()
        raise BotError(f"{bot.name}: its build ({shlex.join(words)}) exited with code {code}:\n{end}")


@contextmanager
def _given_to(user: int | None, folder: Path) -> Iterator[None]:
    """Within, the folder and all in it belong to another user, if one is given."""
    if user is None:
        yield
        return
    _chown(folder, user)
    try:
        yield
    finally:
        _chown(folder, os.geteuid())


def _chown(folder: Path, user: int) -> None:
    for path in (folder, *folder.rglob("*")):
        os.chown(path, user, user, follow_symlinks=False)


def _run_build(bot: Bot, folder: Path, cell: Cell, adoption: reap.Adoption, said: bytearray) -> int:
    process: subprocess.Popen[bytes] | None = None
    try:
        with _interrupts_later():  # or one might come when the process is there and we do not know it yet
            process = subprocess.Popen(
                cell.argv,
                cwd=cell.folder,
                env=cell.environment,
                pass_fds=cell.descriptors,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            adoption.started(process.pid)
            cell.started(process.pid)
        reader = threading.Thread(target=_keep_end, args=(process, said), daemon=True)
        reader.start()
        with weight.Watched(folder, bot.largest) as watched:
            in_time = _exits(process.pid, BUILD_SECONDS, watched.is_over)
        if watched.is_over():
            raise BotError(f"{bot.name}: {watched.reason()}")
        if not in_time:
            raise BotError(f"{bot.name}: its build took longer than {BUILD_SECONDS} s")
    finally:
        code = -1 if process is None else _end_build(process, cell, adoption)
    reader.join(timeout=1.0)
    return code


def _exits(pid: int, seconds: float, is_over: Callable[[], bool]) -> bool:
    """Wait for a child's end, which is not reaped, unless it is over before. Returns whether it came in time."""
    until = time.monotonic() + seconds
    while not is_over() and (left := until - time.monotonic()) > 0:
        if REAPER.ends(pid, min(left, weight.LOOK_SECONDS)):
            return True
    return False


def _end_build(process: subprocess.Popen[bytes], cell: Cell, adoption: reap.Adoption) -> int:
    """Kill all that is left of a build, and reap it. Its first process is not reaped before, so that the group's number cannot
    have come to mean another one. Returns the exit code."""
    cell.kill(process.pid)
    process.returncode, _ = REAPER.reap(process.pid)
    adoption.reaped(process.pid)
    REAPER.reap_group(process.pid, REAP_SECONDS)
    adoption.end_strays()
    return process.returncode


@contextmanager
def _interrupts_later() -> Iterator[None]:
    """An interrupt that comes within is raised at the end."""
    if threading.current_thread() is not threading.main_thread():
        yield  # none can come here
        return
    came: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _frame: came.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if came:
        raise KeyboardInterrupt


def _keep_end(process: subprocess.Popen[bytes], said: bytearray) -> None:
    assert process.stdout
    with process.stdout:
        while data := os.read(process.stdout.fileno(), 65_536):
            said += data
            del said[:-BUILD_SAID]


def _make_read_only(folder: Path) -> None:
    for path in sorted(folder.rglob("*"), reverse=True):
        if not path.is_symlink():  # it would change what it leads to
            path.chmod(stat.S_IMODE(path.stat().st_mode) & 0o555 | 0o444)
    folder.chmod(0o555)


def _remove(path: Path) -> None:
    if path.is_symlink() or not path.is_dir():
        path.unlink()
        return
    scratch.remove(str(path))
    if path.exists():
        raise OSError(f"{path} cannot be removed")
