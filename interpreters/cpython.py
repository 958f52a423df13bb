"""How CPython becomes the module of Python: which of its sources are compiled, and what
is linked with them.

The interpreter is built twice. The first one has no library: it compiles the library,
so that no other Python is needed. The second one has it, is started once, and the
module is what its memory is then.
"""

import json
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import library

Run = Callable[..., str]
"""Runs a program of the toolchain in a folder: its name, its words, and what it reads.
Returns what it prints.
"""
PARSER = [
    "action_helpers",
    "myreadline",
    "parser",
    "peg_api",
    "pegen",
    "pegen_errors",
    "string_parser",
    "token",
    "lexer/buffer",
    "lexer/lexer",
    "lexer/state",
    "tokenizer/file_tokenizer",
    "tokenizer/helpers",
    "tokenizer/readline_tokenizer",
    "tokenizer/string_tokenizer",
    "tokenizer/utf8_tokenizer",
]
LEFT_OUT = [
    "bytecodes",
    "dup2",
    "dynload_hpux",
    "dynload_shlib",
    "dynload_win",
    "emscripten_signal",
    "emscripten_trampoline",
    "frozen",
    "frozenmain",
    "optimizer_bytecodes",
    "bench",
    "bench_full",
]
"""Sources that are for other systems, are programs, or are made anew here."""
BUILTINS = {
    "atexit": "atexitmodule",
    "faulthandler": "faulthandler",
    "posix": "posixmodule",
    "_signal": "signalmodule",
    "_tracemalloc": "_tracemalloc",
    "_suggestions": "_suggestions",
    "_codecs": "_codecsmodule",
    "_collections": "_collectionsmodule",
    "errno": "errnomodule",
    "_io": "_io/_iomodule _io/iobase _io/fileio _io/bytesio _io/bufferedio _io/textio _io/stringio",
    "itertools": "itertoolsmodule",
    "_sre": "_sre/sre",
    "_sysconfig": "_sysconfig",
    "_thread": "_threadmodule",
    "time": "timemodule",
    "_typing": "_typingmodule",
    "_weakref": "_weakref",
    "_abc": "_abc",
    "_functools": "_functoolsmodule",
    "_locale": "_localemodule",
    "_operator": "_operator",
    "_stat": "_stat",
    "_symtable": "symtablemodule",
    "array": "arraymodule",
    "_bisect": "_bisectmodule",
    "_contextvars": "_contextvarsmodule",
    "_csv": "_csv",
    "_heapq": "_heapqmodule",
    "_json": "_json",
    "_opcode": "_opcode",
    "_pickle": "_pickle",
    "_queue": "_queuemodule",
    "_random": "_randommodule",
    "_struct": "_struct",
    "math": "mathmodule",
    "cmath": "cmathmodule",
    "_statistics": "_statisticsmodule",
    "_datetime": "_datetimemodule",
    "_decimal": "_decimal/_decimal",
    "binascii": "binascii",
    "_md5": "md5module _hacl/Hacl_Hash_MD5",
    "_sha1": "sha1module _hacl/Hacl_Hash_SHA1",
    "_sha2": "sha2module _hacl/Hacl_Hash_SHA2",
    "_sha3": "sha3module _hacl/Hacl_Hash_SHA3",
    "_blake2": "_blake2/blake2module _blake2/blake2b_impl _blake2/blake2s_impl",
}
"""The modules in C by their names, each with its sources in Modules/."""
OWN = ("msgpack", "khiva_rules")
"""The modules in C that the arena adds."""
QUICK = [
    "_abc",
    "_bisect",
    "_collections",
    "_functools",
    "_heapq",
    "_json",
    "_operator",
    "_random",
    "_sre",
    "_struct",
]
QUICK += ["array", "itertools", "math", "time"]
"""Those of BUILTINS that bots run often. The others, and the rules in C, are compiled
to be small: beyond 3 MiB of code METER.md makes calls and jumps dearer, and so all of
Python by a third.
"""
CORE = {
    "marshal": "PyMarshal_Init",
    "_imp": "PyInit__imp",
    "_ast": "PyInit__ast",
    "_tokenize": "PyInit__tokenize",
    "builtins": "NULL",
    "sys": "NULL",
    "gc": "PyInit_gc",
    "_warnings": "_PyWarnings_Init",
    "_string": "PyInit__string",
}
"""Modules that lie in other sources, with the functions that make them."""
CHANGES = {
    "Include/cpython/pystate.h": ("Py_C_RECURSION_LIMIT 5000", "Py_C_RECURSION_LIMIT 400"),
    "Python/frame.c": (
        """PyFrameObject *back = _PyFrame_GetFrameObject(prev);
        if (back == NULL) {
            /* Memory error here. */
            assert(PyErr_ExceptionMatches(PyExc_MemoryError));
            /* Nothing we can do about it */
            PyErr_Clear();
        }""",
        """PyObject *raised = PyErr_GetRaisedException();
        PyFrameObject *back = _PyFrame_GetFrameObject(prev);
        if (back == NULL)
            PyErr_Clear();
        PyErr_SetRaisedException(raised);
        if (back == NULL) {
        }""",
    ),
    "Python/import.c": (
        """PyMarshal_ReadObjectFromString(info->data, info->size);
    if (co == NULL) {
        /* Does not contain executable code. */
        PyErr_Clear();
        set_frozen_error(FROZEN_INVALID, info->nameobj);
""",
        """khiva_frozen(info->data, info->size);
    if (co == NULL) {
""",
    ),
    "Include/internal/pycore_import.h": (
        "struct _import_runtime_state {",
        "extern PyObject *khiva_frozen(const char *, Py_ssize_t);\nstruct _import_runtime_state {",
    ),
    "Modules/_operator.c": (
        "static void\nmethodcaller_clear(methodcallerobject *mc)\n{\n",
        "static void methodcaller_empty(methodcallerobject *mc);\n"
        "static int methodcaller_clear(methodcallerobject *mc)\n{\n    "
        "methodcaller_empty(mc);\n    return 0;\n}\n\n"
        "static void\nmethodcaller_empty(methodcallerobject *mc)\n{\n",
    ),
    "Parser/parser.c": ("MAXSTACK 4000", "MAXSTACK 1500"),
    "Python/marshal.c": (
        "__wasi__)\n#  define MAX_MARSHAL_STACK_DEPTH 1500",
        "__wasi__)\n#  define MAX_MARSHAL_STACK_DEPTH 500",
    ),
    "Include/cpython/pthread_stubs.h": (
        "PyAPI_FUNC(int) pthread_exit",
        "PyAPI_FUNC(void) pthread_exit",
    ),
    "Python/thread_pthread_stubs.h": ("int\npthread_exit", "void\npthread_exit"),
}
"""What is changed: calls within calls end below the height of METER.md; what is raised
while frames are left stays raised where memory lacks for one of them; the library is
taken from where it lies, or MemoryError is raised; and two functions have the types by
which they are called.
"""
COMPILE = [
    "-std=gnu11",
    "-DNDEBUG",
    "-ffp-contract=off",
    "-fno-sanitize=all",
    "-g0",
    "-w",
    "-Wno-int-conversion",
    "-fwrapv",
    "-fno-strict-aliasing",
    "-DPy_BUILD_CORE",
    "-DPy_BUILD_CORE_BUILTIN",
    "-DCONFIG_32",
    "-DANSI",
    "-I.",
    "-IInclude",
    "-IInclude/internal",
    "-IModules/_hacl/include",
    "-IModules/_decimal/libmpdec",
]
NAMES = {
    "PLATFORM": "wasi",
    "VERSION": "3.13",
    "PLATLIBDIR": "lib",
    "SOABI": "wasi",
    "DATE": "Jun 11 2025",
    "TIME": "00:00:00",
}
"""What Python says of itself; the date is that of its release."""
EMPTY = ("ABIFLAGS", "PREFIX", "EXEC_PREFIX", "VPATH", "PYTHONPATH", "PYTHONFRAMEWORK")
LINK = [
    "-mexec-model=reactor",
    "-s",
    "-Wl,--no-entry,--gc-sections,-z,stack-size=1048576,--max-memory=16777216,--export-memory",
    "-lwasi-emulated-signal",
    "-lwasi-emulated-getpid",
    "-lwasi-emulated-process-clocks",
    "-lm",
]


