"""Functions as bots: each becomes a folder with a bot.toml and plays in a process of
its own.

A function is known by its pickled code and the pickled values that its code refers to.
So the same cell of a notebook makes the same bot, also in another process. The line and
the cell of a function do not count; the path of a script does, and so do the folders
where modules are looked for. Classes and sets may be pickled differently in another
process.
"""

import fcntl
import io
import json
import os
import shutil
import sys
import sysconfig
import tempfile
import time
import types
from collections import ChainMap
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

from khiva_arena.bots.protocol.bot_function import Choose
from khiva_arena.common import shipped
from khiva_arena.entrants.staging import cache_folder
from khiva_arena.errors import BotError, ConfigError
from khiva_arena.interface.api.checkpoints import Checkpoint
from khiva_arena.interface.api.keywords import text

_PICKLING = Lock()
KIT = ("python", "kit", "khiva_kit.py")
LONGEST_NAME = 64
DRAFT = "draft-"
UNUSED_SECONDS = 90 * 24 * 60 * 60
"""The age at which a function that nobody played is removed from the cache. It is
written again when it is played again.
"""
MAIN = '''"""A function of Python as a bot, written by khiva_arena.run."""

import pickle
import sys
from pathlib import Path

sys.path[1:1] = {paths!r}
sys.stdout = sys.stderr  # what it prints while it is loaded is no message

from khiva_kit import play

choose = pickle.loads(Path(__file__).with_name("choose.pkl").read_bytes()){opened}
play({name!r}, choose)
'''


class BotWords(NamedTuple):
    """The words of bots.

    words: those of all bots.
    functions: those of functions and checkpoints alone.
    """

    words: list[str]
    functions: list[str]


def as_words(bots: object) -> BotWords:
    """Return the words of bots. A bot is a word, a path, a function or a checkpoint.

    Raises ConfigError for anything else, BotError for a function that cannot be sent to
    another process or a checkpoint that cannot be read.
    """
    if isinstance(bots, str | os.PathLike) or not isinstance(bots, Iterable):
        raise ConfigError(f"bots: {bots!r:.200} is not a list of words, folders and functions")
    words: list[str] = []
    functions: list[str] = []
    for bot in bots:
        if isinstance(bot, str | os.PathLike):
            words.append(text("bots", os.fspath(bot)))
        elif callable(bot) or isinstance(bot, Checkpoint):
            functions.append(str(folder_of(bot)))
            words.append(functions[-1])
        else:
            raise ConfigError(
                f"bots: {bot!r:.200} is neither a word, nor a folder, nor a function "
                "choose(decide, match), nor a Checkpoint"
            )
    return BotWords(words, functions)


def folder_of(choose: Choose | Checkpoint) -> Path:
    """Return the folder of a function or checkpoint as a bot, in the cache of staged
    bots; write it if it is not there. Raises BotError.
    """
    name = _name(choose)
    value: Any = choose
    code, more = "", {}
    if isinstance(choose, Checkpoint):
        value, code, more = choose.load, choose.opened, choose.files()
    files = {
        "bot.toml": (
            f'name = {json.dumps(name, ensure_ascii=False)}\nrun = "{{python}} main.py"\n'
        ).encode(),
        "main.py": MAIN.format(paths=_own_paths(), name=name, opened=code).encode(),
        "choose.pkl": _pickled(value, name),
        KIT[-1]: shipped.folder("bots").joinpath(*KIT).read_bytes(),
        **more,
    }
    digest = sha256(b"".join(b"%d\0%s" % (len(data), data) for data in files.values())).hexdigest()[
        :32
    ]
    home = cache_folder() / "functions"
    folder = home / digest
    try:
        home.mkdir(parents=True, exist_ok=True)
        with (home / "lock").open("w") as lock:
            fcntl.flock(
                lock, fcntl.LOCK_EX
            )  # a draft in there is nobody's then, and what is found stays
            if folder.is_dir():
                os.utime(folder)
            else:
                _sweep(home)
                draft = Path(tempfile.mkdtemp(prefix=DRAFT, dir=home))
                for file, data in files.items():
                    (draft / file).parent.mkdir(parents=True, exist_ok=True)
                    (draft / file).write_bytes(data)
                draft.rename(folder)
    except OSError as error:
        raise BotError(f"{name}: cannot be written to {home}: {error}") from None
    return folder


