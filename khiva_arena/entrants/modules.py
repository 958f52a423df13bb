"""Bots that are one WebAssembly module: compiled once, in a cell where none of the
bot's code runs, and started in the runner.

Compiled code is a program like any other to the processor, so nobody but the arena may
have written what the runner loads. It lies in the cache folder beside a note with its
hash, as staged folders do. The runner is handed that hash and compares.
"""

import compileall
import json
import os
import platform
import resource
import signal
import tempfile
from functools import cache, lru_cache
from hashlib import blake2b, sha256
from pathlib import Path

from khiva_arena.arbiter.memory_limits import why_unsure
from khiva_arena.bots.modules.meter.bounds import MODULE_BYTES
from khiva_arena.bots.modules.meter.maxima import most_pages
from khiva_arena.bots.sandbox import regular_files, scratch, seccomp, system
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.bots.sandbox.level import Level
from khiva_arena.bots.sandbox.limits import GIB, MIB, Resources, in_words
from khiva_arena.common.machine import OF_THE_MACHINE
from khiva_arena.entrants.bots import Bot
from khiva_arena.entrants.build import Errand, full_disk, work
from khiva_arena.entrants.module_runner import COMPILE, FOLDER, RUN, TABLE, TABLES, library, runner
from khiva_arena.errors import BotError, StagingError
from khiva_arena.records.replay.definition import identity_with_payload

SHORT = 32
"""The hex digits of a payload's hash in the name of a folder."""
REFUSED = 102
"""The exit code of the runner for a module that cannot be a bot."""
RUNNER_FAILED, NO_MEMORY = "the runner failed: ", "too little memory"
"""The words with which the runner begins if it cannot do its work, and those of it if
the module may have used up memory.
"""
KILLED = (-signal.SIGKILL, 128 + signal.SIGKILL)
LARGEST_CODE = 1 * GIB
TO_COMPILE = Resources(
    memory=2 * GIB, processes=64, file_size=LARGEST_CODE, cpu=120, scratch=64 * MIB
)
"""Limits of a compiler that a hostile module makes work: a Go bot of 3.7 MB takes 7 s
of them and 200 MB.
"""


def command(
    bot: Bot,
    data: bytes,
    payload: bytes | None,
    level: Level,
    home: Path,
    *,
    by_function: bool = False,
) -> Command:
    """Return the command that plays a module, compiled if it was not before.

    data: the module, an interpreter's or its own
    payload: what it reads from descriptor 3; None if it has no such descriptor
    level: the level at which it is compiled
    home: the cache folder
    by_function: let it count its ticks by function

    Raises BotError for a module that cannot be a bot, or not be compiled within
    ``TO_COMPILE``; StagingError for a damaged copy of a module that is identified by
    its bytes; ConfigError without the VM.
    """
    refuse_damaged(bot, data, payload)
    words, note = runner(RUN), home / f"{_key(data, by_function)}.json"
    digest = _noted(note) or _compile(bot, data, note, level, by_function)
    code = _code(note, digest)
    forks = level is not Level.STRICT and not system.why_no_levels()
    filter_ = seccomp.of_a_table() if level.confines else b""
    table = (str(code), digest, *runner(TABLES if forks else TABLE, filter_.hex()))
    files, pages = (library(), str(FOLDER)), most_pages(data)
    if payload is None:
        argv = (*words, str(code), digest)
        return Command(
            argv, str(code.parent), {}, files, staged=True, module=table, forks=forks, pages=pages
        )
    place = _beside(code, payload)
    read = (str(place / "payload"), _digest(payload))
    argv = (*words, str(place / "code"), digest, *read)
    return Command(
        argv,
        str(place),
        {},
        files,
        staged=True,
        module=table,
        forks=forks,
        payload=read,
        pages=pages,
    )


def _beside(code: Path, payload: bytes) -> Path:
    """Return a folder with compiled code and a payload, which is all that their bot may
    read of the cache by the wall clock.
    """
    place = code.parent.with_name(f"{code.parent.name}-{_digest(payload)[:SHORT]}")
    if _is_there(place, code, payload):
        return place
    draft = Path(tempfile.mkdtemp(prefix="draft-", dir=place.parent))
    try:
        draft.chmod(0o755)
        (draft / "payload").write_bytes(payload)
        (draft / "payload").chmod(0o444)
        os.link(code, draft / "code")
        if os.path.lexists(place):
            scratch.remove(str(place))
        draft.rename(place)
    except OSError:
        if not _is_there(place, code, payload):  # else another arbiter was quicker
            raise
    finally:
        if draft.exists():
            scratch.remove(str(draft))
    return place


