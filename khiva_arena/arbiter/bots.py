"""What a bot is: read its ``bot.toml`` or its bare command, stage its files read-only, know it by their hash, build it once.

A staged bot lives in a cache folder named by its identity, so that a build runs once for each identity, whoever asks. What
lay in it when it was staged is noted beside it, and a folder that has been changed since is made anew.
"""

import fcntl
import json
import os
import re
import select
import shlex
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from difflib import get_close_matches
from hashlib import file_digest, sha256
from pathlib import Path

from khiva_arena import shipped
from khiva_arena.arbiter import isolation, reap, scratch
from khiva_arena.arbiter.isolation import Cell, Level, Sandbox
from khiva_arena.arbiter.notes import printable
from khiva_arena.arbiter.resources import FOR_A_BUILD
from khiva_arena.arbiter.wire import Command
from khiva_arena.errors import BotError, ConfigError, InternalError
from khiva_arena.replay.record import canonical

BUILD_SECONDS = 300
REAP_SECONDS = 10.0
BUILD_SAID = 2_000
DRAFT = "draft-"
DRAFT_SECONDS = 24 * 60 * 60
MAX_FILES = 10_000
STORE = "arena.db"
_IDENTITY = re.compile("[0-9a-f]{64}")
KEYS = {"name", "author", "version", "run", "build", "games", "files", "include"}


@dataclass(frozen=True, slots=True)
class Bot:
    """A bot as it is named in an event. ``identity`` is 64 hex digits over its files, run and build lines; ``complete`` says
    whether these are all that it is (a bare command may use files that nobody named). ``sources`` pairs each staged path
    with the file it comes from; empty for a bare command, which runs in ``folder``. ``author`` is "" where bot.toml names none;
    it is no part of the identity but as all of that file is, where it is staged."""

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


def load(word: str, base: str = "") -> Bot:
    """The bot that a ``--bot`` word names: one that comes with the arena, a folder with bot.toml, else a command. Its paths are
    relative to ``base``, by default the working folder. Raises ConfigError with all mistakes."""
    if word.startswith(shipped.WORD):
        return _shipped(word)
    place = os.path.join(base, word)
    try:
        if os.path.isdir(place):
            return _from_folder(Path(place), word)
        if word.endswith("bot.toml") and os.path.isfile(place):
            return _from_folder(Path(place).parent, word)
        return _from_command(word, base)
    except OSError as error:
        raise ConfigError(f"--bot {word}: {error}") from None


def _shipped(word: str) -> Bot:
    known = shipped.bots()
    if word not in known:
        near = get_close_matches(word, known, n=1)
        hint = f"did you mean {near[0]}?" if near else "`khiva-arena bots` lists them"
        raise ConfigError(f"--bot {word}: no such bot comes with the arena; {hint}")
    return _from_folder(known[word], word)


def load_all(words: Sequence[str]) -> list[Bot]:
    """All bots of an event, told apart. Raises ConfigError with every mistake in every bot."""
    problems: list[str] = []
    bots: list[Bot] = []
    for word in words:
        try:
            bots.append(load(word))
        except ConfigError as error:
            problems += error.problems
    if problems:
        raise ConfigError([*problems, *_twice(bots)])
    return told_apart(bots)


def _twice(bots: Sequence[Bot]) -> list[str]:
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


def told_apart(bots: Sequence[Bot]) -> list[Bot]:
    """The same bots, each name once: a name that comes again for another bot gets a number. Raises ConfigError where one bot
    comes twice, since ``--copies`` says that plainly."""
    if problems := _twice(bots):
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


# --- a folder with bot.toml ---


