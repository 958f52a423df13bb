"""The interpreter of Python: its build, what bots can do in it, what they are told, and that two VMs agree on all of it."""

import re
import shutil
import subprocess
import sys
import tomllib
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import javascript
import pytest
import python
from arena import ROOT
from in_targets import in_long
from javascript import HELLO, KEY, MEMORY, PROJECT, interpreter, payload
from module_matches import TIME, job
from modules import answers_to
from second_vm import Part, again, overheard

from khiva_arena.arbiter.pool import play_one
from khiva_arena.bots.modules.meter import rewritten
from khiva_arena.bots.modules.meter.maxima import with_memory
from khiva_arena.bots.modules.meter.parse import parse
from khiva_arena.bots.modules.meter.prices import COLD
from khiva_arena.common.result import Clock, Verdict
from khiva_arena.entrants import bots, staging
from khiva_arena.entrants.hints import interpreted
from khiva_arena.entrants.hints.interpreted import NEEDED
from khiva_arena.records.replay.verify import verify

pytestmark = [pytest.mark.language, pytest.mark.slow, pytest.mark.xdist_group("python")]

WORD = "python"
BOTS = ROOT / "bots" / "python"
EXITED, CRASHED, LATE = ("exited", "00000000"), ("exited", "00000001"), ("timeout", "")
PAGE = r"docs/modules\.md#python"
DOCS = ROOT / "docs" / "modules.md"


class Row(NamedTuple):
    """A program, and how it ends.

    end: the word of the runner, and its bytes
    notes: what is on stderr, as a regular expression
    """

    code: str
    end: tuple[str, str]
    notes: str


def missing(code: str, hint: str) -> Row:
    """A program whose last line on stderr says what is not to be had."""
    return Row(code, CRASHED, rf"(?s)Traceback .*  File \"main\.py\", line \d+, in <module>\n.*\n{hint}: {PAGE}\n")


def no_module(name: str) -> Row:
    return lacks_part(f"import {name}", name)


def lacks_part(code: str, name: str) -> Row:
    return missing(code, f"{name} is not to be had in ticks")


def recursion(code: str, least: int, limit: int) -> Row:
    """A program whose function ``f`` calls itself too deep, and counts in ``d``: that is an error to be caught."""
    lines = ["import sys, functools", f"sys.setrecursionlimit({limit})", "d = 0", "def deeper():", "    global d", "    d += 1"]
    lines += [code, "try:", "    f(0)", "except RecursionError:", f"    print(d > {least} or d)"]
    return Row("\n".join(lines), EXITED, "True\n")


