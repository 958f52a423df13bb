"""What runs the files of a bot as python does: modules, files to be read, a trace of what is raised, and where `print` goes.

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
import stat
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
NO_FILES = f"a bot in ticks reads its own files, writes none, and has no others, no sockets and no processes: {PAGE}"
NO_THREADS = f"threads are not available in ticks: {PAGE}"
OF_A_SYSTEM = ("os", "posix", "signal")
"""Modules of which much is not here: processes, owners, alarms."""
WRITING = "chmod link remove rename replace rmdir truncate unlink utime"
_files = {}
_library = _khiva_data.FILES
_kit = compile(_khiva_data.KIT, "khiva_kit.py", "exec", dont_inherit=True)
_open = io.open
_path_types = (str, bytes, os.PathLike)


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

    @staticmethod
    def get_code(name):
        return _code(importlib.util.find_spec(name).origin)

    @staticmethod
    def get_data(path):
        return _data(path)

    @staticmethod
    def get_resource_reader(name):
        return Resources(importlib.util.find_spec(name).submodule_search_locations[0])


class Resources:
    """The files beside the modules of a package, for importlib.resources."""

    def __init__(self, folder):
        self.folder = folder

    def files(self):
        import pathlib  # not above: it keeps what os.scandir is then

        return pathlib.Path(self.folder)


class Entry:
    """What ``os.scandir`` yields."""

    def __init__(self, folder, name):
        self.name, self.path = name, os.path.join(folder, name)

    def __fspath__(self):
        return self.path

    def stat(self, *, follow_symlinks=True):
        return own_stat(self.path)

    def inode(self):
        return self.stat().st_ino

    def is_dir(self, *, follow_symlinks=True):
        return stat.S_ISDIR(self.stat().st_mode)

    def is_file(self, *, follow_symlinks=True):
        return not self.is_dir()

    def is_symlink(self):
        return False

    is_junction = is_symlink


def _own(path):
    """A path as the payload has it: from the bot's folder on, "" for that one."""
    name = os.fsdecode(path)
    if not name:
        raise _error(errno.ENOENT, path)
    return os.path.normpath(os.path.join("/", name)).lstrip("/")


def _error(code, path):
    return OSError(code, os.strerror(code), path)  # FileNotFoundError or another one, by the code


def _data(path):
    own = _own(path)
    for files in (_files, _library):
        if own in files:
            return files[own]
    raise _error(errno.EISDIR if _names(own) else errno.ENOENT, path)


def _names(own):
    """What lies in a folder, of the bot's if it is in both; nothing if there is no such folder."""
    start = own and f"{own}/"
    for files in (_files, _library):
        if names := {path[len(start) :].partition("/")[0] for path in files if path.startswith(start)}:
            return sorted(names)
    return []


def _text(path):
    return importlib.util.decode_source(_files[path])


def _code(path):
    linecache.cache[path] = (lambda: _text(path),)
    if path == _kit.co_filename and _files[path] == _khiva_data.KIT:
        return _kit  # most bots have it, and to compile it was a quarter of greedy's start
    return compile(_files[path], path, "exec", dont_inherit=True)


def own_open(file, mode="r", buffering=-1, encoding=None, errors=None, newline=None, closefd=True, opener=None):
    """What ``open`` is here: the bot's own files can be read."""
    if not isinstance(file, _path_types):
        return _open(file, mode, buffering, encoding, errors, newline, closefd, opener)
    if set(mode) & set("wax+"):
        raise _error(errno.EROFS, file)
    raw = io.BytesIO(_data(file))
    return raw if "b" in mode else io.TextIOWrapper(raw, encoding or "utf-8", errors, newline)


def own_stat(path, *, dir_fd=None, follow_symlinks=True):
    """What ``os.stat`` and ``os.lstat`` are here."""
    if isinstance(path, int):
        return os.fstat(path)
    own = _own(path)
    mode, size = (stat.S_IFDIR | 0o555, 0) if _names(own) else (stat.S_IFREG | 0o444, len(_data(path)))
    return os.stat_result((mode, hash(own) & 0xFFFF_FFFF, 1, 1, 0, 0, size, 0, 0, 0))


def own_change(path, *_, **__):
    """What ``os.remove`` is here, and others that change what is there."""
    own_stat(path)  # for what is not there this is said, as elsewhere
    raise _error(errno.EROFS, path)


def own_mkdir(path, *_, **__):
    """What ``os.mkdir`` is here."""
    raise _error(errno.EEXIST if own_access(path, os.F_OK) else errno.EROFS, path)


def own_descriptor(path, flags, *_, **__):
    """What ``os.open`` is here."""
    raise _error(errno.EROFS if flags & (os.O_WRONLY | os.O_CREAT) else errno.ENOSYS, path)


def own_access(path, mode, *, dir_fd=None, effective_ids=False, follow_symlinks=True):
    """What ``os.access`` is here."""
    try:
        return not mode & os.W_OK and bool(own_stat(path))
    except OSError:
        return False


def own_listdir(path="."):
    """What ``os.listdir`` is here."""
    names = _names(_own(path or "."))
    if not names:
        _data(path)  # is not there, or is a file
        raise _error(errno.ENOTDIR, path)
    return names


class Entries:
    """What ``os.scandir`` is here."""

    def __init__(self, path="."):
        folder = os.fsdecode(path or ".")
        self.entries = iter([Entry(folder, name) for name in own_listdir(folder)])

    def __iter__(self):
        return self

    def __next__(self):
        return next(self.entries)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.entries = iter(())


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
    shown = traceback.TracebackException.from_exception(error, limit=-1000)
    queue = [shown]
    while queue:
        one = queue.pop()
        one.stack = traceback.StackSummary([frame for frame in one.stack if not frame.filename.startswith("<frozen ")])
        queue += [other for other in (one.__cause__, one.__context__, *(one.exceptions or ())) if other]
    print("".join(shown.format()), end="", file=sys.__stderr__)
    if hint := _missing(error):
        print(hint, file=sys.__stderr__)


def _missing(error):
    if name := _lacking(error):
        return "" if Files.find_spec(name.partition(".")[0]) else f"{name} is not available in ticks: {PAGE}"
    if isinstance(error, OSError):
        return NO_FILES
    return NO_THREADS if isinstance(error, RuntimeError) and "new thread" in str(error) else ""


def _lacking(error):
    """The name of the module, or of the part of one, that was asked for and is not here."""
    if isinstance(error, ModuleNotFoundError):
        return error.name or ""
    if isinstance(error, ImportError):
        of, part = error.name, error.name_from
    elif isinstance(error, AttributeError) and type(error.obj) is types.ModuleType:
        of, part = vars(error.obj).get("__name__"), error.name
    else:
        return ""
    name = f"{of}.{part}"
    return name if of in OF_A_SYSTEM or name in _khiva_data.MISSING else ""


io.open = __builtins__["open"] = own_open
os.stat = os.lstat = own_stat
os.access, os.listdir, os.scandir = own_access, own_listdir, Entries
os.mkdir, os.open = own_mkdir, own_descriptor
for word in WRITING.split():
    setattr(os, word, own_change)
os.dup = os.dup2 = _same
for word in BEGUN_WITH.split():
    importlib.import_module(word)
sys.meta_path[:] = [importlib.machinery.BuiltinImporter, Files, importlib.machinery.FrozenImporter]
sys.path_hooks.clear()
sys.stdout = sys.stderr
gc.collect()
gc.freeze()