def units(sources: Path) -> Iterator[str]:
    """Yield the sources that are compiled, as paths without their ends."""
    yield from (f"Parser/{name}" for name in PARSER)
    for folder in ("Objects", "Python", "Modules/_decimal/libmpdec"):
        names = sorted(path.stem for path in (sources / folder).glob("*.c"))
        yield from (f"{folder}/{name}" for name in names if name not in LEFT_OUT)
    yield from ("Modules/gcmodule", "Modules/getbuildinfo")
    yield from (f"Modules/{name}" for names in BUILTINS.values() for name in names.split())


def change(sources: Path) -> None:
    """Change the sources. Raises ValueError if one has not the words that are
    changed.
    """
    for name, (old, new) in CHANGES.items():
        text = (sources / name).read_text()
        if text.count(old) != 1:
            raise ValueError(f"{name} has not, once: {old}")
        (sources / name).write_text(text.replace(old, new))


def inittab() -> str:
    """Return the table of modules in C."""
    makers = {name: f"PyInit_{name}" for name in (*BUILTINS, *OWN)} | CORE
    lines = [
        '#include "Python.h"',
        *(f"extern PyObject *{maker}(void);" for maker in makers.values() if maker != "NULL"),
    ]
    lines += [
        "struct _inittab _PyImport_Inittab[] = {",
        *(f'{{"{name}", {maker}}},' for name, maker in makers.items()),
        "{0}};",
    ]
    return "\n".join(lines)