DEEP = {
    "calls of lru_cache": "@functools.lru_cache(None)\ndef f(x): deeper(); return f(x + 1)",
    "constructors": "class A:\n    def __init__(self): deeper(); A()\ndef f(x): A()",
    "keys of sorted": "def f(x): deeper(); return sorted([1, 2], key=f)",
    "generators": "def f(x): deeper(); return sum(f(x) for _ in range(1))",
    "map": "def f(x): deeper(); return list(map(f, [1]))",
    "comparisons": "class A:\n    def __eq__(self, other): deeper(); return A() == A()\ndef f(x): A() == A()",
    "attributes": "class A:\n    def __getattr__(self, name): deeper(); return getattr(A(), name + 'x')\ndef f(x): A().y",
    "repr": "class A:\n    def __repr__(self): deeper(); return '%r' % A()\ndef f(x): repr(A())",
}
"""Recursion through code in C, which takes of the stack."""
SOURCES = {
    "minus": "'-' * 100_000 + '1'",
    "brackets": "'(' * 100_000",
    "not": "'not ' * 100_000 + '1'",
    "attributes": "'a' + '.b' * 100_000",
    "lambdas": "'lambda:' * 10_000 + '1'",
}
RULES_IN_C = """
import importlib, random
from khiva_arena import crules, rng
for name in crules.GAMES:
    game, lots = importlib.import_module(f"khiva_arena.games.{name}").GAME, random.Random(7)
    given, chance = game.rules({}), crules.StreamInC(bytes(32), "a")
    rules = crules.RulesInC(name, game.every_rule(given))
    (one, _), two = game.new(3, given, bytes(32)), rules.new(3, bytes(32))
    for step in range(15):
        asked = one.pending()
        counts = {seat: each.choices for seat, each in two.questions().items()}
        assert counts == {seat: len(each.legal) for seat, each in asked.items()}
        for seat in asked:
            view = rules.view(one.view(seat))
            assert bytes(view) == two.see(seat) == view.world(chance).see(seat) == bytes(rules.view(two.see(seat)))
            assert len(two.legal(seat)) == len(two.actions(seat)) == len(asked[seat].legal)
            assert len(two.observe(seat)) == rules.observation_size(3) and any(two.observe(seat))
        choices = {seat: lots.randrange(len(each.legal)) for seat, each in asked.items()}
        one.apply(choices)
        two.apply(choices)
        assert (one.scores, one.ranks) == (two.scores, two.ranks)
    assert two.clone().playout(crules.QuickStreamInC(bytes(32), "a")) > 0 and not two.is_over
    print(name, *two.scores)
plain, in_c = rng.Stream(bytes(32), "a"), crules.StreamInC(bytes(32), "a")
print([plain.u64(), plain.below(2**63)] == [in_c.u64(), in_c.below(2**63)])
"""
"""Matches of each game by the engine and by C side by side, and all that a seat sees."""
REFUSED_BY_CRULES = """
from khiva_arena.crules import *
from khiva_arena.games.khiva import GAME
rules = RulesInC("khiva", GAME.every_rule(GAME.rules({})))
new, stream, habits = rules.new(2, bytes(32)), QuickStreamInC(bytes(32), "a"), HabitsInC(rules)
before, deep = new.see(0), {}
for _ in range(5_000):
    deep = {"a": deep}
for call in (
    lambda: RulesInC("chess", {}),
    lambda: RulesInC("khiva", {"a": []}),
    lambda: RulesInC("khiva", {"a": object()}),
    lambda: rules.new(6, bytes(32)),
    lambda: rules.new(2, bytes(31)),
    lambda: rules.new("2", bytes(32)),
    lambda: rules.view({}),
    lambda: rules.view(deep),
    lambda: rules.view(b"short"),
    lambda: rules.view(before[:8] + bytes(len(before) - 8)),
    lambda: new.legal(2),
    lambda: new.legal(-1),
    lambda: new.see(2**64),
    lambda: new.observe(0, -1),
    lambda: new.apply({0: 0}),
    lambda: new.apply({0: 0, 1: 10**30}),
    lambda: new.apply(None),
    lambda: new.playout(bytes(999)),
    lambda: new.attempt(habits, 0, 2**63, 1, stream),
    lambda: new.attempt(stream, 0, 0, 1, stream),
    lambda: new.attempt(habits, 9, 0, 1, stream),
    lambda: StreamInC(bytes(32), "a\\0b"),
    lambda: stream.below(0),
    lambda: stream.below(2**64),
    lambda: HabitsInC(RulesInC("emira", {})),
    lambda: StateInC(None, 2, bytes(32)),
):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__[:2], end=" ")
print(new.see(0) == before, new.attempt(habits, 0, 10**6, 99, stream), new.attempt(habits, 0, -1, -5, stream))
"""
"""Calls that C must not see, each said by the first letters of what it raises. Then nothing has changed, and what a seat cannot
choose is worth nothing."""
WITHOUT = """
import sys, warnings
warnings.simplefilter("ignore")
out = []
for name in sorted(sys.stdlib_module_names - {"this"}):
    try:
        name.startswith("_") or __import__(name)
    except ImportError:
        out.append(name)
print(*out)
"""
"""What of the standard library cannot be imported, but for what its modules keep for themselves. ``this`` would print a poem."""
NOT_THERE = " ".join(re.search(r"These modules are missing: (.*?)\.", DOCS.read_text(), re.DOTALL)[1].split())
"""The same, as the page names it."""
PARTS_NOT_THERE = " ".join(re.search(r"parts of packages are missing: (.*?)\.\s", DOCS.read_text(), re.DOTALL)[1].split())
LEFT = int(float(re.search(r"of which ([\d.]+) are left", DOCS.read_text())[1]) * 16)
"""Pieces of 64 KiB that a bot can have, by the page."""
ALL = """
import _imp, warnings
warnings.simplefilter("ignore")
names = sorted({*_imp._frozen_module_names()} - {"this"})
for name in names[PART::4]:
    __import__(name)
print(len(names) > 300)
"""
"""Every fourth of the modules that are inside: memory does not hold all of them at a time."""
WORKS = """
import doctest, email, filecmp, fileinput, io, tarfile, unittest, zipfile
zipped, tarred = io.BytesIO(), io.BytesIO()
with zipfile.ZipFile(zipped, "w") as file:
    file.writestr(zipfile.ZipInfo("a"), b"xyz")
with tarfile.open(fileobj=tarred, mode="w") as file:
    file.addfile(tarfile.TarInfo("b"))
tarred.seek(0)
print(zipfile.ZipFile(zipped).read("a"), tarfile.open(fileobj=tarred).getnames())
print(filecmp.cmp("pkg/one.txt", "empty", shallow=False), *fileinput.input("pkg/one.txt"))
print(email.message_from_string("To: b@c")["To"])
class Test(unittest.TestCase):
    def test_it(self):
        ">>> 1 + 1\\n3"
        self.assertEqual("\\xe9".encode("cp1252"), b"\\xe9")
print(unittest.TextTestRunner(io.StringIO()).run(unittest.defaultTestLoader.loadTestsFromTestCase(Test)))
print(doctest.run_docstring_examples(Test.test_it, {}))
"""
"""What of the library is new to bots, used."""
NO_FILES = "a bot in ticks reads its own files, writes none, and has no others, no sockets and no processes"
NESTED = "l = []\nfor _ in range(20_000): l = [l]\n"
ROWS = {
    "prints": Row("import sys\nprint('a', 1, [2]); print('b', file=sys.stderr)", EXITED, r"a 1 \[2\]\nb\n"),
    "raises": Row(
        "def choose(a):\n    raise ValueError('no such card')\nchoose(1)",
        CRASHED,
        re.escape(
            'Traceback (most recent call last):\n  File "main.py", line 3, in <module>\n    choose(1)\n'
            "  File \"main.py\", line 2, in choose\n    raise ValueError('no such card')\nValueError: no such card\n"
        ),
    ),
    "is no Python": Row(
        "a = 1\nb = = 2", CRASHED, r'  File "main\.py", line 2\n    b = = 2\n +\^\nSyntaxError: invalid syntax\n'
    ),
    "exits": Row("import sys; sys.exit('enough')", CRASHED, "enough\n"),
    "exits with a number": Row("import sys; sys.exit(7)", ("exited", "00000007"), ""),
    "at exit": Row("import atexit; atexit.register(print, 'bye')", EXITED, "bye\n"),
    "numpy": no_module("numpy"),
    "socket": no_module("socket"),
    "subprocess": no_module("subprocess"),
    "ctypes": no_module("ctypes"),
    "can ask for what is missing": Row("try: import numpy\nexcept ImportError: print('without')", EXITED, "without\n"),
    "a part of a package": no_module("urllib.request"),
    "a part of a package, by from": lacks_part("from logging import handlers", "logging.handlers"),
    "a part of a package, by a dot": lacks_part("import urllib\nurllib.request.urlopen", "urllib.request"),
    "a part of a module": no_module("os.own"),
    "futures": lacks_part("import concurrent.futures", "concurrent"),
    "system": lacks_part("import os; os.system('ls')", r"os\.system"),
    "fork": lacks_part("from os import fork", r"os\.fork"),
    "popen": lacks_part("import os; os.popen('ls')", "subprocess"),
    "alarm": lacks_part("import signal; signal.alarm(1)", r"signal\.alarm"),
    "writes a file": missing("open('x', 'w')", NO_FILES),
    "removes a file": missing("import os; os.remove('main.py')", NO_FILES),
    "makes a folder": missing("import pathlib; pathlib.Path('x').mkdir()", NO_FILES),
    "its own mistakes": Row(
        "import os, math, types\ndel os.__name__\n"
        "for code in 'import pkg.no', 'from pkg import no', 'import pkg; pkg.no', 'math.no', 'from math import no', 'os.no':\n"
        "    try: exec(code)\n"
        "    except Exception as error: last = error\n"
        "    import _khiva_boot; print(_khiva_boot._missing(last) == '')",
        EXITED,
        "(True\n){6}",
    ),
    "threads": missing("import threading; threading.Thread(target=print).start()", "threads are not to be had in ticks"),
    "its own file": Row(
        "from pathlib import Path\nprint(len(open(__file__).read()), Path(__file__).read_bytes()[:4])", EXITED, r"91 b'from'\n"
    ),
    "another file": Row("try: open('/etc/passwd')\nexcept FileNotFoundError as e: print(e.errno)", EXITED, "44\n"),
    "its own folder": Row(
        "import os, glob, pathlib\nprint(os.listdir(), os.listdir('pkg'), os.path.exists('main.py'), os.path.exists('no'))\n"
        "here = pathlib.Path(__file__).parent\n"
        "print(*here.rglob('*.txt'), *here.glob('*.py'), glob.glob('*/*.txt'), (here / 'pkg').is_dir())\n"
        "print([(place, *names) for place, _, names in os.walk('.')], os.path.getsize('pkg/one.txt'), not open('empty').read())",
        EXITED,
        re.escape(
            "['empty', 'main.py', 'pkg'] ['__init__.py', 'one.txt'] True False\n"
            "pkg/one.txt main.py ['pkg/one.txt'] True\n"
            "[('.', 'empty', 'main.py'), ('./pkg', '__init__.py', 'one.txt')] 3 True\n"
        ),
    ),
    "files of a package": Row(
        "import importlib.resources, pkgutil\n"
        "print(importlib.resources.files('pkg').joinpath('one.txt').read_text(), pkgutil.get_data('pkg', 'one.txt'))",
        EXITED,
        "one b'one'\n",
    ),
    "what is no file": Row(
        "import os\nfor code in ('open(\"pkg\")', 'os.listdir(\"main.py\")', 'os.listdir(\"/etc\")', 'os.open(\"empty\", 0)'):\n"
        "    try: eval(code)\n    except OSError as error: print(error.strerror)",
        EXITED,
        "Is a directory\nNot a directory\nNo such file or directory\nFunction not implemented\n",
    ),
    "what would write": Row(
        "import os, pathlib\n"
        "for name, *words in ('mkdir', 'x'), ('makedirs', 'x/y'), ('rename', 'empty', 'x'), ('unlink', 'empty'),"
        " ('chmod', 'empty', 0), ('open', 'x', os.O_CREAT), ('mkdir', 'pkg'), ('remove', 'x'):\n"
        "    try: getattr(os, name)(*words)\n    except OSError as error: print(error.strerror)\n"
        "os.makedirs('pkg', exist_ok=True)",
        EXITED,
        "(Read-only file system\n){6}File exists\nNo such file or directory\n",
    ),
    "clock": Row("import time; print(0 < time.perf_counter() < 1, time.time() < 1)", EXITED, "True True\n"),
    "the library": Row(WITHOUT, EXITED, f"{NOT_THERE}\n"),
    "parts of its packages": Row("import _khiva_data; print(*_khiva_data.MISSING)", EXITED, f"{PARTS_NOT_THERE}\n"),
    **{f"all that is there, {part}": Row(ALL.replace("PART", str(part)), EXITED, "True\n") for part in range(4)},
    "what bots use rarely": Row(
        WORKS,
        EXITED,
        r"(?s)b'xyz' \['b'\]\nFalse one\nb@c\n<unittest.* run=1 errors=0 failures=0>\n.*Expected:\n    3\nGot:\n    2\n.*",
    ),
    "messages": Row(
        "import msgpack\nm = {'a': [-1, 300, None, True, 1.5, b'x', 2**63], 'b': 'é' * 40}\n"
        "print(msgpack.unpackb(msgpack.packb(m)) == m)",
        EXITED,
        "True\n",
    ),
    "the rules": Row(
        "from khiva_arena.games.khiva import GAME\nfrom khiva_arena.games.silk_road import GAME as b\nprint(GAME.name, b.name)",
        EXITED,
        "khiva silk_road\n",
    ),
    "the rules in C": Row(RULES_IN_C, EXITED, "khiva 12 19 14\nemira 2 0 0\nsilk_road 0 0 0\nTrue\n"),
    "calls that C must not see": Row(
        REFUSED_BY_CRULES,
        EXITED,
        "Co Co Co Co Va Ty Co Co Co Co Va Va Va Va Il Il Ty Ty Va Ty Va Va Va Va Co Ty True 0.0 0.0\n",
    ),
    "C without memory": Row(
        "import khiva_rules\nfor words in ([], None), (1,) * 9:\n"
        "    try: khiva_rules.khiva_lib_see(*words)\n    except TypeError: print('no')",
        EXITED,
        "no\nno\n",
    ),
    "calls": recursion("def f(x): deeper(); return f(x)", 980, 1_000),
    **{f"{name} in one another": recursion(code, 90, 10**6) for name, code in DEEP.items()},
    **{
        f"compiles {name}": Row(
            f"try: compile({code}, 'x', 'eval')\nexcept (RecursionError, MemoryError, SyntaxError): print('no')", EXITED, "no\n"
        )
        for name, code in SOURCES.items()
    },
    **{
        f"lists in lists, by {call}": Row(
            f"import json, msgpack, pickle\n{NESTED}try: {call}\nexcept (RecursionError, ValueError): print('no')", EXITED, "no\n"
        )
        for call in ("repr(l)", "l == [l]", "json.dumps(l)", "pickle.dumps(l)", "msgpack.packb(l)", "json.loads('[' * 10**5)")
    },
    "a million lists in a message": Row(
        "import msgpack\ntry: msgpack.unpackb(b'\\x91' * 10**6)\nexcept RecursionError: print('no')", EXITED, "no\n"
    ),
    "the memory that is left": Row(f"print(len([bytes(1 << 16) for _ in range({LEFT})]))", EXITED, f"{LEFT}\n"),
    "all memory": Row("a = []\nwhile True: a.append(bytes(10**5))", CRASHED, r"(?s)Traceback .*\nMemoryError\n"),
    "all memory, caught": Row("try: bytes(10**8)\nexcept MemoryError: print('caught')", EXITED, "caught\n"),
    "all memory, and a module": Row(
        "a = []\ntry:\n    while True: a.append(bytes(1000))\nexcept MemoryError:\n"
        "    try: import email.message\n    except MemoryError: print('caught')",
        EXITED,
        "caught\n",
    ),
    "all memory, by calls": Row(
        "import sys\nsys.setrecursionlimit(10**6)\ndef f(n): return f(n + 1)\ntry: f(0)\nexcept MemoryError: print('caught')",
        EXITED,
        "caught\n",
    ),
    "all memory, by calls, not caught": Row(
        "import sys\nsys.setrecursionlimit(10**6)\ndef f(n): return f(n + 1)\nf(0)",
        CRASHED,
        r"(?s)Traceback .*  \[Previous line repeated 997 more times\]\nMemoryError\n",
    ),
    "objects that are finalised": Row(
        "class A:\n    def __del__(self): print('gone')\na = A(); a.a = a; del a\nimport gc; gc.collect()", EXITED, "gone\n"
    ),
    "callers of methods that are finalised": Row(
        "import gc, operator\na = [operator.methodcaller('x', 1)]\na.append(a); del a\nprint(gc.collect() > 0)", EXITED, "True\n"
    ),
    "a trace function": Row(
        "import sys\nsys.settrace(lambda *words: print(words[1]))\ndef f(): pass\nf()", EXITED, "(?s)call\n.*"
    ),
    "a pickle that lies": Row(
        "import pickle\ntry: pickle.loads(b'cposix\\nsystem\\n(S\"x\"\\ntR.')\nexcept Exception as e: print(type(e).__name__)",
        EXITED,
        r"\w+\n",
    ),
    "a MiB of source": Row("#" + "x" * (1 << 20), EXITED, ""),
    "4 MiB of source": Row("#" + "x" * (4 << 20), CRASHED, r"(?s).*MemoryError\n"),
    "a regular expression": Row("import re; re.match('(x+x+)+y', 'x' * 50)", LATE, ""),
    "a large integer": Row("n = 3\nwhile True: n *= n", LATE, ""),
    "no end": Row("while True: pass", LATE, ""),
}


