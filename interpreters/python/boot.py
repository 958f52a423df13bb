"""What runs the files of a bot as python does: modules, files that are read, a trace of what is raised, and where `print` goes.

It is imported when the interpreter is built, so a bot begins with all that is imported here. main.c calls ``run``.
"""

import atexit
import errno
import gc
import importlib.machinery
import importlib.util
import io
import linecache
import os
import random
import sys
import traceback
import types

import _khiva_data
import msgpack

BEGUN_WITH = """abc array bisect collections contextlib copy dataclasses enum functools hashlib heapq itertools json math operator
re string struct time typing"""
"""What bots import: it is here when one begins."""
HEAD, MAGIC = b"khiva-interpreted-1", b"khiva-bot-files-1"
PAGE = "docs/modules.md#python"
NO_FILES = f"a bot in ticks reads its own files, and has no others, no sockets and no processes: {PAGE}"
NO_THREADS = f"threads are not to be had in ticks: {PAGE}"
_files = {}
_library = _khiva_data.FILES
_open = io.open
_path_types = (str, os.PathLike)


class Files:
    """Finds and loads modules among the files of the bot."""

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        tail = name.rpartition(".")[2]
        for folder in sys.path if path is None else path:
            place = _own(os.path.join(folder, tail))
            for file, is_package in ((f"{place}/__init__.py", True), (f"{place}.py", False)):
                if file in _files:
                    spec = importlib.machinery.ModuleSpec(name, cls, origin=file, is_package=is_package)
                    spec.has_location = True
                    if is_package:
                        spec.submodule_search_locations.append(place)
                    return spec
            if any(file.startswith(f"{place}/") for file in _files):
                spec = importlib.machinery.ModuleSpec(name, None, is_package=True)
                spec.submodule_search_locations = [place]
                return spec
        return None

    @staticmethod
    def create_module(spec):
        return None

    @staticmethod
    def exec_module(module):
        exec(_code(module.__spec__.origin), module.__dict__)

    @staticmethod
    def get_source(name):
        return _text(importlib.util.find_spec(name).origin)


def _own(path):
    """A path as the payload has it: from the bot's folder on."""
    return os.path.normpath(os.path.join("/", os.fspath(path))).lstrip("/")


def _text(path):
    return importlib.util.decode_source(_files[path])


def _code(path):
    linecache.cache[path] = (lambda: _text(path),)
    return compile(_files[path], path, "exec", dont_inherit=True)


def open_own(file, mode="r", buffering=-1, encoding=None, errors=None, newline=None, closefd=True, opener=None):
    """What ``open`` is here: the bot's own files can be read."""
    if not isinstance(file, _path_types) or set(mode) - set("rbt"):
        return _open(file, mode, buffering, encoding, errors, newline, closefd, opener)
    data = _files.get(_own(file)) or _library.get(_own(file))
    if data is None:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), os.fspath(file))
    raw = io.BytesIO(data)
    return raw if "b" in mode else io.TextIOWrapper(raw, encoding or "utf-8", errors, newline)


def _same(descriptor, *_):
    """What ``dup`` and ``dup2`` are here: the conversation has its descriptors for itself, since ``print`` writes to stderr."""
    return descriptor


def _unpack(payload):
    """Take up the files. Returns the path of the one to run."""
    head, main, magic = (payload[:2000].split(b"\n", 3) + [b""] * 3)[:3]
    if (head, magic) != (HEAD, MAGIC):
        raise ValueError("this payload is none that `interpreter` in bot.toml makes")
    at = len(head) + len(main) + len(magic) + 3
    size = int.from_bytes(payload[at : at + 4])
    rows = msgpack.unpackb(payload[at + 4 : at + 4 + size])
    at += 4 + size
    for path, size, *_ in rows:
        _files[path] = payload[at : at + size]
        at += size
    return main.decode()


def run():
    """Run the files on descriptor 3. Returns the exit code."""
    spare = bytearray(100_000)  # for the words about memory that is used up
    try:
        random.seed()
        main = _unpack(io.FileIO(3).readall())
        folder = os.path.dirname(main)
        sys.path[:] = [folder]
        sys.argv[:] = [main]
        for path in _files:
            name = path.removeprefix(f"{folder}/").partition("/")[0].removesuffix(".py")
            if name not in sys.builtin_module_names:
                sys.modules.pop(name, None)  # an author's own copy.py is taken before the library's
        module = sys.modules["__main__"] = types.ModuleType("__main__")
        module.__file__ = main
        module.__builtins__ = __builtins__
        exec(_code(main), module.__dict__)
        code = 0
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else int(error.code is not None)
        if code and not isinstance(error.code, int):
            print(error.code, file=sys.stderr)
    except BaseException as error:
        del spare
        if isinstance(error, MemoryError):
            traceback.clear_frames(error.__traceback__)
        tell(error)
        code = 1
    atexit._run_exitfuncs()
    sys.__stderr__.flush()
    sys.__stdout__.flush()
    return code & 0xFF


def tell(error):
    """Say on stderr what was raised: its trace without the lines of this file, and what to do about a thing that is missing."""
    shown = traceback.TracebackException.from_exception(error)
    queue = [shown]
    while queue:
        one = queue.pop()
        one.stack = traceback.StackSummary([frame for frame in one.stack if not frame.filename.startswith("<frozen ")])
        queue += [other for other in (one.__cause__, one.__context__, *(one.exceptions or ())) if other]
    print("".join(shown.format()), end="", file=sys.__stderr__)
    if hint := _missing(error):
        print(hint, file=sys.__stderr__)


def _missing(error):
    if isinstance(error, ModuleNotFoundError) and error.name:
        name = error.name.partition(".")[0]
        return "" if importlib.util.find_spec(name) else f"{name} is not to be had in ticks: {PAGE}"
    if isinstance(error, OSError):
        return NO_FILES
    return NO_THREADS if isinstance(error, RuntimeError) and "new thread" in str(error) else ""


for word in BEGUN_WITH.split():
    importlib.import_module(word)
sys.meta_path[:] = [importlib.machinery.BuiltinImporter, Files, importlib.machinery.FrozenImporter]
sys.path_hooks.clear()
io.open = __builtins__["open"] = open_own
os.dup = os.dup2 = _same
sys.stdout = sys.stderr
gc.collect()
gc.freeze()
