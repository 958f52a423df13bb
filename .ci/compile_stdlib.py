"""Compile modules of Python and of the arena to bytecode, within Pyodide: what would
take most of the start of a page.

The bytes follow from Pyodide's alone: its Python, its compiler and its zlib make them.
page_runtime.py gives it a seed of hashes.
"""

import gzip
import importlib
import io
import py_compile
import sys
import zipfile
from collections.abc import Iterable
from importlib.util import cache_from_source

STDLIB = "/lib/python314.zip"
PACKAGES = "/lib/python3.14/site-packages"
EPOCH = (1980, 1, 1, 0, 0, 0)
AS_IT_IS = py_compile.PycInvalidationMode.UNCHECKED_HASH
"""No source is looked at, of which there is none beside the bytecode."""
IF_EQUAL = py_compile.PycInvalidationMode.CHECKED_HASH
"""Bytecode of another source than the one beside it is not used: a page never runs what
it does not show.
"""


def compiled(more: Iterable[str]) -> bytes:
    """Return an archive of the modules that Pyodide imports when it starts, of
    ``more``, and of all that they import.

    A package that it has is whole: its other modules are in it as they were published.
    """
    for name in more:
        importlib.import_module(name)
    places = {getattr(module, "__file__", None) or "" for module in [*sys.modules.values()]}
    names = {place.removeprefix(f"{STDLIB}/") for place in places if place.startswith(STDLIB)}
    packages = tuple({f"{name.partition('/')[0]}/" for name in names if "/" in name})
    out = io.BytesIO()
    with zipfile.ZipFile(STDLIB) as sources, zipfile.ZipFile(out, "w") as archive:
        for name in sorted(sources.namelist()):
            if name in names:
                path = py_compile.compile(
                    sources.extract(name, "/tmp"),
                    dfile=f"{STDLIB}/{name}",
                    invalidation_mode=AS_IT_IS,
                )
                with open(path, "rb") as file:
                    archive.writestr(zipfile.ZipInfo(f"{name}c", EPOCH), file.read())
            elif name.startswith(packages) and not name.endswith("/"):
                archive.writestr(zipfile.ZipInfo(name, EPOCH), sources.read(name))
    return gzip.compress(out.getvalue(), mtime=0)


def rooms(paths: Iterable[str]) -> bytes:
    """Return an archive with the files of another one, and bytecode of its modules.

    Bytecode follows its source at once: they have words in common, which are compressed
    together.
    """
    out = io.BytesIO()
    (path,) = paths
    with zipfile.ZipFile(path) as sources, zipfile.ZipFile(out, "w") as archive:
        for name in sources.namelist():
            archive.writestr(zipfile.ZipInfo(name, EPOCH), sources.read(name))
            if name.endswith(".py"):
                place = cache_from_source(name)
                shown = f"{PACKAGES}/{name}"
                path = py_compile.compile(
                    sources.extract(name, "/tmp"),
                    dfile=shown,
                    doraise=True,
                    invalidation_mode=IF_EQUAL,
                )
                with open(path, "rb") as file:
                    archive.writestr(zipfile.ZipInfo(place, EPOCH), file.read())
    return gzip.compress(out.getvalue(), mtime=0)


def zipped(paths: Iterable[str]) -> bytes:
    """Return a file compressed by Pyodide's zlib: that of another system would make
    other bytes.
    """
    (path,) = paths
    with open(path, "rb") as file:
        return gzip.compress(file.read(), mtime=0)