BESIDE = {"empty": b"", "pkg/__init__.py": b"", "pkg/one.txt": b"one"}
"""Files that each program has beside it."""


def ran(code: str, /, *, ticks: int = 10_000_000_000, key: int = KEY, **others: str) -> Part:
    """Run a program, with other files beside it by their names without ".py", up to the answer to the hello.
    It has as many ticks as a turn has.

    What it takes to use up all memory by calls depends on how much that is: 2,700 million, and 8,850 if nothing catches
    the error.
    """
    orders = [("ask", ticks, HELLO)]
    files = {f"{name}.py": text.encode() for name, text in {"main": code, **others}.items()}
    read = payload({**files, **BESIDE}, "main.py")
    answers, notes = answers_to(orders, interpreter(WORD), key.to_bytes(8), MEMORY, read)
    return Part(interpreter(WORD), key, MEMORY, orders, answers, notes, read)


@pytest.fixture(scope="module")
def parts() -> dict[str, Part]:
    """All programs, run once."""
    return {name: ran(row.code) for name, row in ROWS.items()}


def test_an_own_module_hides_errors_only_if_the_hints_name_it() -> None:
    """Of a file in UTF-8 the interpreter needs two of them, and of one in another encoding all four."""
    latin = "# coding: latin-1\n1/0"
    for code, names in (("1/0", sys.stdlib_module_names - {"codecs", "encodings"}), (latin, NEEDED)):
        hiding = {name for name in names if interpreted.UNSHOWN.search(ran(code, **{name: "raise ValueError"}).notes.decode())}
        assert hiding == {*NEEDED} & {*names}