def _from_folder(folder: Path, word: str) -> Bot:
    where = folder / "bot.toml"
    if not where.is_file():
        raise ConfigError(f"--bot {word}: the folder has no bot.toml; bots/README.md shows one")
    try:
        raw = tomllib.loads(where.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ConfigError(f"{where}: not TOML: {error}") from None
    problems = [f"{where}: unknown key {key!r}; known are {', '.join(sorted(KEYS))}" for key in sorted(set(raw) - KEYS)]
    strings = [key for key in ("name", "author", "version", "run", "build") if not isinstance(raw.get(key, ""), str)]
    lists = [key for key in ("games", "files", "include") if not _is_strings(raw.get(key, []))]
    problems += [f"{where}: {key} is a string" for key in strings] + [f"{where}: {key} is a list of strings" for key in lists]
    problems += [f"{where}: {key} is missing" for key in ("name", "run") if key not in raw]
    if not problems:
        words = [key for key in ("name", "author", "version") if key in raw]
        names = [key for key in words if not (raw[key].isprintable() and 1 <= len(raw[key]) <= 64)]
        problems += [f"{where}: {key} has 1 to 64 printable characters" for key in names]
        globs = [key for key in ("files", "include") if not "".join(raw.get(key, [])).isprintable()]
        problems += [f"{where}: {key} has printable characters only" for key in globs]
    if problems:
        raise ConfigError(problems)
    run, build = _words(raw["run"], where), _words(raw.get("build", ""), where)
    if not run:
        raise ConfigError(f"{where}: run is empty")
    sources = _sources(folder, where, raw.get("files", ["**/*"]), raw.get("include", []))
    identity = _hash([(name, path.read_bytes(), _executable(path)) for name, path in sources], run, build)
    version = raw.get("version", "")
    games, author = tuple(raw.get("games", ())), raw.get("author", "")
    return Bot(raw["name"], version, run, build, games, identity, True, sources, word, author=author)


def _is_strings(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _words(line: str, where: Path) -> tuple[str, ...]:
    try:
        words = tuple(shlex.split(line))
    except ValueError as error:
        raise ConfigError(f"{where}: {line!r}: {error}") from None
    if not "".join(words).isprintable():  # it is shown to people, on their terminals
        raise ConfigError(f"{where}: {line!r}: the words of a command are printable; put a longer script into a file")
    return words


def _sources(folder: Path, where: Path, globs: Sequence[str], includes: Sequence[str]) -> tuple[tuple[str, Path], ...]:
    """Each staged path with its file, sorted. Caches and hidden files are never part of a bot."""
    found: dict[str, Path] = {}
    for glob in globs:
        if glob.startswith("/") or ".." in Path(glob).parts:
            raise ConfigError(f"{where}: files names {glob!r}, which is outside the folder; use include for that")
        try:
            matched = [path for path in folder.glob(glob) if path.is_file() and not _ignored(path, folder)]
        except (ValueError, IndexError, NotImplementedError) as error:
            raise ConfigError(f"{where}: files names {glob!r}, which is no glob: {error}") from None
        if not matched and glob != "**/*":
            raise ConfigError(f"{where}: files names {glob!r}, which matches nothing")
        found |= {path.relative_to(folder).as_posix(): path for path in matched}
    if out := [name for name, path in found.items() if not path.resolve().is_relative_to(folder.resolve())]:
        raise ConfigError(f"{where}: {out[0]} is a link that leads out of the folder; put the file itself there")
    for name in includes:
        path = folder / name
        if not os.path.isfile(path):
            raise ConfigError(f"{where}: include names {name!r}, which is not a file")
        if not _may_include(folder.resolve(), path.resolve()):
            raise ConfigError(f"{where}: include names {name!r}; only a kit beside the folder can be, and no other bot's file")
        if path.name in found and found[path.name].resolve() != path.resolve():
            raise ConfigError(f"{where}: include names {name!r}, but the folder has a {path.name} of its own")
        found[path.name] = path
    if len(found) > MAX_FILES:
        raise ConfigError(f"{where}: names more than {MAX_FILES} files; give files globs")
    return tuple(sorted(found.items()))


def _ignored(path: Path, folder: Path) -> bool:
    hidden = any(part.startswith(".") or part == "__pycache__" for part in path.relative_to(folder).parts)
    return hidden or (path.parent / STORE).exists()  # a store changes with every match, and holds what no bot may know


def _may_include(folder: Path, path: Path) -> bool:
    """A bot.toml is a stranger's, and what it names is copied with our rights: so only from beside its folder, and never from
    another bot's."""
    between = [parent for parent in path.parents if folder.parent in parent.parents]
    of_others = [parent for parent in between if parent != folder and (parent / "bot.toml").exists()]
    return path.is_relative_to(folder.parent) and not of_others and not (path.parent / STORE).exists()


def _executable(path: Path) -> bool:
    return bool(path.stat().st_mode & stat.S_IXUSR)


def _hash(files: Sequence[tuple[str, bytes, bool]], run: Sequence[str], build: Sequence[str]) -> str:
    parts = [(name, sha256(data).hexdigest(), executable) for name, data, executable in files]
    return sha256(b"khiva-bot-1\0" + canonical({"files": parts, "run": run, "build": build})).hexdigest()


# --- a bare command ---


def _from_command(word: str, base: str) -> Bot:
    try:
        words = shlex.split(word)
    except ValueError as error:
        raise ConfigError(f"--bot {word!r}: {error}") from None
    if not words:
        raise ConfigError("--bot: an empty command")
    program = sys.executable if words[0] == "{python}" else shutil.which(_inside(base, words[0]))
    if program is None:
        what = "no such folder or command" if "/" in words[0] else "no such folder, and no such command on the PATH"
        raise ConfigError(f"--bot {word}: {what}")
    files = [(words[0], Path(program).read_bytes(), True)]
    paths = [(argument, os.path.join(base, argument)) for argument in words[1:]]
    files += [(argument, Path(path).read_bytes(), False) for argument, path in paths if os.path.isfile(path)]
    # It runs where it was named, with its words as they are: one that happens to be a file's name may mean something else.
    run = (os.path.abspath(program), *words[1:])
    name = Path(files[-1][0]).stem[:64]
    return Bot(name, "", run, (), (), _hash(files, words, ()), False, (), word, os.path.abspath(base))


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
        if words and "/" not in words[0] and words[0] != "{python}" and shutil.which(words[0]) is None:
            return words[0]
    return ""


def stage(bot: Bot, level: Level = Level.TRUSTED) -> Command:
    """Copy, build and make read-only what the bot names, unless that was done before and is still as it was; returns how to
    start it. ``level``: what a build is kept in.

    Raises BotError when the build fails, with the end of what it printed.
    """
    if not bot.sources:
        named = [os.path.join(bot.folder, word) for word in bot.run[1:]]
        return Command(bot.run, bot.folder, {}, tuple(os.path.abspath(path) for path in named if os.path.isfile(path)))
    home = cache_folder() / "staged"
    final = home / bot.identity
    try:
        home.mkdir(parents=True, exist_ok=True)
        with (home / f"{bot.identity}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # another arbiter may be staging it
            if not _is_as_sealed(final):
                _sweep(home)
                _stage_anew(bot, final, level)
    except (OSError, RecursionError) as error:  # a build may leave a tree deeper than can be walked
        raise BotError(f"{bot.name}: cannot be staged in {home}: {error}") from None
    words = [sys.executable if word == "{python}" else word for word in bot.run]
    inside = final / words[0]
    if "/" in words[0] and inside.is_file():
        words[0] = str(inside)
    environment, more = {"PYTHONDONTWRITEBYTECODE": "1"}, list[str]()
    if bot.run[0] == "{python}" and (engine := _engine()):
        environment["PYTHONPATH"] = engine
        more.append(engine)
    return Command(tuple(words), str(final), environment, tuple(more), staged=True)


def _engine() -> str:
    """Where the arena itself runs from a working copy: a folder with nothing but a link to its package, since a bot that takes
    the engine as its model may not look around in that copy. "" where it is installed."""
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


def _stage_anew(bot: Bot, final: Path, level: Level) -> None:
    draft = Path(tempfile.mkdtemp(prefix=DRAFT, dir=final.parent))
    try:
        draft.chmod(0o755)  # under root a build is a user of its own, and bwrap root without its powers
        for name, source in bot.sources:
            target = draft / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
            target.chmod(0o755 if _executable(source) else 0o644)
        _seal_of(final).unlink(missing_ok=True)
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
        _seal(final)
    except BaseException:
        _remove(final)
        raise


def _seal(final: Path) -> None:
    """Note beside a staged folder what is in it: a bot that runs as this user could change it, or make it again."""
    draft = _seal_of(final).with_suffix(".new")
    draft.write_text(json.dumps({"tree": _tree(final)}))
    draft.replace(_seal_of(final))


def _is_as_sealed(final: Path) -> bool:
    try:
        return not final.is_symlink() and bool(json.loads(_seal_of(final).read_text()) == {"tree": _tree(final)})
    except (OSError, ValueError):
        return False


def _seal_of(final: Path) -> Path:
    return final.with_name(f"{final.name}.json")


def _tree(folder: Path) -> str:
    """A hash over the names and contents of all that is in a folder, what was built included."""
    parts: list[tuple[str, str]] = []
    for path in sorted(folder.rglob("*")):
        if path.is_symlink():
            what = f"link {os.readlink(path)}"
        elif path.is_file():
            with path.open("rb") as file:
                what = f"{'program' if _executable(path) else 'file'} {file_digest(file, 'sha256').hexdigest()}"
        else:
            what = "folder"
        parts.append((path.relative_to(folder).as_posix(), what))
    return sha256(b"khiva-tree-1\0" + canonical(parts)).hexdigest()


def _sweep(home: Path) -> None:
    """Remove what arbiters that were killed while staging have left: drafts, and folders that were not built to the end."""
    unsealed = (path for path in home.iterdir() if _IDENTITY.fullmatch(path.name) and not _seal_of(path).exists())
    for path in [*home.glob(f"{DRAFT}*"), *unsealed]:
        with suppress(OSError):
            if time.time() - path.lstat().st_mtime > DRAFT_SECONDS:
                _remove(path)


def _build(bot: Bot, folder: Path, level: Level) -> None:
    words = [sys.executable if word == "{python}" else word for word in bot.build]
    sandbox = Sandbox(level, FOR_A_BUILD, writable=(str(folder),), may_leave_group=True)
    mark = reap.new_mark()
    said = bytearray()
    with reap.Adoption(mark) as adoption:
        try:
            cell = isolation.cell(Command(tuple(words), str(folder), staged=True), sandbox, mark)
        except FileNotFoundError:
            raise BotError(f"{bot.name}: its build needs {words[0]!r}, which is not on this machine") from None
        try:
            with _given_to(cell.user, folder):
                code = _run_build(bot, cell, adoption, said)
        except InternalError:
            raise BotError(f"{bot.name}: its build left processes that cannot be ended") from None
        finally:
            cell.clean()
    if code != 0:
        end = printable(said)[-BUILD_SAID:].strip()
        raise BotError(f"{bot.name}: its build ({shlex.join(words)}) exited with code {code}:\n{end}")


@contextmanager
def _given_to(user: int | None, folder: Path) -> Iterator[None]:
    """The folder and all in it belong to another user meanwhile, where there is one."""
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


def _run_build(bot: Bot, cell: Cell, adoption: reap.Adoption, said: bytearray) -> int:
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
        if not _exits(process.pid, BUILD_SECONDS):
            raise BotError(f"{bot.name}: its build took longer than {BUILD_SECONDS} s")
    finally:
        code = -1 if process is None else _end_build(process, cell, adoption)
    reader.join(timeout=1.0)
    return code


def _exits(pid: int, seconds: float) -> bool:
    """Wait for a child's end, which is not reaped. Returns whether it came in time."""
    descriptor = os.pidfd_open(pid)
    try:
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        return bool(poll.poll(seconds * 1000))
    finally:
        os.close(descriptor)


def _end_build(process: subprocess.Popen[bytes], cell: Cell, adoption: reap.Adoption) -> int:
    """Kill all that is left of a build, and reap it. Its first process is not reaped before, so that the group's number cannot
    have come to mean another one. Returns the exit code."""
    cell.kill(process.pid)
    code = process.wait()
    adoption.reaped(process.pid)
    reap.reap_group(process.pid, REAP_SECONDS)
    adoption.end_strays()
    return code


@contextmanager
def _interrupts_later() -> Iterator[None]:
    """An interrupt that comes meanwhile is raised at the end."""
    if threading.current_thread() is not threading.main_thread():
        yield  # where none can come
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
