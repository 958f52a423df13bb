"""Programs in Python with what the interpreter shall do with each."""

import re
from typing import NamedTuple

from arena import ROOT

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
    """A program whose last line on stderr says what is not available."""
    return Row(
        code,
        CRASHED,
        rf"(?s)Traceback .*  File \"main\.py\", line \d+, in <module>\n.*\n{hint}: {PAGE}\n",
    )


def no_module(name: str) -> Row:
    return lacks_part(f"import {name}", name)


def lacks_part(code: str, name: str) -> Row:
    return missing(code, f"{name} is not available in ticks")


def recursion(code: str, least: int, limit: int) -> Row:
    """A program whose function ``f`` calls itself too deep, and counts in ``d``: that
    is an error to be caught.
    """
    lines = [
        "import sys, functools",
        f"sys.setrecursionlimit({limit})",
        "d = 0",
        "def deeper():",
        "    global d",
        "    d += 1",
    ]
    lines += [code, "try:", "    f(0)", "except RecursionError:", f"    print(d > {least} or d)"]
    return Row("\n".join(lines), EXITED, "True\n")


DEEP = {
    "calls of lru_cache": "@functools.lru_cache(None)\ndef f(x): deeper(); return f(x + 1)",
    "constructors": "class A:\n    def __init__(self): deeper(); A()\ndef f(x): A()",
    "keys of sorted": "def f(x): deeper(); return sorted([1, 2], key=f)",
    "generators": "def f(x): deeper(); return sum(f(x) for _ in range(1))",
    "map": "def f(x): deeper(); return list(map(f, [1]))",
    "comparisons": (
        "class A:\n    def __eq__(self, other): deeper(); return A() == A()\ndef f(x): A() == A()"
    ),
    "attributes": (
        "class A:\n    def __getattr__(self, name): deeper(); return getattr(A(), name + "
        "'x')\ndef f(x): A().y"
    ),
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
            assert bytes(view) == two.see(seat) == view.world(chance).see(seat)
            assert bytes(view) == bytes(rules.view(two.see(seat)))
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
"""Matches of each game by the engine and by C side by side, and all that a seat
sees.
"""


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
print(new.see(0) == before, new.attempt(habits, 0, 10**6, 99, stream),
    new.attempt(habits, 0, -1, -5, stream))
"""
"""Calls that C must not see, each said by the first letters of what it raises. Then
nothing has changed, and what a seat cannot choose is worth nothing.
"""


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
"""What of the standard library cannot be imported, but for what its modules keep for
themselves. ``this`` would print a poem.
"""


NOT_THERE = " ".join(
    re.search(r"These modules are missing: (.*?)\.", DOCS.read_text(), re.DOTALL)[1].split()
)
"""The same, as the page names it."""


PARTS_NOT_THERE = " ".join(
    re.search(r"parts of packages are missing: (.*?)\.\s", DOCS.read_text(), re.DOTALL)[1].split()
)


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
"""Every fourth of the modules that are inside: memory does not hold all of them at a
time.
"""


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


NO_FILES = (
    "a bot in ticks reads its own files, writes none, and has no others, no sockets and no "
    "processes"
)


NESTED = "l = []\nfor _ in range(20_000): l = [l]\n"


ROWS = {
    "prints": Row(
        "import sys\nprint('a', 1, [2]); print('b', file=sys.stderr)", EXITED, r"a 1 \[2\]\nb\n"
    ),
    "raises": Row(
        "def choose(a):\n    raise ValueError('no such card')\nchoose(1)",
        CRASHED,
        re.escape(
            'Traceback (most recent call last):\n  File "main.py", line 3, in <module>\n   '
            " choose(1)\n"
            '  File "main.py", line 2, in choose\n    raise ValueError(\'no such '
            "card')\nValueError: no such card\n"
        ),
    ),
    "is no Python": Row(
        "a = 1\nb = = 2",
        CRASHED,
        r'  File "main\.py", line 2\n    b = = 2\n +\^\nSyntaxError: invalid syntax\n',
    ),
    "exits": Row("import sys; sys.exit('enough')", CRASHED, "enough\n"),
    "exits with a number": Row("import sys; sys.exit(7)", ("exited", "00000007"), ""),
    "at exit": Row("import atexit; atexit.register(print, 'bye')", EXITED, "bye\n"),
    "numpy": no_module("numpy"),
    "socket": no_module("socket"),
    "subprocess": no_module("subprocess"),
    "ctypes": no_module("ctypes"),
    "can ask for what is missing": Row(
        "try: import numpy\nexcept ImportError: print('without')", EXITED, "without\n"
    ),
    "a part of a package": no_module("urllib.request"),
    "a part of a package, by from": lacks_part("from logging import handlers", "logging.handlers"),
    "a part of a package, by a dot": lacks_part(
        "import urllib\nurllib.request.urlopen", "urllib.request"
    ),
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
        "for code in 'import pkg.no', 'from pkg import no', 'import pkg; pkg.no', "
        "'math.no', 'from math import no', 'os.no':\n"
        "    try: exec(code)\n"
        "    except Exception as error: last = error\n"
        "    import _khiva_boot; print(_khiva_boot._missing(last) == '')",
        EXITED,
        "(True\n){6}",
    ),
    "threads": missing(
        "import threading; threading.Thread(target=print).start()",
        "threads are not available in ticks",
    ),
    "its own file": Row(
        "from pathlib import Path\nprint(len(open(__file__).read()), "
        "Path(__file__).read_bytes()[:4])",
        EXITED,
        r"91 b'from'\n",
    ),
    "another file": Row(
        "try: open('/etc/passwd')\nexcept FileNotFoundError as e: print(e.errno)", EXITED, "44\n"
    ),
    "its own folder": Row(
        "import os, glob, pathlib\nprint(os.listdir(), os.listdir('pkg'), "
        "os.path.exists('main.py'), os.path.exists('no'))\n"
        "here = pathlib.Path(__file__).parent\n"
        "print(*here.rglob('*.txt'), *here.glob('*.py'), glob.glob('*/*.txt'), (here / "
        "'pkg').is_dir())\n"
        "print([(place, *names) for place, _, names in os.walk('.')], "
        "os.path.getsize('pkg/one.txt'), not open('empty').read())",
        EXITED,
        re.escape(
            "['empty', 'main.py', 'pkg'] ['__init__.py', 'one.txt'] True False\n"
            "pkg/one.txt main.py ['pkg/one.txt'] True\n"
            "[('.', 'empty', 'main.py'), ('./pkg', '__init__.py', 'one.txt')] 3 True\n"
        ),
    ),
    "files of a package": Row(
        "import importlib.resources, pkgutil\n"
        "print(importlib.resources.files('pkg').joinpath('one.txt').read_text(), "
        "pkgutil.get_data('pkg', 'one.txt'))",
        EXITED,
        "one b'one'\n",
    ),
    "what is no file": Row(
        "import os\nfor code in ('open(\"pkg\")', 'os.listdir(\"main.py\")', "
        "'os.listdir(\"/etc\")', 'os.open(\"empty\", 0)'):\n"
        "    try: eval(code)\n    except OSError as error: print(error.strerror)",
        EXITED,
        "Is a directory\nNot a directory\nNo such file or directory\nFunction not implemented\n",
    ),
    "what would write": Row(
        "import os, pathlib\n"
        "for name, *words in ('mkdir', 'x'), ('makedirs', 'x/y'), ('rename', 'empty', "
        "'x'), ('unlink', 'empty'),"
        " ('chmod', 'empty', 0), ('open', 'x', os.O_CREAT), ('mkdir', 'pkg'), ('remove', 'x'):\n"
        "    try: getattr(os, name)(*words)\n    except OSError as error: print(error.strerror)\n"
        "os.makedirs('pkg', exist_ok=True)",
        EXITED,
        "(Read-only file system\n){6}File exists\nNo such file or directory\n",
    ),
    "clock": Row(
        "import time; print(0 < time.perf_counter() < 1, time.time() < 1)", EXITED, "True True\n"
    ),
    "the library": Row(WITHOUT, EXITED, f"{NOT_THERE}\n"),
    "parts of its packages": Row(
        "import _khiva_data; print(*_khiva_data.MISSING)", EXITED, f"{PARTS_NOT_THERE}\n"
    ),
    **{
        f"all that is there, {part}": Row(ALL.replace("PART", str(part)), EXITED, "True\n")
        for part in range(4)
    },
    "what bots use rarely": Row(
        WORKS,
        EXITED,
        r"(?s)b'xyz' \['b'\]\nFalse one\nb@c\n<unittest.* run=1 errors=0 "
        r"failures=0>\n.*Expected:\n    3\nGot:\n    2\n.*",
    ),
    "messages": Row(
        "import msgpack\nm = {'a': [-1, 300, None, True, 1.5, b'x', 2**63], 'b': 'é' * 40}\n"
        "print(msgpack.unpackb(msgpack.packb(m)) == m)",
        EXITED,
        "True\n",
    ),
    "the rules": Row(
        "from khiva_arena.games.khiva import GAME\nfrom khiva_arena.games.silk_road import "
        "GAME as b\nprint(GAME.name, b.name)",
        EXITED,
        "khiva silk_road\n",
    ),
    "the rules in C": Row(
        RULES_IN_C, EXITED, "khiva 12 19 14\nemira 2 0 0\nsilk_road 0 0 0\nTrue\n"
    ),
    "calls that C must not see": Row(
        REFUSED_BY_CRULES,
        EXITED,
        "Co Co Co Co Va Ty Co Co Co Co Va Va Va Va Il Il Ty Ty Va Ty Va Va Va Va Co Ty "
        "True 0.0 0.0\n",
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
            f"try: compile({code}, 'x', 'eval')\nexcept (RecursionError, MemoryError, "
            "SyntaxError): print('no')",
            EXITED,
            "no\n",
        )
        for name, code in SOURCES.items()
    },
    **{
        f"lists in lists, by {call}": Row(
            f"import json, msgpack, pickle\n{NESTED}try: {call}\nexcept (RecursionError, "
            "ValueError): print('no')",
            EXITED,
            "no\n",
        )
        for call in (
            "repr(l)",
            "l == [l]",
            "json.dumps(l)",
            "pickle.dumps(l)",
            "msgpack.packb(l)",
            "json.loads('[' * 10**5)",
        )
    },
    "a million lists in a message": Row(
        "import msgpack\ntry: msgpack.unpackb(b'\\x91' * 10**6)\nexcept RecursionError: "
        "print('no')",
        EXITED,
        "no\n",
    ),
    "the memory that is left": Row(
        f"print(len([bytes(1 << 16) for _ in range({LEFT})]))", EXITED, f"{LEFT}\n"
    ),
    "all memory": Row(
        "a = []\nwhile True: a.append(bytes(10**5))", CRASHED, r"(?s)Traceback .*\nMemoryError\n"
    ),
    "all memory, caught": Row(
        "try: bytes(10**8)\nexcept MemoryError: print('caught')", EXITED, "caught\n"
    ),
    "all memory, and a module": Row(
        "a = []\ntry:\n    while True: a.append(bytes(1000))\nexcept MemoryError:\n"
        "    try: import email.message\n    except MemoryError: print('caught')",
        EXITED,
        "caught\n",
    ),
    "all memory, by calls": Row(
        "import sys\nsys.setrecursionlimit(10**6)\ndef f(n): return f(n + 1)\ntry: "
        "f(0)\nexcept MemoryError: print('caught')",
        EXITED,
        "caught\n",
    ),
    "all memory, by calls, not caught": Row(
        "import sys\nsys.setrecursionlimit(10**6)\ndef f(n): return f(n + 1)\nf(0)",
        CRASHED,
        r"(?s)Traceback .*  \[Previous line repeated 997 more times\]\nMemoryError\n",
    ),
    "objects that are finalised": Row(
        "class A:\n    def __del__(self): print('gone')\na = A(); a.a = a; del a\nimport "
        "gc; gc.collect()",
        EXITED,
        "gone\n",
    ),
    "callers of methods that are finalised": Row(
        "import gc, operator\na = [operator.methodcaller('x', 1)]\na.append(a); del "
        "a\nprint(gc.collect() > 0)",
        EXITED,
        "True\n",
    ),
    "a trace function": Row(
        "import sys\nsys.settrace(lambda *words: print(words[1]))\ndef f(): pass\nf()",
        EXITED,
        "(?s)call\n.*",
    ),
    "a pickle that lies": Row(
        "import pickle\ntry: pickle.loads(b'cposix\\nsystem\\n(S\"x\"\\ntR.')\nexcept "
        "Exception as e: print(type(e).__name__)",
        EXITED,
        r"\w+\n",
    ),
    "a MiB of source": Row("#" + "x" * (1 << 20), EXITED, ""),
    "4 MiB of source": Row("#" + "x" * (4 << 20), CRASHED, r"(?s).*MemoryError\n"),
    "a regular expression": Row("import re; re.match('(x+x+)+y', 'x' * 50)", LATE, ""),
    "a large integer": Row("n = 3\nwhile True: n *= n", LATE, ""),
    "no end": Row("while True: pass", LATE, ""),
}