@pytest.mark.parametrize("name", ROWS)
def test_a_program_ends_as_it_should(name: str, parts: dict[str, Part]) -> None:
    row, part = ROWS[name], parts[name]
    ((word, _, data),) = part.answers
    assert ((word, data), part.notes.decode()) == (row.end, part.notes.decode())
    assert re.fullmatch(row.notes, part.notes.decode()), part.notes.decode()


def test_it_ends_alike_on_another_vm(parts: dict[str, Part], tmp_path: Path) -> None:
    for part, (answers, notes) in zip(parts.values(), again(parts.values(), tmp_path), strict=True):
        assert (answers, notes) == (part.answers, part.notes)


def test_chance_is_of_the_seat_and_the_order_of_sets_is_of_nobody() -> None:
    one, same, other = (ran("import random\nprint(random.random())\nprint(hash('a'), {*'abc'})", key=key) for key in (0, 0, 1))
    assert one.notes == same.notes
    (drawn, order), (drawn_otherwise, same_order) = (part.notes.splitlines() for part in (one, other))
    assert drawn != drawn_otherwise
    assert order == same_order


# --- built ---


@pytest.mark.long  # each checkout builds it once, and its hash has to be the released one: the others of these tests fail if not
def test_two_folders_give_the_same_bytes(tmp_path: Path) -> None:
    """The one that every test takes, and a copy elsewhere, which has nothing of what the first one left but the compiler."""
    assert sha256(interpreter(WORD)).hexdigest() == javascript.released(WORD)
    project = tmp_path / "interpreters"
    shutil.copytree(PROJECT, project, ignore=shutil.ignore_patterns("build"))
    shutil.copytree(ROOT / "khiva_arena", tmp_path / "khiva_arena", ignore=shutil.ignore_patterns("__pycache__"))
    for part in ("rules", "c/kit", "python/kit"):
        shutil.copytree(ROOT / "bots" / part, tmp_path / "bots" / part)
    shutil.copy(ROOT / "LICENSE", tmp_path)
    done = javascript.build(project, WORD, "--toolchain", str(javascript.BUILT.parent / "toolchain"))
    assert (done.returncode, done.stderr) == (0, "")
    assert (project / "build" / "python.wasm").read_bytes() == interpreter(WORD)


