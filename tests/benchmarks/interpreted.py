"""How long a tick lasts in bots of JavaScript, a part of ``make meter``: programs that spend their ticks in one thing each.

The interpreter is one large module whose code is cold in places, so no program may be dearer than protocol/METER.md says.
"""

import json
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from javascript import HELLO, KEY, MEMORY, interpreter, payload
from modules import answers_to

from khiva_arena.modules.meter.prices import WORST_NANOSECONDS

TICKS = 3_000_000_000
MANY = "const fs = []; for (let i = 0; i < 300; i++) fs.push(Function('o', `return o.p${i} + o.q${i * 7 % 300}`));"
PROGRAMS = {
    "nothing": "for (;;);",
    "properties of chance": "const o = {}; for (let i = 0; ; i++) o['k' + (i * 7919 % 5000)] = i",
    "many functions": MANY + "const o = {}; for (let i = 0; ; i++) fs[i * 7919 % 300](o)",
    "ever new functions": "for (let i = 0; ; i++) Function('a', 'return a + ' + i)(1)",
    "functions of the language": """
        const tricks = [x => x * .5, Math.floor, x => String(x).length, x => JSON.stringify([x]).length, x => parseInt(x + '1'),
          x => new Date(x).getTime() || 1, x => Number(BigInt(x | 0)), x => /\\d/.test(x) ? 1 : 2, x => new Set([x]).size,
          x => 'abc'.charCodeAt(x % 3 | 0), x => Object.keys({ x }).length, x => [3, x, 1].sort()[0],
          x => 'a-b'.split('-').length, x => +Number(x).toFixed(2), x => Math.hypot(x, 1), x => [x, x].map(y => y + 1)[0],
          x => [...'xy'].reverse().length];
        for (let x = 1, s = 1; ; x = tricks[(s >> 8) % tricks.length](x) % 1e6 || 1) s = (s * 1103515245 + 12345) & 0x7fffffff""",
    "a regular expression that goes back": "for (;;) /^(a+)+$/.test('aaaaaaaaaaaaaaaaaaaaaa!')",
    "large whole numbers": "let b = 3n; for (;;) b = b * b % (1n << 4000n) + 7n",
    "sorting": "const a = Array.from({ length: 20000 }, (_, i) => i * 7919 % 20011); for (;;) a.slice().sort((x, y) => x - y)",
    "circles for the collector": "for (;;) { const a = {}, b = { a }; a.b = b }",
    "a map": "const m = new Map(); for (let i = 0; ; i++) m.set(i * 7919 % 50021, i)",
    "a chain of objects": """
        const all = Array.from({ length: 60000 }, () => ({})); all.forEach((one, i) => one.next = all[(i * 7919 + 1) % 60000]);
        for (let at = all[0]; ; ) at = at.next""",
    "addresses of chance": """
        const t = new Float64Array(1 << 20); for (let i = 0; ; i = (i * 1664525 + 1013904223) & 1048575) t[i] += 1""",
    "fill": "const t = new Uint8Array(4 << 20); for (;;) t.fill(7)",
    "copyWithin": "const t = new Uint8Array(4 << 20); for (;;) t.copyWithin(1, 0)",
    "JSON": "const o = Array.from({ length: 300 }, (_, i) => ({ i, s: ['t' + i] })); for (;;) JSON.parse(JSON.stringify(o))",
    "strings": "for (;;) Array.from({ length: 1000 }, (_, i) => 'x' + i).join(',')",
    "exceptions": "for (;;) try { throw new Error('x') } catch {}",
    "memory to the edge": "for (let a = []; ; ) try { a.push(new Uint8Array(100000)) } catch { a = [] }",
}


def nanoseconds(code: str) -> float:
    """The CPU time of a tick of a program, which never ends by itself."""
    before = time.process_time()
    answers, _ = answers_to([("ask", TICKS, HELLO)], interpreter(), KEY.to_bytes(8), MEMORY, payload({"main.js": code.encode()}))
    word, ticks, _ = answers[-1]
    assert word == "timeout", (code, answers)
    return (time.process_time() - before) / ticks * 1e9


if __name__ == "__main__":
    nanoseconds(PROGRAMS["nothing"])  # compiles the interpreter
    for name, code in PROGRAMS.items():
        print(json.dumps({"javascript": name, "ns a tick": round(nanoseconds(code), 3), "at most": WORST_NANOSECONDS}))