def _is_there(place: Path, code: Path, payload: bytes) -> bool:
    try:
        return (
            os.path.samefile(place / "code", code)
            and regular_files.read(place / "payload", len(payload), follow=False) == payload
        )
    except OSError:
        return False


def module_of(bot: Bot, folder: Path) -> bytes:
    """Return the module that is among the staged files of a bot. Raises BotError."""
    path = folder / bot.module
    try:
        return regular_files.read(path, MODULE_BYTES, follow=False)
    except OSError as error:
        raise BotError(f"{bot.name}: its module {path.name}: {error.strerror or error}") from None


def refuse_damaged(bot: Bot, *files: bytes | None) -> None:
    """Raise StagingError if the bot is identified by the bytes of its module and
    payload, and these are others.
    """
    if not bot.built_from:
        return
    for (name, source), data, digest in zip(
        bot.sources, files, bot.parts or (bot.identity,), strict=False
    ):
        if data is not None and sha256(data).hexdigest() != digest:
            kind = "payload" if name == bot.payload else "module"
            raise StagingError(
                f"{bot.name}: {source}: this copy of its {kind} is damaged, since its bytes are "
                f"not those of the hash {digest[:12]}: remove it and run the same command again, "
                "or put a sound copy there"
            )


def bot_identity(module: bytes, payload: bytes | None = None) -> str:
    """Return the identity of a bot of a module, 64 hex digits, as protocol/METER.md has
    it in section 15.

    payload: bytes that it reads from descriptor 3; None for a bot that has none, whose
        identity is the hash of its module
    """
    digest = sha256(module).hexdigest()
    return digest if payload is None else identity_with_payload(digest, sha256(payload).hexdigest())


def is_sound(path: Path, digest: str) -> bool:
    """Tell whether a file has the bytes of a hash. One that cannot be read has not, nor
    has a link.
    """
    try:
        return sha256(regular_files.read(path, MODULE_BYTES, follow=False)).hexdigest() == digest
    except OSError:
        return False


def _key(module: bytes, by_function: bool) -> str:
    """Return a hash over all that compiled code depends on: module, meter, VM and its
    settings, and the processor.
    """
    library_file = Path(library())
    versions = sorted(path.name for path in library_file.parents[2].glob("wasmtime-*"))
    parts = [
        sha256(module).hexdigest(),
        _digest_of_makers(),
        *versions,
        str(library_file.stat().st_size),
        platform.machine(),
        _processor(),
        *(["by function"] if by_function else []),
    ]
    return sha256(json.dumps(parts).encode()).hexdigest()


@cache
def _digest_of_makers() -> str:
    """Return a hash over the files of the meter, and that of the VM's settings: code
    that another meter made pays otherwise, or does not notice that the machine refuses
    memory.
    """
    files = [*sorted((FOLDER / "meter").glob("*.py")), FOLDER / "runner" / "vm.py"]
    return sha256(
        json.dumps([(path.name, sha256(path.read_bytes()).hexdigest()) for path in files]).encode()
    ).hexdigest()


@cache
def _processor() -> str:
    """Return what this processor can do, in words of the system: machines that share a
    cache folder may differ in it.
    """
    try:
        lines = Path("/proc/cpuinfo").read_text(errors="replace").splitlines()
    except OSError:
        return ""
    return next((line for line in lines if line.startswith(("flags", "Features"))), "")


def _code(note: Path, digest: str) -> Path:
    """Return where compiled code lies: alone in a folder named by its hash, which is
    all that its bot may read of the cache.
    """
    return note.parent / digest / "code"


def _digest(code: bytes) -> str:
    return blake2b(code, digest_size=32).hexdigest()


def _noted(note: Path) -> str:
    """Return the hash of compiled code by the arena's note, "" if there is none, or the
    code is not what was noted.
    """
    try:
        digest = str(json.loads(note.read_text())["digest"])
        code = _code(note, digest)
        known = code.stat()
        return (
            digest
            if digest
            == _digest_of_file(
                code, known.st_ino, known.st_size, known.st_mtime_ns, known.st_ctime_ns
            )
            else ""
        )
    except (OSError, ValueError, KeyError, TypeError):
        return ""


