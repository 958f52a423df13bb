"""Runtimes that the organiser names: interpreters for bots, each with the packages that
are installed for it.

A bot.toml names a runtime by its word alone, ``run = "{torch} main.py"``. The organiser
of the match says where it lies, in ``--runtime torch=DIR`` or a ``[runtimes]`` table.
Bots that name the runtime can read its whole folder, no others can.
"""

import os
import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from khiva_arena.bots.sandbox import readable_paths, regular_files
from khiva_arena.errors import ConfigError

if TYPE_CHECKING:
    from khiva_arena.records.replay.definition import DefinedRuntime

ARENA_S_OWN = "python"
"""The word of the interpreter that runs the arena: ``{python}``."""
MODULE = "module"
"""The word of the arena's runner of WebAssembly modules: a bot of the file bot.wasm has
the words ``{module} bot.wasm``.
"""
INTERPRETER = "interpreter"
"""The word of the arena's interpreters: a bot that JavaScript runs has the words
``{interpreter} javascript main.js 16``.
"""
_OUR_WORDS = (ARENA_S_OWN, MODULE, INTERPRETER)
WORD = re.compile(r"\{([a-z][a-z0-9_-]{0,31})\}")
NAME = re.compile(r"[a-z][a-z0-9_-]{0,31}")
_PACKAGE = re.compile(r"(?P<name>[^-]+)-(?P<version>[^-]+?)(?:-py[\d.]+)?\.(?:dist|egg)-info")
_SITES = ("lib*/python3*/site-packages", "lib*/python3*/dist-packages")
PYTHONS = ("bin/python3", "bin/python")
LARGEST_PROGRAM = 1 << 32
MOST_RUNTIMES = 100
HOW = (
    "--runtime NAME=DIR, with a virtual environment or another folder that has a bin, or "
    "NAME=PROGRAM"
)


MAXIMA, USUAL_MAXIMUM = (4, 16, 64), 16
"""The memory that an interpreter may have at the most, in MiB: the same bytes with
another maximum. Loads are priced by it.
"""


class Interpreted(msgspec.Struct, frozen=True):
    """How the files of a bot are run by an interpreter.

    word: of the interpreter.
    main: the file that it runs, a path among the bot's files.
    memory: the maximum of its memory, in MiB.
    pin: the hash of the module, of any maximum, that the word means; "" for the one
        that is installed.
    unreleased: whether one may be taken that no release has.
    """

    word: str
    main: str
    memory: int = USUAL_MAXIMUM
    pin: str = ""
    unreleased: bool = False

    @property
    def words(self) -> tuple[str, ...]:
        """The words of the command that runs it."""
        return (f"{{{INTERPRETER}}}", self.word, self.main, str(self.memory))


class Runtime(msgspec.Struct, frozen=True):
    """An interpreter that the organiser names. Paths are absolute, links kept.

    name: the word for it.
    program: the path that the word stands for.
    prefix: the folder that bots may read with it.
    """

    name: str
    program: str
    prefix: str


def of_settings(places: Mapping[str, Any]) -> dict[str, Runtime]:
    """Return runtimes by name, from folders and programs by name. Raises ConfigError
    with every mistake; each begins with the name.
    """
    problems: list[str] = []
    runtimes: dict[str, Runtime] = {}
    if len(places) > MOST_RUNTIMES:
        raise ConfigError(f"{MOST_RUNTIMES} runtimes at most, not {len(places)}")
    for name, place in places.items():
        try:
            runtimes[name] = _runtime(name, place)
        except (ValueError, OSError) as error:
            reason = (error.strerror if isinstance(error, OSError) else None) or error
            problems.append(f"{name}: {reason}")
    if problems:
        raise ConfigError(problems)
    return runtimes


def _runtime(name: str, place: object) -> Runtime:
    if not NAME.fullmatch(name):
        raise ValueError(
            "the name of a runtime has a to z, 0 to 9, _ and -, a letter first, 32 "
            "characters at most"
        )
    if name in _OUR_WORDS:
        raise ValueError(f"{{{name}}} is the arena's own; give this one another name")
    if not isinstance(place, str | Path) or not str(place):
        raise ValueError(f"a folder or a program is expected: {HOW}")
    path = os.path.abspath(place)
    if os.path.isdir(path):
        program = next(
            (
                os.path.join(path, file)
                for file in PYTHONS
                if os.path.isfile(os.path.join(path, file))
            ),
            "",
        )
        if not program:
            raise ValueError(
                f"{path} has no {PYTHONS[0]}; name the program itself, such as "
                f"{name}={path}/bin/{name}"
            )
        prefix = path
    elif os.path.isfile(path):
        program, prefix = path, _prefix_of(path)
    else:
        raise ValueError(f"{path} is neither a folder nor a program")
    if not os.access(program, os.X_OK):
        raise ValueError(f"{program} may not be executed")
    if private := readable_paths.private_in(prefix):
        raise ValueError(
            f"bots would read all of {prefix}, and {private} with it; install the runtime "
            "in a folder of its own"
        )
    return Runtime(name, program, prefix)


def _prefix_of(program: str) -> str:
    """Return the folder that a program is installed in: PREFIX for PREFIX/bin/NAME, the
    program's own folder for any other.
    """
    folder = os.path.dirname(program)
    if os.path.dirname(folder) == "/":
        folder = os.path.realpath(folder)  # /bin is /usr/bin on most systems
    prefix = os.path.dirname(folder)
    return prefix if os.path.basename(folder) == "bin" and prefix != "/" else folder


def names_in(words: Iterable[str]) -> tuple[str, ...]:
    """Return the runtimes that the words of a command name, each once, without the
    arena's own.
    """
    names = [match[1] for word in words if (match := WORD.fullmatch(word))]
    return tuple(name for name in dict.fromkeys(names) if name not in _OUR_WORDS)


def folders(runtime: Runtime) -> tuple[str, ...]:
    """Return the folders that a bot of this runtime may read."""
    return (runtime.prefix, *readable_paths.base_of_venv(runtime.prefix))


@cache
def as_defined(runtime: Runtime) -> "DefinedRuntime":
    """Return the part of a runtime that belongs to an event's definition. Raises
    ConfigError.

    It is the hash of its program, and its Python packages with their versions, sorted;
    but not its folder, which differs from machine to machine.
    """
    # all formats come with it, and help and TAB need none
    from khiva_arena.records.replay.definition import DefinedRuntime

    try:
        program = regular_files.digest(os.path.realpath(runtime.program), LARGEST_PROGRAM)
    except OSError as error:
        raise ConfigError(
            f"--runtime {runtime.name}: {runtime.program}: {error.strerror or error}"
        ) from None
    return DefinedRuntime(program, tuple(packages(runtime)))


@cache
def packages(runtime: Runtime) -> tuple[str, ...]:
    """Return the packages in the runtime's site-packages, as "numpy 2.1.0"; none if it
    is not a Python.
    """
    names: set[str] = set()
    for site in Path(runtime.prefix).glob("lib*/python3*/site-packages"):
        for name in os.listdir(site):
            if package := _PACKAGE.fullmatch(name):
                names.add(f"{re.sub(r'[-_.]+', '-', package['name']).lower()} {package['version']}")
    return tuple(sorted(names))


def has(runtime: Runtime, module: str) -> bool:
    """Tell whether a module of this name can be imported in a runtime, by the names in
    the folders of its packages.
    """
    sites = [site for pattern in _SITES for site in Path(runtime.prefix).glob(pattern)]
    names = (module, f"{module}.py", f"{module}.*.so", f"{module}.so")
    return any(next(site.glob(name), None) for site in sites for name in names)