@pytest.mark.parametrize("mib", [*in_long([16]), 64])  # that of 16 MiB is what all others of these tests run
def test_each_maximum_is_the_same_module_with_another_number_of_pages(mib: int) -> None:
    row = [row for row in tomllib.loads(javascript.RELEASED.read_text())["interpreters"] if row["word"] == WORD][-1]
    made = with_memory(interpreter(WORD), mib)
    assert sha256(made).hexdigest() == row["maxima"][str(mib)]
    assert rewritten(made).wasm


def test_its_code_stays_below_the_step_at_which_calls_and_jumps_become_dearer() -> None:
    """Beyond it all programs would cost a third more. ``QUICK`` in interpreters/cpython.py says what is compiled to be small."""
    assert len(parse(interpreter(WORD)).sections[10]) <= COLD[2][0]


# --- played ---


def test_where_ticks_were_spent_is_told_by_function_of_the_bot_and_changes_none() -> None:
    interpreter(WORD)
    loaded = [bots.load(f"shipped:python/{name}").in_ticks for name in ("greedy", "naive")]
    outcomes = [
        play_one(job([staging.stage(bot, by_function=by_function) for bot in loaded], Clock.TICKS, **TIME))
        for by_function in (False, True)
    ]
    assert outcomes[0].record == outcomes[1].record
    names = [[name for _, name in seat.ending.functions] for seat in outcomes[1].seats]
    assert any(re.fullmatch(r"totals policy\.py:\d+", name) for name in names[0])
    assert any(re.fullmatch(r"read_frame khiva_kit\.py:\d+", name) for name in names[1])


