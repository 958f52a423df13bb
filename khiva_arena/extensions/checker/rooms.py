"""The modules of the package that a page in Python needs, worked out from their
imports: the page carries no others.
"""

import ast
import io
import zipfile
from collections.abc import Collection, Iterable, Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import NamedTuple

from khiva_arena.errors import InternalError

EXTENSIONS = "khiva_arena.extensions"
"""The module that lists extensions. A page has a list of its own, of those that it
carries.
"""

ABSENT = frozenset(
    {
        "_multiprocessing",
        "click",
        "grp",
        "msgpack",
        "numpy",
        "pwd",
        "resource",
        "tabulate",
        "trio",
        "wasmtime",
    }
)
"""Packages that are not in a page: those that the arena uses and Pyodide has not, or
that would be most of the page.
"""
_BEYOND = frozenset({"multiprocessing.connection", "multiprocessing.resource_tracker"})
"""Modules of Python that need one of them."""
_DATA = (".toml", ".txt", ".json", ".pyi", "RULES.md")
_PINS = "runtime.toml"
"""Data that is never carried: it has the hash of what carries it."""
_EPOCH = (1980, 1, 1, 0, 0, 0)


class _Imports(NamedTuple):
    """What a module imports.

    at_once: when it is imported.
    later: when a function of it is called.
    """

    at_once: frozenset[str]
    later: frozenset[str]


class Rooms:
    """The modules of the package, with what each of them imports. ``extensions``: those
    that the page carries.
    """

    def __init__(self, extensions: Collection[str] = ()) -> None:
        self._extensions = extensions
        self._known: dict[str, _Imports] = {}
        self._lacking: dict[str, str] = {}

    def closure(self, firsts: Iterable[str]) -> list[str]:
        """Return the names of modules and all that they import, sorted.

        What a function imports when it is called is left out where it can't be imported
        in a page.

        Raises InternalError, with the way there, if a module needs a package that is
        not in a page.
        """
        needed: set[str] = set()
        to_read = list(firsts)
        for first in to_read:
            if lack := self.lack(first):
                raise InternalError(f"a page cannot import {lack}")
        while to_read:
            name = to_read.pop()
            if name not in needed:
                needed.add(name)
                at_once, later = self._imports(name)
                to_read += [one for one in at_once if _is_ours(one)]
                to_read += [one for one in later if _is_ours(one) and not self.lack(one)]
        return sorted(needed)

    def lack(self, name: str) -> str:
        """Return the way from a module to a package that is not in a page, "" if it
        needs none.
        """
        if name in self._lacking:
            return self._lacking[name]
        self._lacking[name] = ""  # of a circle
        way = ""
        for one in sorted(self._imports(name).at_once):
            if one.partition(".")[0] in ABSENT or one in _BEYOND:
                way = f"{name}: {one}"
            elif _is_ours(one) and (further := self.lack(one)):
                way = f"{name}: {further}"
        self._lacking[name] = way
        return way

    def content(self, name: str) -> bytes:
        """Return the source of a module as a page has it."""
        return (
            _list_of(self._extensions).encode()
            if name == EXTENSIONS
            else path_of(name).read_bytes()
        )

    def _imports(self, name: str) -> _Imports:
        if name not in self._known:
            tree = ast.parse(self.content(name))
            at_once = {
                one for node in _nodes(tree.body, later=False) for one in _names(node, name)
            } | _packages(name)
            later = {one for node in _nodes(tree.body, later=True) for one in _names(node, name)}
            self._known[name] = _Imports(frozenset(at_once), frozenset(later - at_once))
        return self._known[name]


def path_of(name: str) -> Traversable:
    """Return the file of a module of the package."""
    *parts, last = ["", *name.split(".")[1:]]
    folder = files("khiva_arena").joinpath(*filter(None, parts))
    own = folder / last if last else folder
    return own / "__init__.py" if own.is_dir() else folder / f"{last}.py"


def _list_of(extensions: Collection[str]) -> str:
    """Return the source of the list of extensions: that of the package names all, and a
    page carries few.
    """
    imports = "".join(
        f"from {EXTENSIONS}.{name}.row import ROW as {name.upper()}\n" for name in extensions
    )
    rows = "".join(f"{name.upper()}, " for name in extensions)
    return f'"""The extensions that this page carries."""\n\n{imports}\nROWS = ({rows})\n'


def _is_ours(name: str) -> bool:
    return name.partition(".")[0] == "khiva_arena"


def _packages(name: str) -> set[str]:
    """Return the packages around a module, which are imported with it."""
    parts = name.split(".")
    return {".".join(parts[:count]) for count in range(1, len(parts))}


def _nodes(body: Iterable[ast.stmt], *, later: bool) -> Iterator[ast.stmt]:
    """Yield the imports of statements: those that run at once, or those within
    functions. None that are for types alone.
    """
    for node in body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            if not later:
                yield node
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            if later:
                yield from (
                    one for one in ast.walk(node) if isinstance(one, ast.Import | ast.ImportFrom)
                )
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            yield from _nodes(node.orelse, later=later)
        else:
            inner = [
                one for field in ("body", "orelse", "finalbody") for one in getattr(node, field, [])
            ]
            inner += [one for handler in getattr(node, "handlers", []) for one in handler.body]
            yield from _nodes(inner, later=later)


def _names(node: ast.stmt, importer: str) -> Iterator[str]:
    """Yield the modules that an import in the module ``importer`` names; what is
    imported from a package may be one.
    """
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        source = node.module or ""
        if node.level:
            around = (
                importer.split(".")
                if path_of(importer).name == "__init__.py"
                else importer.split(".")[:-1]
            )
            source = ".".join(
                [*around[: len(around) - node.level + 1], *([source] if source else [])]
            )
        yield source
        if _is_ours(source):
            yield from (
                one for alias in node.names if path_of(one := f"{source}.{alias.name}").is_file()
            )


def packed(firsts: Iterable[str], extensions: Collection[str] = ()) -> bytes:
    """Return an archive of modules, all that they import, and the data beside them:
    always the same bytes for the same files.

    extensions: those that are in it.

    Nothing in it is compressed: what comes out of that depends on the library that does
    it.
    """
    contents: dict[str, bytes] = {}
    rooms = Rooms(extensions)
    for name in rooms.closure(firsts):
        path = path_of(name)
        is_package = path.name == "__init__.py"
        parts = name.split(".")
        contents["/".join(parts) + ("/__init__.py" if is_package else ".py")] = rooms.content(name)
        if is_package:
            _add_data("/".join(parts), files("khiva_arena").joinpath(*parts[1:]), contents)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for place, data in sorted(contents.items()):
            archive.writestr(zipfile.ZipInfo(place, _EPOCH), data)
    return out.getvalue()


def unpacked(archive: bytes) -> dict[str, bytes]:
    """Return the files of an archive by their names, but for bytecode."""
    with zipfile.ZipFile(io.BytesIO(archive)) as held:
        return {name: held.read(name) for name in held.namelist() if not name.endswith(".pyc")}


def _add_data(place: str, folder: Traversable, contents: dict[str, bytes]) -> None:
    """Add the data of a package, and of folders in it that are no packages."""
    for path in folder.iterdir():
        if path.is_file() and path.name.endswith(_DATA) and path.name != _PINS:
            contents[f"{place}/{path.name}"] = path.read_bytes()
        elif (
            path.is_dir() and not (path / "__init__.py").is_file() and not path.name.startswith("_")
        ):
            _add_data(f"{place}/{path.name}", path, contents)
