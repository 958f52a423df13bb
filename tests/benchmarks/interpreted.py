"""How long a tick lasts in bots of JavaScript and Python: programs that spend their
ticks in one thing.

The interpreter is one large module whose code is cold in places, so no program may be
dearer than protocol/METER.md says.
"""

import argparse
import json
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from javascript import HELLO, KEY, MEMORY, interpreter, payload
from modules import SeatAlone, machine

from khiva_arena.bots.modules.meter import rewritten
from khiva_arena.bots.modules.meter.prices import WORST_NANOSECONDS
from khiva_arena.bots.modules.runner import line, vm

TICKS = 3_000_000_000
MANY = (
    "const fs = []; for (let i = 0; i < 300; i++) fs.push(Function('o', `return o.p${i} + "
    "o.q${i * 7 % 300}`));"
)
JAVASCRIPT = {
    "nothing": "for (;;);",
    "properties of chance": "const o = {}; for (let i = 0; ; i++) o['k' + (i * 7919 % 5000)] = i",
    "many functions": MANY + "const o = {}; for (let i = 0; ; i++) fs[i * 7919 % 300](o)",
    "ever new functions": "for (let i = 0; ; i++) Function('a', 'return a + ' + i)(1)",
    "functions of the language": """
        const tricks = [x => x * .5, Math.floor, x => String(x).length,
          x => JSON.stringify([x]).length, x => parseInt(x + '1'),
          x => new Date(x).getTime() || 1, x => Number(BigInt(x | 0)), x => /\\d/.test(x) ? 1 : 2,
            x => new Set([x]).size,
          x => 'abc'.charCodeAt(x % 3 | 0), x => Object.keys({ x }).length,
            x => [3, x, 1].sort()[0],
          x => 'a-b'.split('-').length, x => +Number(x).toFixed(2), x => Math.hypot(x, 1),
            x => [x, x].map(y => y + 1)[0],
          x => [...'xy'].reverse().length];
        for (let x = 1, s = 1; ; x = tricks[(s >> 8) % tricks.length](x) % 1e6 || 1)
          s = (s * 1103515245 + 12345) & 0x7fffffff""",
    "a regular expression that goes back": "for (;;) /^(a+)+$/.test('aaaaaaaaaaaaaaaaaaaaaa!')",
    "large whole numbers": "let b = 3n; for (;;) b = b * b % (1n << 4000n) + 7n",
    "sorting": (
        "const a = Array.from({ length: 20000 }, (_, i) => i * 7919 % 20011); for (;;) "
        "a.slice().sort((x, y) => x - y)"
    ),
    "circles for the collector": "for (;;) { const a = {}, b = { a }; a.b = b }",
    "a map": "const m = new Map(); for (let i = 0; ; i++) m.set(i * 7919 % 50021, i)",
    "a chain of objects": """
        const all = Array.from({ length: 60000 }, () => ({}));
          all.forEach((one, i) => one.next = all[(i * 7919 + 1) % 60000]);
        for (let at = all[0]; ; ) at = at.next""",
    "addresses of chance": """
        const t = new Float64Array(1 << 20);
        for (let i = 0; ; i = (i * 1664525 + 1013904223) & 1048575) t[i] += 1""",
    "fill": "const t = new Uint8Array(4 << 20); for (;;) t.fill(7)",
    "copyWithin": "const t = new Uint8Array(4 << 20); for (;;) t.copyWithin(1, 0)",
    "JSON": (
        "const o = Array.from({ length: 300 }, (_, i) => ({ i, s: ['t' + i] })); for (;;) "
        "JSON.parse(JSON.stringify(o))"
    ),
    "strings": "for (;;) Array.from({ length: 1000 }, (_, i) => 'x' + i).join(',')",
    "exceptions": "for (;;) try { throw new Error('x') } catch {}",
    "memory to the edge": (
        "for (let a = []; ; ) try { a.push(new Uint8Array(100000)) } catch { a = [] }"
    ),
}


PYTHON = {
    "nothing": "while True: pass",
    "sums": "n = 0\nwhile True: n = (n * 1103515245 + 12345) % 2147483648",
    "attributes of chance": (
        "class A: pass\na = A(); i = 0\nwhile True: i += 1; setattr(a, f'k{i * 7919 % 5000}', i)"
    ),
    "ever new functions": "i = 0\nwhile True: i += 1; exec(f'def f(a): return a + {i}\\nf(1)')",
    "a regular expression that goes back": (
        "import re\nwhile True: re.match('(a+)+$', 'a' * 22 + '!')"
    ),
    "large whole numbers": "b = 3\nwhile True: b = (b * b + 7) % (1 << 4000)",
    "sorting": "a = [i * 7919 % 20011 for i in range(20000)]\nwhile True: sorted(a)",
    "circles for the collector": "while True:\n    a = []; a.append([a])",
    "a dict": "m = {}; i = 0\nwhile True: i += 1; m[i * 7919 % 50021] = i",
    "a chain of objects": """class A: pass
all = [A() for _ in range(20000)]
for i, one in enumerate(all): one.next = all[(i * 7919 + 1) % 20000]
at = all[0]
while True: at = at.next""",
    "addresses of chance": """t = bytearray(1 << 21); i = 0
while True: i = (i * 1664525 + 1013904223) & 2097151; t[i] = 1""",
    "copies": "t = bytearray(2 << 20)\nwhile True: t[1:] = t[:-1]",
    "searches": "t = bytes(1 << 20)\nwhile True: t.find(b'x')",
    "json": (
        "import json\no = [{'i': i, 's': ['t' + str(i)]} for i in range(300)]\nwhile True: "
        "json.loads(json.dumps(o))"
    ),
    "pickles": (
        "import pickle\no = [{'i': i, 's': [str(i)]} for i in range(300)]\nwhile True: "
        "pickle.loads(pickle.dumps(o))"
    ),
    "hashes": "import hashlib\nd = bytes(1 << 20)\nwhile True: hashlib.sha256(d).digest()",
    "strings": "while True: ','.join('x' + str(i) for i in range(1000))",
    "exceptions": "while True:\n    try: raise ValueError\n    except ValueError: pass",
    "generators": "while True: sum(x * .5 for x in range(1000))",
    "memory to the edge": (
        "a = []\nwhile True:\n    try: a.append(bytes(10**5))\n    except MemoryError: a.clear()"
    ),
}
PROGRAMS = {"javascript": ("main.js", JAVASCRIPT), "python": ("main.py", PYTHON)}


def nanoseconds(code: int, file: str, program: str) -> float:
    """The CPU time of a tick of a program, which never ends by itself. ``code``: of the
    interpreter, as the VM compiled it.
    """
    read = payload({file: program.encode()}, file)
    before = time.process_time()
    seat = SeatAlone(machine(), code, KEY.to_bytes(8), MEMORY, payload=read)
    seat.say(bytes.fromhex(HELLO))
    word, ticks, _ = seat.ask(TICKS)
    taken = time.process_time() - before
    assert word == line.TIMEOUT, (program, bytes(seat.notes))
    return taken / ticks * 1e9


if __name__ == "__main__":
    argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    ).parse_args()
    for language, (file, programs) in PROGRAMS.items():
        code = vm.compile_(machine(), rewritten(interpreter(language)).wasm)[0]
        for name, program in programs.items():
            row = {
                language: name,
                "ns a tick": round(nanoseconds(code, file, program), 3),
                "at most": WORST_NANOSECONDS,
            }
            print(json.dumps(row), flush=True)
