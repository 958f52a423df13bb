"""What a bot is: read its ``bot.toml`` or its bare command, stage its files read-only, know it by their hash, build it once.

A staged bot lives in a cache folder named by its identity, so that a build runs once for each identity, whoever asks.
"""

import os
import shlex
import shutil
import stat
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

from khiva_arena.arbiter.wire import Command
from khiva_arena.errors import BotError, ConfigError
from khiva_arena.replay.record import canonical

BUILD_SECONDS = 300
MAX_FILES = 10_000
KEYS = {"name", "version", "run", "build", "games", "files", "include"}


@dataclass(frozen=True, slots=True)
class Bot:
    """A bot as it is named in an event. ``identity`` is 64 hex digits over its files, run and build lines; ``complete`` says
    whether these are all that it is (a bare command may use files that nobody named). ``sources`` pairs each staged path
    with the file it comes from; empty for a bare command."""

    name: str
    version: str
    run: tuple[str, ...]
    build: tuple[str, ...]
    games: tuple[str, ...]
    identity: str
    complete: bool
    sources: tuple[tuple[str, Path], ...]
    asked_as: str


def load(word: str) -> Bot:
    """The bot that a ``--bot`` word names: a folder with bot.toml, else a command. Raises ConfigError with all mistakes."""
    folder = Path(word)
    if folder.is_dir():
        return _from_folder(folder, word)
    if word.endswith("bot.toml") and folder.is_file():
        return _from_folder(folder.parent, word)
    return _from_command(word)


def load_all(words: Sequence[str]) -> list[Bot]:
    """All bots of an event, each name once: a name that comes again for another bot gets a number. Equal bots are refused,
    since ``--copies`` says that plainly. Raises ConfigError with every mistake in every bot."""
    problems: list[str] = []
    bots: list[Bot] = []
    for word in words:
        try:
            bots.append(load(word))
        except ConfigError as error:
            problems += error.problems
    seen: dict[str, Bot] = {}
    for bot in bots:
        if bot.identity in seen:
            problems.append(f"--bot {bot.asked_as}: the same bot as {seen[bot.identity].asked_as}; seat copies with --copies")
        seen[bot.identity] = bot
    if problems:
        raise ConfigError(problems)
    return _with_unique_names(bots)


def _with_unique_names(bots: Sequence[Bot]) -> list[Bot]:
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
        raw = tomllib.loads(where.read_text())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{where}: not TOML: {error}") from None
    problems = [f"{where}: unknown key {key!r}; known are {', '.join(sorted(KEYS))}" for key in sorted(set(raw) - KEYS)]
    strings = [key for key in ("name", "version", "run", "build") if not isinstance(raw.get(key, ""), str)]
    lists = [key for key in ("games", "files", "include") if not _is_strings(raw.get(key, []))]
    problems += [f"{where}: {key} is a string" for key in strings] + [f"{where}: {key} is a list of strings" for key in lists]
    problems += [f"{where}: {key} is missing" for key in ("name", "run") if key not in raw]
    if not problems and not (raw["name"].isprintable() and 1 <= len(raw["name"]) <= 64):
        problems.append(f"{where}: name has 1 to 64 printable characters")
    if problems:
        raise ConfigError(problems)
    run, build = _words(raw["run"], where), _words(raw.get("build", ""), where)
    if not run:
        raise ConfigError(f"{where}: run is empty")
    sources = _sources(folder, where, raw.get("files", ["**/*"]), raw.get("include", []))
    identity = _hash([(name, path.read_bytes(), _executable(path)) for name, path in sources], run, build)
    version = raw.get("version", "")
    return Bot(raw["name"], version, run, build, tuple(raw.get("games", ())), identity, True, sources, word)


def _is_strings(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _words(line: str, where: Path) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(line))
    except ValueError as error:
        raise ConfigError(f"{where}: {line!r}: {error}") from None


def _sources(folder: Path, where: Path, globs: Sequence[str], includes: Sequence[str]) -> tuple[tuple[str, Path], ...]:
    """Each staged path with its file, sorted. Caches and hidden files are never part of a bot."""
    found: dict[str, Path] = {}
    for glob in globs:
        if glob.startswith("/") or ".." in Path(glob).parts:
            raise ConfigError(f"{where}: files names {glob!r}, which is outside the folder; use include for that")
        matched = [path for path in folder.glob(glob) if path.is_file() and not _ignored(path.relative_to(folder))]
        if not matched and glob != "**/*":
            raise ConfigError(f"{where}: files names {glob!r}, which matches nothing")
        found |= {path.relative_to(folder).as_posix(): path for path in matched}
    for name in includes:
        path = folder / name
        if not path.is_file():
            raise ConfigError(f"{where}: include names {name!r}, which is not a file")
        if path.name in found and found[path.name].resolve() != path.resolve():
            raise ConfigError(f"{where}: include names {name!r}, but the folder has a {path.name} of its own")
        found[path.name] = path
    if len(found) > MAX_FILES:
        raise ConfigError(f"{where}: names more than {MAX_FILES} files; give files globs")
    return tuple(sorted(found.items()))