def shipped_files(name: str) -> dict[str, bytes]:
    """The files of a shipped bot, and those that it includes. One that thinks by the clock has a number of playouts instead."""
    folder = BOTS / name
    named = [folder / include for include in tomllib.loads((folder / "bot.toml").read_text())["include"]]
    files = {path.name: path.read_bytes() for path in (*folder.glob("*.py"), *(path for path in named if path.is_file()))}
    for place in (path for path in named if path.is_dir()):
        files |= {path.relative_to(place.parent).as_posix(): path.read_bytes() for path in place.rglob("*.py")}
    return files | {"main.py": files["main.py"].replace(b"\nPLAYOUTS = 0\n", b"\nPLAYOUTS = 400\n")}


@pytest.mark.parametrize(
    ("game", "names"),
    [
        ("khiva", ("greedy", "naive")),
        ("khiva", ("search", "random")),
        ("khiva", ("search_deep", "greedy")),
        ("khiva", ("thinker", "greedy")),
        ("emira", ("greedy_emira", "search_emira", "random")),
        ("silk_road", ("search_silk_road", "random")),
        *in_long([("silk_road", ("greedy_silk_road", "search_silk_road", "random"))]),
    ],
)
def test_shipped_bots_choose_in_ticks_as_by_the_wall_clock(game: str, names: tuple[str, ...], tmp_path: Path) -> None:
    bots_in_ticks = [staging.stage(bots.load(str(python.payload_folder(tmp_path / name, shipped_files(name))))) for name in names]
    one = job(bots_in_ticks, Clock.TICKS, game=game, **TIME | {"turn_ms": 3_000})
    record, parts = overheard(one, {f"{number:064x}": interpreter(WORD) for number in range(len(names))})
    verify(record, one.secret)
    assert set(record.verdicts) == {Verdict.OK}
    for name, part in zip(names, parts, strict=True):
        folder = tmp_path / f"{name}-by-the-wall-clock"
        for file, data in shipped_files(name).items():
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            (folder / file).write_bytes(data)
        asked = b"".join(bytes.fromhex(data) for _, _, data in part.orders)
        done = subprocess.run([sys.executable, "main.py"], cwd=folder, input=asked, capture_output=True, timeout=300, check=True)
        assert done.stdout.hex() == "".join(data for word, _, data in part.answers if word == "answered")