def build(compiler: Run, host: Run, sources: Path, own: Path, engine: Path) -> bytes:
    """Return CPython as a module.

    compiler, host: run the C compiler, and host.py, in ``sources``
    sources: CPython's, which are changed
    own: the folder with main.c and boot.py
    engine: the package ``khiva_arena``, from which searching bots take the rules
    """
    change(sources)
    for path in own.iterdir():
        (sources / path.name).write_bytes(path.read_bytes())
    (sources / "config.c").write_text(inittab())
    words = [f'-D{name}="{value}"' for name, value in (NAMES | dict.fromkeys(EMPTY, "")).items()]
    rules = ["-Os", "-fno-inline-functions", *(f"-I{place}" for place in library.rules(engine))]
    small = {
        f"Modules/{unit}"
        for name, names in BUILTINS.items()
        if name not in QUICK
        for unit in names.split()
    }

    def compile_unit(unit: str) -> str:
        file = f"{unit.replace('/', '-')}.o"
        others = (
            rules
            if unit == "khiva_rules"
            else ["-Os"]
            if unit in small or "libmpdec" in unit
            else []
        )
        compiler(*COMPILE, *words, *others, "-c", f"{unit}.c", "-o", file)
        return file

    with ThreadPoolExecutor(os.cpu_count()) as at_a_time:
        objects = list(at_a_time.map(compile_unit, [*units(sources), "config", *OWN]))
    compiler(*COMPILE, "-DFREEZER", "-c", "main.c", "-o", "freezer.o")
    compiler("freezer.o", *objects, *LINK, "-o", "freezer.wasm")
    (sources / "engine").mkdir()
    (sources / "engine" / "__init__.py").touch()
    (sources / "engine" / "files.py").write_text(library.data(sources, engine))
    files = library.files(sources, engine)
    names = json.dumps({name: str(path) for name, path in files.items()})
    sizes = json.loads(host("freeze", "freezer.wasm", "library", text=names))
    (sources / "frozen.c").write_text(library.table(sizes, library.packages(files)))
    for unit in ("main", "frozen"):
        compiler(*COMPILE, "-c", f"{unit}.c", "-o", f"{unit}.o")
    compiler("main.o", "frozen.o", *objects, *LINK, "-o", "raw.wasm")
    host("snapshot", "raw.wasm", "library", "python.wasm")
    return (sources / "python.wasm").read_bytes()