def _sweep(home: Path) -> None:
    """Remove functions that nobody has played for long, and drafts that a kill or a
    full disk has left.
    """
    for path in home.iterdir():
        if (
            path.is_dir()
            and not path.name.startswith(DRAFT)
            and time.time() - path.stat().st_mtime > UNUSED_SECONDS
        ):
            path.rename(home / f"{DRAFT}{path.name}")  # so that a kill leaves no half of a function
    for path in home.glob(f"{DRAFT}*"):
        shutil.rmtree(path)


def _name(choose: Choose | Checkpoint) -> str:
    """Return the name of a function or checkpoint as a bot; "function" if its own name
    cannot be printed.
    """
    function = _unwrapped(choose)
    function_name = (
        choose.name
        if isinstance(choose, Checkpoint)
        else getattr(function, "__name__", type(function).__name__)
    )
    name = str(function_name).strip("<> ")[:LONGEST_NAME]
    return name if name.isprintable() and name else "function"


def _unwrapped(choose: Any) -> Any:
    """Return the function inside of ``functools.partial`` objects."""
    while isinstance(choose, partial):
        choose = choose.func
    return choose


def _own_paths() -> list[str]:
    """Return the folders of sys.path outside of the installation, which the bot's
    Python has anyway.
    """
    installed = {
        os.path.realpath(sysconfig.get_path(name))
        for name in ("stdlib", "platstdlib", "purelib", "platlib")
    }
    paths = [os.path.abspath(path) for path in sys.path if os.path.isdir(path or os.curdir)]
    return [
        path
        for path in dict.fromkeys(paths)
        if not any(_is_in(path, folder) for folder in installed)
    ]


def _is_in(path: str, folder: str) -> bool:
    return os.path.commonpath([os.path.realpath(path), folder]) == folder


# --- pickling ---


def _pickled(choose: Any, name: str) -> bytes:
    import cloudpickle  # most competitions do without it

    table = ChainMap({types.CodeType: _plain_code}, cloudpickle.Pickler.dispatch_table)
    pickler = type("Pickler", (cloudpickle.Pickler,), {"dispatch_table": table})
    into = io.BytesIO()
    try:
        with _PICKLING, _by_value():
            pickler(into, protocol=5).dump(choose)
    except Exception as error:  # whatever the objects that it refers to raise
        reason = (
            "it refers to an object that cannot be pickled, such as an open file "
            f"({type(error).__name__}: {error})"
        )
        raise BotError(f"{name}: cannot be sent to a process of its own: {reason}") from None
    return into.getvalue()


def _plain_code(code: types.CodeType) -> Any:
    """Reduce a code object without its file and line. The file name of a notebook's
    cell has the number of a process in it.
    """
    import cloudpickle

    return cloudpickle.Pickler.dispatch_table[types.CodeType](
        code.replace(co_filename="<function>", co_firstlineno=1)
    )


@contextmanager
def _by_value() -> Iterator[None]:
    """Pickle the modules outside of the installation by value inside the ``with``
    block. Their names alone would not say which bot it is.
    """
    import cloudpickle

    before = cloudpickle.list_registry_pickle_by_value()
    modules = [module for name, module in _own_modules().items() if name not in before]
    for module in modules:
        cloudpickle.register_pickle_by_value(module)
    try:
        yield
    finally:
        for module in modules:
            cloudpickle.unregister_pickle_by_value(module)


def _own_modules() -> dict[str, types.ModuleType]:
    """Return by name the modules and packages found outside of the installation.
    Modules inside a package go with the package; the arena is left out.
    """
    paths = _own_paths()
    modules = {}
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if (
            isinstance(module, types.ModuleType)
            and file
            and "." not in name
            and name not in ("__main__", "khiva_arena")
        ):
            folder = os.path.dirname(os.path.abspath(file))
            if (os.path.dirname(folder) if hasattr(module, "__path__") else folder) in paths:
                modules[name] = module
    return modules
