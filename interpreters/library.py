"""The modules of Python's standard library that are part of the interpreter, as the
tables of C that it is linked with.
"""

import re
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
    "unittest.result",
    "unittest.signals",
    "unittest.util",
    "urllib",
    "urllib.parse",
]
RARE = """
bdb doctest email email._encoded_words email._header_value_parser email._parseaddr
email._policybase email.base64mime email.charset email.contentmanager email.encoders
email.errors email.feedparser email.generator email.header email.headerregistry email.iterators
email.message email.mime email.mime.application email.mime.audio email.mime.base
email.mime.image email.mime.message email.mime.multipart email.mime.nonmultipart email.mime.text
email.parser email.policy email.quoprimime email.utils filecmp fileinput importlib.readers
importlib.resources._itertools importlib.resources.readers importlib.resources.simple
importlib.simple json.tool mimetypes nturl2path pdb pyclbr sre_compile sre_constants sre_parse
tabnanny tarfile unittest._log unittest.loader unittest.main unittest.runner unittest.suite wave
zipfile zipfile._path zipfile._path.glob
"""
CODECS = """
base64_codec charmap cp037 cp1006 cp1026 cp1125 cp1140 cp1250 cp1251 cp1252 cp1253 cp1254 cp1255
cp1256 cp1257 cp1258 cp273 cp424 cp500 cp720 cp737 cp775 cp850 cp852 cp855 cp856 cp857 cp858
cp860 cp861 cp862 cp863 cp864 cp865 cp866 cp869 cp874 cp875 hp_roman8 iso8859_1 iso8859_10
iso8859_11 iso8859_13 iso8859_14 iso8859_15 iso8859_16 iso8859_2 iso8859_3 iso8859_4 iso8859_5
iso8859_6 iso8859_7 iso8859_8 iso8859_9 koi8_r koi8_t koi8_u kz1048 mac_arabic mac_croatian
mac_cyrillic mac_farsi mac_greek mac_iceland mac_latin2 mac_roman mac_romanian mac_turkish
palmos ptcp154 punycode quopri_codec raw_unicode_escape rot_13 tis_620 undefined unicode_escape
utf_16_be utf_16_le utf_32_be utf_32_le utf_7 uu_codec
"""
"""What bots import rarely. It is the end of the table, which is searched from its
beginning: so it costs others no ticks.
"""

ENGINE = (
    "rng",
    "errors",
    "words",
    "games",
    *(f"crules/{name}" for name in ("__init__", "door", "game", "stream")),
)
"""What of the arena is inside, for bots that search; of crules what calls C:
``crules_library.py`` stands for its library.
"""
NOT_FOR_BOTS = (
    "asked",
    "asking",
    "conformance",
    "draws",
    "schema",
    "shapes",
    "sheet",
    "terminal",
    "which",
)
"""Modules of games that a host alone needs, some of which import what is not here."""
IN_C = (
    "khiva_arena/native/rules.c",
    "khiva_arena/native/trainer_calls.h",
    "bots/rules/*/*.h",
    "bots/c/kit/cursor.h",
)
"""Of what the rules in C are made, in this checkout."""
DATA = ("games/silk_road/maps/*.toml",)
KIT = "bots/python/kit/khiva_kit.py"
"""What a bot need not compile if its own is the same."""


def files(sources: Path, engine: Path) -> dict[str, Path]:
    """Return where each module is, by its name.

    sources: of CPython, with boot.py
    engine: the package of the arena
    """
    found = {name: place_of(name, sources) for name in (*BOOTSTRAP, *MODULES)}
    found["khiva_arena"] = (
        sources / "engine" / "__init__.py"
    )  # empty: the arena's own imports what checks bots
    for part in ENGINE:
        for path in (
            sorted((engine / part).rglob("*.py"))
            if (engine / part).is_dir()
            else [engine / f"{part}.py"]
        ):
            if path.stem not in NOT_FOR_BOTS:
                name = ".".join(path.relative_to(engine.parent).with_suffix("").parts)
                found[name.removesuffix(".__init__")] = path
    found["khiva_arena.crules.library"] = sources / "crules_library.py"
    found |= {"_khiva_data": sources / "engine" / "files.py", "_khiva_boot": sources / "boot.py"}
    return found | {name: place_of(name, sources) for name in rare()}


def rare() -> list[str]:
    """Return the names of modules that bots import rarely."""
    return RARE.split() + [f"encodings.{name}" for name in CODECS.split()]


def place_of(name: str, sources: Path) -> Path:
    """Return where a module of the standard library is."""
    place = sources / "Lib" / name.replace(".", "/")
    return place / "__init__.py" if place.is_dir() else place.with_suffix(".py")


def rules(engine: Path) -> list[Path]:
    """Return the folders with the rules in C, each before those that have files of the
    same names.
    """
    folder = engine.parent / "bots" / "rules"
    return [engine / "native", *(folder / game for game in ("khiva", "emira", "silk_road")), folder]


def packages(files: Mapping[str, Path]) -> set[str]:
    """Return the names of packages. ``files``: of modules by their names."""
    return {name for name, path in files.items() if path.name == "__init__.py"}


def missing(sources: Path) -> list[str]:
    """Return the names of what is not there of packages that are, but for codecs and
    programs. ``sources``: of CPython.
    """
    paths = [
        path.relative_to(sources / "Lib").with_suffix("")
        for path in (sources / "Lib").glob("*/**/*.py")
    ]
    there = {*BOOTSTRAP, *MODULES, *rare()}
    names = {
        ".".join(path.parts).removesuffix(".__init__") for path in paths if path.parts[0] in there
    }
    lacks = {name for name in names - there if not re.search(r"^encodings\.|\b__main__$", name)}
    return sorted(name for name in lacks if name.rpartition(".")[0] not in lacks)


def data(sources: Path, engine: Path) -> str:
    """Return a module of what boot.py knows: the files that the rules read, by where
    ``__file__`` says that they are; the kit; and what is missing of packages.
    """
    paths = [path for pattern in DATA for path in sorted(engine.glob(pattern))]
    rows = {
        f"lib/{path.relative_to(engine.parent).as_posix()}": path.read_bytes() for path in paths
    }
    return (
        f"FILES = {rows!r}\nKIT = {(engine.parent / KIT).read_bytes()!r}\nMISSING = "
        f"{missing(sources)!r}\n"
    )


def table(sizes: Mapping[str, int], packages: Set[str]) -> str:
    """Return the tables. ``sizes``: of all modules by their names, in the order in
    which they lie behind one another.
    """
    at, places, code = 0, [], "(const unsigned char *)&PLACES"
    for size in sizes.values():
        places.append(f"{{1, {at}}},")
        at += size
    rows = [
        f'{{"{name}", {code}[{n}], {size}, {int(name in packages)}}},'
        for n, (name, size) in enumerate(sizes.items())
    ]
    posixpath = list(sizes).index("posixpath")
    first = [
        row.replace('"importlib._bootstrap', '"_frozen_importlib') for row in rows[: len(BOOTSTRAP)]
    ]
    return "\n".join(
        [
            '#include "Python.h"',
            '#include "pycore_import.h"',
            "static const struct place {unsigned char is_there; unsigned at;} PLACES[] = {",
            *places,
            "};",
            "static const struct _frozen FIRST[] = {",
            *first,
            "{0}};",
            "static const struct _frozen REST[] = {",
            *rows,
            f'{{"os.path", {code}[{posixpath}], {sizes["posixpath"]}, 0}},',
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