@lru_cache(maxsize=64)
def _digest_of_file(code: Path, *_changes: int) -> str:
    """Return the hash of compiled code. It is read once a command, however many bots
    have the same module, and again once it has changed. Each runner hashes what it
    loads. Raises OSError.
    """
    return _digest(code.read_bytes())


def _compile(bot: Bot, data: bytes, note: Path, level: Level, by_function: bool) -> str:
    """Compile a module, and put its code and the note into the cache. Return the code's
    hash.
    """
    note.parent.mkdir(parents=True, exist_ok=True)
    compileall.compile_dir(
        FOLDER, quiet=2
    )  # or in a working copy each start of the runner would: nothing is written in a cell
    folder = Path(tempfile.mkdtemp(prefix="draft-", dir=note.parent))
    try:
        source, code = folder / "bot.wasm", folder / "code"
        source.write_bytes(data)
        source.chmod(0o644)
        folder.chmod(0o755)  # under root it is compiled by a user of its own
        words = runner(COMPILE, str(source), str(code), *(["by function"] if by_function else []))
        cpu = _cpu_of_children()
        exit_code, output = work(
            Errand(bot, "module", words, folder, (library(), str(FOLDER)), TO_COMPILE), level
        )
        if exit_code == REFUSED:
            raise BotError(f"{bot.name}: {bot.module}: {output}")
        if exit_code != 0:
            most = f"{in_words('cpu', TO_COMPILE.cpu)} and {in_words('memory', TO_COMPILE.memory)}"
            problem = (
                f"{bot.name}: {bot.module} cannot be compiled within {most} (code "
                f"{exit_code}): {output}"
            )
            full, cpu = full_disk(folder), _cpu_of_children() - cpu
            doubt = (
                why_unsure(TO_COMPILE.memory)
                or (full and full.strerror)
                or _why_of_host(exit_code, output, cpu, level)
            )
            if doubt:
                raise StagingError(f"{problem}; {doubt}") from full or _cause(exit_code, output)
            raise BotError(problem)
        digest = _digest(regular_files.read(code, LARGEST_CODE, follow=False))
        code.chmod(0o444)
        _keep(code, _code(note, digest), digest)
        draft = folder / "note"
        draft.write_text(json.dumps({"digest": digest}))
        draft.replace(note)
        return digest
    finally:
        scratch.remove(str(folder))


def _keep(code: Path, place: Path, digest: str) -> None:
    """Put compiled code in its place. Sound code that is there stays: another arbiter
    may just link it beside a payload.
    """
    place.parent.mkdir(exist_ok=True)
    try:
        os.link(code, place)
    except FileExistsError:
        if not _has_digest(place, digest):
            code.replace(place)
    except OSError:  # this file system has no links
        code.replace(place)
    else:
        code.unlink()  # or the removal of its folder would make it writable


def _has_digest(code: Path, digest: str) -> bool:
    try:
        return _digest(regular_files.read(code, LARGEST_CODE, follow=False)) == digest
    except OSError:
        return False


def _cpu_of_children() -> float:
    use = resource.getrusage(resource.RUSAGE_CHILDREN)
    return use.ru_utime + use.ru_stime


def _why_of_host(exit_code: int, output: str, cpu: float, level: Level) -> str:
    """Return why a compiler failed through the host, "" if it met one of its own
    limits, as a hostile module may have it do.

    cpu: the seconds of CPU that it took
    """
    if output.startswith(RUNNER_FAILED) and NO_MEMORY not in output:
        return "no module brings that about, so this machine is to blame"
    # At strict the limit of memory kills, too.
    if exit_code in KILLED and cpu < TO_COMPILE.cpu / 2 and level is not Level.STRICT:
        return "it met no limit of its own, so this machine ended it: it may lack memory"
    return ""


def _cause(exit_code: int, output: str) -> Exception | None:
    """Return the error of the machine through which a compiler failed, None if it is
    not known.
    """
    if exit_code in KILLED:
        return MemoryError()
    if not output.startswith(RUNNER_FAILED):
        return None
    numbers = (
        number for number in sorted(OF_THE_MACHINE) if output.rstrip().endswith(os.strerror(number))
    )
    return next((OSError(number, os.strerror(number)) for number in numbers), None)
