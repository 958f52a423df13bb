"""Bots: a ``bot.toml`` or a bare command is read, and a hash of the bot's files and
commands identifies it.
"""

import os
import shlex
import shutil
import sys
from hashlib import sha256
from pathlib import Path

import msgspec
from msgspec.structs import replace

from khiva_arena.bots.sandbox import regular_files
from khiva_arena.common import shipped
from khiva_arena.entrants import manifest, runtimes, source_walk, sources
from khiva_arena.entrants.loading import AS_IT_IS, DEFAULT, Interpreters, Loading
from khiva_arena.entrants.runtimes import WORD, Interpreted, Runtime
from khiva_arena.errors import ConfigError

PYTHON = "{python}"
SHOWN = 12
"""Digits of an identity in a message."""
MAGIC = b"\0asm"
PACKED = ("zip", "tar", "tgz", ".gz", "try")
"""The last three letters of words that may name an archive."""
GUESTS = ("person", "remote")
"""Words for players who are no programs of this machine, see guests.py."""


class Bot(msgspec.Struct, frozen=True):
    """A bot as an event names it.

    name, version, author: from its bot.toml, "" if not given there. The author alone
        does not change the identity.
    run, build: words of its commands; of a WebAssembly module, run is ``{module}`` and
        its path among the staged files; of a bot that an interpreter runs,
        ``{interpreter}``, the word, the file and the memory.
    games: the games that it plays; empty: all.
    identity: 64 hex digits over its files, run and build lines, and whether it reports.
    complete: True if the identity covers all of it; a bare command may use files that
        nobody named.
    sources: each staged path with the file it comes from; empty for a bare command.
    asked_as: the --bot word.
    folder: where a bare command runs.
    runtimes: the runtimes that its words name.
    largest: bytes that it may have when it is built.
    home: the folder of its bot.toml.
    guest: the kind of player if it is no program of this machine, "person" or "remote";
        "" if it is one.
    kept: True if one process of it may play many matches, and so remember.
    broken: why it cannot be read; "" for a bot that can.
    built_from: of a module that stands for a bot in an event in ticks, the identity of
        what it was built from; else "".
    parts: of such a module with a payload, the hashes of the bytes of both; else ().
    original: of such a module, the bot that it was built from, as it plays in ticks;
        None if only its hash is known, and else.
    largest_payload: bytes that its payload may have.
    interpreted: how an interpreter runs it, None if none can.
    run_line: its ``run`` if it has one beside an interpreter, which runs it in ticks;
        else ().
    commit: the hash of the commit from which it was read; "" for a bot that lies on the
        disk.
    reports: True if it is offered to report what it spends.
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
    guest: str = ""
    kept: bool = False
    broken: str = ""
    built_from: str = ""
    parts: tuple[str, ...] = ()
    original: "Bot | None" = None
    largest_payload: int = DEFAULT.payload_size
    interpreted: Interpreted | None = None
    run_line: tuple[str, ...] = ()
    commit: str = ""
    reports: bool = False

    @property
    def is_interpreted(self) -> bool:
        """True if its run words are those of an interpreter."""
        return self.interpreted is not None and self.run == self.interpreted.words

    @property
    def lines(self) -> tuple[str, ...]:
        """The words that its identity covers beside its build: of ``run``, and of an
        interpreter.
        """
        return (*self.run_line, *self.interpreted.words) if self.interpreted else self.run

    @property
    def in_ticks(self) -> "Bot":
        """The bot as it plays where thinking is paid in ticks: by its interpreter if it
        has one. Its identity is the same.
        """
        return replace(self, run=self.interpreted.words) if self.interpreted else self

    @property
    def is_remote(self) -> bool:
        """True if the bot plays on another machine."""
        return self.guest == "remote"

    @property
    def root(self) -> str:
        """The folder below which its sources are opened; "" for a module that stands
        for a bot, which lies in a cache.
        """
        return "" if self.built_from else self.home

    @property
    def module(self) -> str:
        """The path of its WebAssembly module among the staged files, or the word of its
        interpreter; "" for a program.
        """
        return (
            self.run[1]
            if self.run[:1] == (f"{{{runtimes.MODULE}}}",) or self.is_interpreted
            else ""
        )

    @property
    def payload(self) -> str:
        """The path of the payload of its module among the staged files; "" for a bot
        that has none, or whose files are it.
        """
        return self.run[2] if self.module and not self.is_interpreted and self.run[2:] else ""


def load(word: str, base: str = "", loading: Loading = AS_IT_IS) -> Bot:
    """Load the bot that a ``--bot`` word names: one that comes with the arena, a folder
    with bot.toml, also as a commit or an archive has it, a row of a list, a module,
    else a command.

    Paths are relative to ``base``, by default the working folder. Raises ConfigError
    with all mistakes.
    """
    if word.startswith(shipped.WORD):
        return _load_shipped(word, loading)
    if word.partition(":")[0] in GUESTS:
        return _guest(word)
    place = os.path.join(base, word)
    try:
        if os.path.isdir(place):
            return _from_folder(Path(place), word, loading)
        if word.endswith("bot.toml") and os.path.isfile(place):
            return _from_folder(Path(place).parent, word, loading)
        if ("@" in word or ".toml:" in word or word[-3:].lower() in PACKED) and (
            bot := _from_copy(word, base, loading)
        ):
            return bot
        if is_module(place):
            return _from_module(Path(place), word, loading)
        return from_command(word, base, loading)
    except OSError as error:
        reason = (
            f"{error.filename}: {error.strerror}"
            if error.filename and error.strerror
            else str(error)
        )
        raise ConfigError(f"--bot {word}: {reason}") from None


def _load_shipped(word: str, loading: Loading) -> Bot:
    folders = shipped.bots()
    if word not in folders:
        # not above: few words are mistaken
        from khiva_arena.entrants.bot_words import meant_bot, near_shipped

        near = meant_bot(word) or near_shipped(word)
        hint = f"did you mean {near}?" if near else "`khiva-arena bots` lists them"
        raise ConfigError(f"--bot {word}: no such bot comes with the arena; {hint}")
    return _from_folder(folders[word], word, loading)


def pinned(bot: Bot, interpreters: Interpreters) -> Bot:
    """Return a bot with the interpreter that its word means. Raises ConfigError if it
    means none.
    """
    return replace(bot, interpreted=interpreters.named(bot.interpreted)) if bot.interpreted else bot


# --- a player who is elsewhere ---


def _guest(word: str) -> Bot:
    from khiva_arena.entrants import guests  # not above: most tables have none

    kind, name = guests.guest_of(word)
    identity = sha256(f"khiva-guest-1\0{kind}\0{name}".encode()).hexdigest()
    return Bot(name, "", (), (), (), identity, False, (), word, guest=kind)


# --- a folder with bot.toml ---


def _from_folder(folder: Path, word: str, loading: Loading) -> Bot:
    path = folder / "bot.toml"
    if not os.path.lexists(path):
        # not above, like the next: few words are mistaken
        from khiva_arena.common.manual import where
        from khiva_arena.entrants.bot_words import bot_below

        inside = bot_below(word, folder)
        hint = f"name a bot in it, as {inside}" if inside else f"{where('bots')} shows one"
        raise ConfigError(f"--bot {word}: the folder has no bot.toml; {hint}")
    bot_toml = manifest.read(path, dict(loading.runtimes), follow=source_walk.is_shipped(path))
    files = sources.sources(folder, path, bot_toml.files, bot_toml.include, loading)
    home, most = os.path.abspath(folder), loading.bounds.bot_file_size
    interpreted = bot_toml.interpreted and loading.interpreters.named(bot_toml.interpreted)
    run = bot_toml.run or (interpreted.words if interpreted else ())
    bot = Bot(
        bot_toml.name,
        bot_toml.version,
        run,
        bot_toml.build,
        bot_toml.games,
        "",
        True,
        files,
        word,
        author=bot_toml.author,
        runtimes=bot_toml.runtimes,
        largest=loading.bounds.build_size,
        home=home,
        largest_payload=loading.bounds.payload_size,
        interpreted=interpreted,
        run_line=bot_toml.run if interpreted else (),
        reports=bot_toml.reports,
    )
    _refuse_large_payload(bot, path)
    return replace(
        bot,
        identity=sources.identity_of_files(
            files, bot.lines, bot.build, most, home, reports=bot.reports
        ),
    )


def _refuse_large_payload(bot: Bot, bot_toml: Path) -> None:
    """Raise ConfigError if the files that a bot's payload is made of are larger than it
    may be, before a build adds others.
    """
    whole = bot.interpreted is not None
    size = sum(path.stat().st_size for name, path in bot.sources if whole or name == bot.payload)
    if size > bot.largest_payload:
        what = "its files, which its interpreter gets," if whole else f"its payload {bot.payload}"
        way = (
            "take the line interpreter out and play by the wall clock, "
            if whole and not bot.is_interpreted
            else ""
        )
        raise ConfigError(
            f"{bot_toml}: {what} have {size:,} bytes, and {bot.largest_payload:,} are the most; "
            f"make them smaller, {way}or raise --limit payload_size"
        )


def _from_copy(word: str, base: str, loading: Loading) -> Bot | None:
    """Return the bot in a zip, a tar or a stream, of a list, or of a word such as
    my-bot@HEAD~1; None for another word.
    """
    # not above: few bots are private copies
    from khiva_arena.entrants import bot_lists, bot_words, commits, packed_bots

    try:
        if bot_words.is_archive(os.path.join(base, word)):
            found = packed_bots.read(word, base, loading)
        elif bot_lists.is_in_list(word, base):
            found = bot_lists.BOT_LISTS.get("a bot of a list").read(word, base, loading)
        elif named := bot_words.commit_word(word, base):
            found = commits.read(named, base, loading)
        else:
            return None
        with found.in_words():
            bot = _from_folder(found.folder, word, found.loading)
    except ConfigError as error:
        raise ConfigError([f"--bot {word}: {problem}" for problem in error.problems]) from None
    return replace(
        bot,
        name=commits.with_commit(bot.name, found.commit),
        asked_as=found.word,
        commit=found.commit,
    )


# --- a bare module ---


def is_module(place: str) -> bool:
    """Tell whether a file is a WebAssembly module, by its name or by its first
    bytes.
    """
    if not os.path.isfile(place):
        return False
    if place.endswith(".wasm"):
        return True
    with regular_files.open_file(place) as file:
        return file.read(len(MAGIC)) == MAGIC


def _from_module(path: Path, word: str, loading: Loading) -> Bot:
    """Return the bot that is a module alone: staged and hashed as if a bot.toml of its
    folder named it.
    """
    home = str(path.parent.absolute())
    run, files = manifest.as_module(path.name), ((path.name, path),)
    identity = sources.identity_of_files(files, run, (), loading.bounds.bot_file_size, "")
    return Bot(
        path.stem[:64],
        "",
        run,
        (),
        (),
        identity,
        True,
        files,
        word,
        largest=loading.bounds.build_size,
        home=home,
    )


# --- a bare command ---


def from_command(word: str, base: str, loading: Loading) -> Bot:
    try:
        words = shlex.split(word)
    except ValueError as error:
        raise ConfigError(f"--bot {word!r}: {error}") from None
    if not words:
        raise ConfigError("--bot: an empty command")
    known = loading.runtimes
    named_runtimes = [known[name] for name in runtimes.names_in(words[:1]) if name in known]
    if named_runtimes:
        program: str | None = named_runtimes[0].program
    elif words[0] != PYTHON and WORD.fullmatch(words[0]):
        raise ConfigError(f"--bot {word}: {manifest.unknown_runtime(words[0], dict(known))}")
    else:
        program = sys.executable if words[0] == PYTHON else shutil.which(_inside(base, words[0]))
    if program is None:
        from khiva_arena.entrants.bot_words import why_no_bot  # not above: few words are mistaken

        raise ConfigError(f"--bot {word}: {why_no_bot(word, words[0], base)}")
    limit = loading.bounds.bot_file_size
    files = [
        (
            words[0],
            regular_files.digest(program, runtimes.LARGEST_PROGRAM if named_runtimes else limit),
            True,
        )
    ]
    paths = [(argument, os.path.join(base, argument)) for argument in words[1:]]
    files += [
        (argument, regular_files.digest(path, limit), False)
        for argument, path in paths
        if os.path.isfile(path)
    ]
    # It runs where it was named, with its words unchanged: a word that happens to be a
    # file's name may mean something else.
    run = (os.path.abspath(program), *words[1:])
    name = Path(files[-1][0]).stem[:64]
    identity = sources.identity(files, words, ())
    return Bot(
        name,
        "",
        run,
        (),
        (),
        identity,
        False,
        (),
        word,
        os.path.abspath(base),
        runtimes=tuple(named_runtimes),
    )


def _inside(base: str, program: str) -> str:
    """Return the path of a program as a shell does: one with a slash is relative to
    ``base``, another is left to the PATH.
    """
    return os.path.join(base, program) if "/" in program else program