def _ignored(path: Path) -> bool:
    return any(part.startswith(".") or part == "__pycache__" for part in path.parts)


def _executable(path: Path) -> bool:
    return bool(path.stat().st_mode & stat.S_IXUSR)


def _hash(files: Sequence[tuple[str, bytes, bool]], run: Sequence[str], build: Sequence[str]) -> str:
    parts = [(name, sha256(data).hexdigest(), executable) for name, data, executable in files]
    return sha256(b"khiva-bot-1\0" + canonical({"files": parts, "run": run, "build": build})).hexdigest()


# --- a bare command ---


def _from_command(word: str) -> Bot:
    try:
        words = shlex.split(word)
    except ValueError as error:
        raise ConfigError(f"--bot {word!r}: {error}") from None
    if not words:
        raise ConfigError("--bot: an empty command")
    program = sys.executable if words[0] == "{python}" else shutil.which(words[0])
    if program is None:
        what = "no such folder or command" if "/" in words[0] else "no such folder, and no such command on the PATH"
        raise ConfigError(f"--bot {word}: {what}")
    run = [os.path.abspath(program)]
    files = [(words[0], Path(program).read_bytes(), True)]
    for argument in words[1:]:
        path = Path(argument)
        if path.is_file():
            files.append((argument, path.read_bytes(), False))
            argument = os.path.abspath(argument)
        run.append(argument)
    name = next((Path(w).stem for w in reversed(words) if Path(w).is_file()), Path(words[0]).stem)[:64]
    return Bot(name, "", tuple(run), (), (), _hash(files, words, ()), False, (), word)


# --- staging ---


def cache_folder() -> Path:
    """Where staged bots are kept: $KHIVA_ARENA_CACHE, else the user's cache folder."""
    given = os.environ.get("KHIVA_ARENA_CACHE")
    if given:
        return Path(given)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "khiva-arena"


def missing_tool(bot: Bot) -> str:
    """The program that this bot needs for its build or run and that this machine lacks, or ""."""
    for words in (bot.build, bot.run):
        if words and "/" not in words[0] and words[0] != "{python}" and shutil.which(words[0]) is None:
            return words[0]
    return ""


def stage(bot: Bot) -> Command:
    """Copy, build and make read-only what the bot names, unless that was done before; returns how to start it.

    Raises BotError when the build fails, with the end of what it printed.
    """
    if not bot.sources:
        return Command(bot.run, tempfile.gettempdir())
    home = cache_folder() / "staged"
    final = home / bot.identity
    if not final.is_dir():
        home.mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(prefix="draft-", dir=home))
        try:
            for name, source in bot.sources:
                target = draft / name
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(source, target)
                target.chmod(0o755 if _executable(source) else 0o644)
            if bot.build:
                _build(bot, draft)
            _make_read_only(draft)
            draft.rename(final)
        except OSError as error:
            if not final.is_dir():  # another arbiter may have been quicker
                raise BotError(f"{bot.name}: cannot be staged in {home}: {error}") from None
        finally:
            if draft.exists():
                _make_writable(draft)
                shutil.rmtree(draft)
    words = [sys.executable if word == "{python}" else word for word in bot.run]
    inside = final / words[0]
    if "/" in words[0] and inside.is_file():
        words[0] = str(inside)
    return Command(tuple(words), str(final), {"PYTHONDONTWRITEBYTECODE": "1"})


def _build(bot: Bot, folder: Path) -> None:
    words = [sys.executable if word == "{python}" else word for word in bot.build]
    try:
        done = subprocess.run(
            words, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=BUILD_SECONDS, check=False
        )
    except FileNotFoundError:
        raise BotError(f"{bot.name}: its build needs {words[0]!r}, which is not on this machine") from None
    except subprocess.TimeoutExpired:
        raise BotError(f"{bot.name}: its build took longer than {BUILD_SECONDS} s") from None
    if done.returncode != 0:
        said = (done.stdout + done.stderr).decode("utf-8", "backslashreplace").strip()[-2000:]
        raise BotError(f"{bot.name}: its build ({shlex.join(words)}) exited with code {done.returncode}:\n{said}")


def _make_read_only(folder: Path) -> None:
    for path in sorted(folder.rglob("*"), reverse=True):
        path.chmod(stat.S_IMODE(path.stat().st_mode) & ~0o222)
    folder.chmod(0o555)


def _make_writable(folder: Path) -> None:
    folder.chmod(0o755)
    for path in folder.rglob("*"):
        if path.is_dir():
            path.chmod(0o755)
