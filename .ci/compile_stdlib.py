"""Compile modules of Python to bytecode, within Pyodide: what would take most of the start of a page that checks bundles.

The bytes follow from Pyodide's alone: its Python, its compiler and its zlib make them. page_runtime.py gives it a seed of hashes.
"""

import gzip
import importlib
import io
import py_compile
import sys
import zipfile
from collections.abc import Iterable

STDLIB = "/lib/python314.zip"
EPOCH = (1980, 1, 1, 0, 0, 0)
AS_IT_IS = py_compile.PycInvalidationMode.UNCHECKED_HASH
"""No source is looked at, of which there is none beside the bytecode."""


def compiled(more: Iterable[str]) -> bytes:
    """Return an archive of the modules that Pyodide imports when it starts, of ``more``, and of all that they import.

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
                path = py_compile.compile(sources.extract(name, "/tmp"), dfile=f"{STDLIB}/{name}", invalidation_mode=AS_IT_IS)
                with open(path, "rb") as file:
                    archive.writestr(zipfile.ZipInfo(f"{name}c", EPOCH), file.read())
            elif name.startswith(packages) and not name.endswith("/"):
                archive.writestr(zipfile.ZipInfo(name, EPOCH), sources.read(name))
    return gzip.compress(out.getvalue(), mtime=0)
