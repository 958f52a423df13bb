"""The modules of Python's standard library that are part of the interpreter, as the tables of C that it is linked with."""

from collections.abc import Mapping, Set
from pathlib import Path

BOOTSTRAP = ("importlib._bootstrap", "importlib._bootstrap_external", "zipimport")
"""What the interpreter begins with, the rest comes by these."""
MODULES = [
    "__future__",
    "_collections_abc",
    "_colorize",
    "_compat_pickle",
    "_markupbase",
    "_opcode_metadata",
    "_py_abc",
    "_pylong",
    "_sitebuiltins",
    "_strptime",
    "_threading_local",
    "_weakrefset",
    "abc",
    "argparse",
    "ast",
    "base64",
    "bisect",
    "calendar",
    "cmd",
    "code",
    "codecs",
    "codeop",
    "colorsys",
    "configparser",
    "contextlib",
    "contextvars",
    "copy",
    "copyreg",
    "csv",
    "dataclasses",
    "datetime",
    "decimal",
    "difflib",
    "dis",
    "enum",
    "fnmatch",
    "fractions",
    "functools",
    "genericpath",
    "getopt",
    "gettext",
    "glob",
    "graphlib",
    "hashlib",
    "heapq",
    "hmac",
    "inspect",
    "io",
    "ipaddress",
    "keyword",
    "linecache",
    "locale",
    "ntpath",
    "numbers",
    "opcode",
    "operator",
    "optparse",
    "os",
    "pickle",
    "pickletools",
    "pkgutil",
    "platform",
    "posixpath",
    "pprint",
    "pstats",
    "profile",
    "queue",
    "quopri",
    "random",
    "reprlib",
    "rlcompleter",
    "runpy",
    "sched",
    "secrets",
    "shlex",
    "shutil",
    "signal",
    "site",
    "stat",
    "statistics",
    "string",
    "struct",
    "symtable",
    "tempfile",
    "textwrap",
    "this",
    "threading",
    "timeit",
    "token",
    "tokenize",
    "traceback",
    "tracemalloc",
    "types",
    "typing",
    "uuid",
    "warnings",
    "weakref",
    "collections",
    "encodings",
    "encodings.aliases",
    "encodings.ascii",
    "encodings.cp437",
    "encodings.hex_codec",
    "encodings.latin_1",
    "encodings.utf_16",
    "encodings.utf_32",
    "encodings.utf_8",
    "encodings.utf_8_sig",
    "html",
    "html.entities",
    "html.parser",
    "importlib",
    "importlib._abc",
    "importlib.abc",
    "importlib.machinery",
    "importlib.resources",
    "importlib.resources._adapters",
    "importlib.resources._common",
    "importlib.resources._functional",
    "importlib.resources.abc",
    "importlib.util",
    "json",
    "json.decoder",
    "json.encoder",
    "json.scanner",
    "logging",
    "pathlib",
    "pathlib._abc",
    "pathlib._local",
    "re",
    "re._casefix",
    "re._compiler",
    "re._constants",
    "re._parser",
    "tomllib",
    "tomllib._parser",
    "tomllib._re",
    "tomllib._types",
    "unittest",
    "unittest.case",
    "unittest.mock",
    "unittest.result",
    "unittest.signals",
    "unittest.util",
    "urllib",
    "urllib.parse",
]


ENGINE = ("rng", "errors", "words", "games", *(f"crules/{name}" for name in ("__init__", "door", "game", "stream")))
"""What of the arena is inside, for bots that search; of crules what calls C: ``crules_library.py`` stands for its library."""
NOT_FOR_BOTS = ("asked", "conformance", "draws", "schema", "shapes", "sheet", "terminal", "which")
"""Modules of games that a host alone needs, some of which import what is not here."""
IN_C = ("khiva_arena/native/rules.c", "khiva_arena/native/trainer_calls.h", "bots/rules/*/*.h", "bots/c/kit/cursor.h")
"""Of what the rules in C are made, in this checkout."""
DATA = ("games/silk_road/maps/*.toml",)
KIT = "bots/python/kit/khiva_kit.py"
"""What a bot need not compile if its own is the same."""


def files(sources: Path, engine: Path) -> dict[str, Path]:
    """Return where each module is, by its name.

    sources: of CPython, with boot.py
    engine: the package of the arena
    """
    found = {}
    for name in (*BOOTSTRAP, *MODULES):
        place = sources / "Lib" / name.replace(".", "/")
        found[name] = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
    found["khiva_arena"] = sources / "engine" / "__init__.py"  # empty: the arena's own imports what checks bots
    for part in ENGINE:
        for path in sorted((engine / part).rglob("*.py")) if (engine / part).is_dir() else [engine / f"{part}.py"]:
            if path.stem not in NOT_FOR_BOTS:
                name = ".".join(path.relative_to(engine.parent).with_suffix("").parts)
                found[name.removesuffix(".__init__")] = path
    found["khiva_arena.crules.library"] = sources / "crules_library.py"
    return found | {"_khiva_data": sources / "engine" / "files.py", "_khiva_boot": sources / "boot.py"}


def rules(engine: Path) -> list[Path]:
    """Return the folders with the rules in C, each before those that have files of the same names."""
    rules = engine.parent / "bots" / "rules"
    return [engine / "native", *(rules / game for game in ("khiva", "emira", "silk_road")), rules]


def packages(files: Mapping[str, Path]) -> set[str]:
    """Return the names of packages. ``files``: of modules by their names."""
    return {name for name, path in files.items() if path.name == "__init__.py"}


def data(engine: Path) -> str:
    """Return a module of the files that the rules read: their bytes, by where ``__file__`` says that they are; and of the kit."""
    paths = [path for pattern in DATA for path in sorted(engine.glob(pattern))]
    rows = {f"lib/{path.relative_to(engine.parent).as_posix()}": path.read_bytes() for path in paths}
    return f"FILES = {rows!r}\nKIT = {(engine.parent / KIT).read_bytes()!r}\n"


def table(arrays: str, sizes: Mapping[str, int], packages: Set[str]) -> str:
    """Return the tables. ``arrays``: m0, m1 and so on in C, in the order of ``sizes``, which are their bytes by names."""
    rows = [f'{{"{name}", m{n}, {size}, {int(name in packages)}}},' for n, (name, size) in enumerate(sizes.items())]
    first = [row.replace('"importlib._bootstrap', '"_frozen_importlib') for row in rows[: len(BOOTSTRAP)]]
    return "\n".join(
        [
            '#include "Python.h"',
            '#include "pycore_import.h"',
            arrays,
            "static const struct _frozen FIRST[] = {",
            *first,
            "{0}};",
            "static const struct _frozen REST[] = {",
            *rows,
            '{"os.path", m' + str(list(sizes).index("posixpath")) + f", {sizes['posixpath']}, 0}},",
            "{0}};",
            "static const struct _frozen NONE[] = {{0}};",
            "const struct _frozen *_PyImport_FrozenBootstrap = FIRST;",
            "const struct _frozen *_PyImport_FrozenStdlib = REST, *_PyImport_FrozenTest = NONE;",
            "const struct _frozen *PyImport_FrozenModules;",
            "static const struct _module_alias ALIASES[] = {",
            '{"_frozen_importlib", "importlib._bootstrap"},',
            '{"_frozen_importlib_external", "importlib._bootstrap_external"},',
            '{"os.path", "posixpath"},',
            "{0}};",
            "const struct _module_alias *_PyImport_FrozenAliases = ALIASES;",
        ]
    )
