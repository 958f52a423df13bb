"""Bots of protocol/vectors/ticks.json: a small module written by hand, honest but for
the misdeeds at some of its decisions.

A bot mixes every byte that it reads, and random numbers of its own, into a sum. The sum
chooses among the legal choices, and says how long the bot works. So both its choices
and its ticks depend on each byte of each frame.
"""

import re
import struct
from collections.abc import Mapping
from pathlib import Path

from golden import framed, packed
from wasm import Function, Made, assemble, sized, vector

IMPORTS = ("fd_read", "fd_write", "proc_exit", "random_get")
START, RECURSION = len(IMPORTS), len(IMPORTS) + 1
LOCALS = ("size", "at", "word", "legal", "sum", "work", "choice", "asked")
GOT, LOT, INPUT, HELLO, ACT, TEXT, NOTE = range(0, 56, 8)
"""Places in memory: of the bytes that were read, of a random number, and of pairs of
pointer and length.
"""
READS = f"i32.const 3 i32.const {INPUT} i32.const 1 i32.const {GOT} $fd_read drop\n"
"""The code that reads a payload to where a frame is read, for the start of a bot that
has one.
"""
FRAME, ROOM = 1_024, 32_768
"""Where a frame is read, and the bytes for it."""
SAID = {
    HELLO: packed({"type": "hello", "proto": 1, "name": "tick-bot"}),
    ACT: framed(b"\x83\xa4type\xa3act\xa3req\xce" + bytes(4) + b"\xa6choice\xcd" + bytes(2)),
    TEXT: b"I play 3\n",
    NOTE: b"no idea\n",
}
"""What is written, by the place of its pair. Both numbers of an act are filled in."""
WIDTH = 64
"""Bytes between the beginnings of two texts, of which the first lies at ``WIDTH``."""
REQ, CHOICE = 2 * WIDTH + SAID[ACT].index(0xCE) + 1, 2 * WIDTH + len(SAID[ACT]) - 2
REQ_WORD, LEGAL_WORD = (int.from_bytes(key, "little") for key in (b"\xa3req", b"\xa5leg"))
"""The keys that a bot looks for, as it loads their first four bytes."""
HELLO_FIELDS, DECIDE_FIELDS = 0x8C, 0x88
"""The first bytes of the two messages that are answered: a map of 12 fields, and one of
8.
"""
_NONE: Mapping[int, str] = {}


def _write(place: int, to: int = 1) -> str:
    return f"i32.const {to} i32.const {place} i32.const 1 i32.const {GOT} $fd_write drop\n"


def works(rounds: int) -> str:
    """Return the code that works for so many rounds, of five ticks each."""
    return (
        f"i32.const {rounds} local.set $work loop local.get $work i32.const 1 i32.sub "
        "local.tee $work br_if 0 end\n"
    )


CHOOSES_WRONGLY = f"i32.const {CHOICE} i32.const -1 i32.store16 0\n"
WORKS_FOR_EVER = "loop br 0 end\n"
TRAPS = "i32.const 1 i32.const 0 i32.div_u drop\n"
EXITS = _write(NOTE, to=2) + "i32.const 3 $proc_exit\n"
RECURSES = "$recursion\n"
PRINTS = _write(TEXT)
FLOODS = (
    f"i32.const 18 local.set $work loop {_write(ACT)} local.get $work i32.const 1 i32.sub "
    "local.tee $work br_if 0 end\n"
)

CODE = f"""
loop
  i32.const 0 i32.const {INPUT} i32.const 1 i32.const {GOT} $fd_read drop
  i32.const {GOT} i32.load 0 local.tee $size i32.eqz if {{at_the_end}} return end
  i32.const {FRAME} local.set $at
  loop
    local.get $at i32.load 0 local.tee $word i32.const {REQ_WORD} i32.eq
    if i32.const {REQ} local.get $at i32.load 5 i32.store 0 end
    local.get $word i32.const {LEGAL_WORD} i32.eq
    if
      local.get $at i32.load8_u 6 i32.const 0xdc i32.eq
      if local.get $at i32.load8_u 7 i32.const 8 i32.shl local.get $at i32.load8_u 8 i32.or
        local.set $legal
      else local.get $at i32.load8_u 6 i32.const 15 i32.and local.set $legal end
    end
    local.get $sum local.get $at i32.load8_u 0 i32.xor i32.const 16777619 i32.mul local.set $sum
    local.get $at i32.const 1 i32.add local.tee $at local.get $size i32.const {FRAME} i32.add
      i32.lt_u br_if 0
  end
  local.get $sum i32.const 22 i32.shr_u i32.const 1 i32.add local.set $work
  loop local.get $work i32.const 1 i32.sub local.tee $work br_if 0 end
  i32.const {FRAME + 4} i32.load8_u 0 i32.const {HELLO_FIELDS} i32.eq if {{at_the_start}}
    {_write(HELLO)} br 1 end
  i32.const {FRAME + 4} i32.load8_u 0 i32.const {DECIDE_FIELDS} i32.ne br_if 0
  i32.const {LOT} i32.const 4 $random_get drop
  local.get $sum i32.const {LOT} i32.load 0 i32.xor local.tee $sum local.get $legal i32.rem_u
    local.set $choice
  i32.const {CHOICE} local.get $choice i32.const 8 i32.shr_u i32.store8 0
  i32.const {CHOICE} local.get $choice i32.store8 1
  local.get $asked i32.const 1 i32.add local.set $asked
  {{misdeeds}}
  {_write(ACT)}
  br 0
end
"""


def bot(
    decisions: Mapping[int, str] = _NONE,
    *,
    at_the_start: str = "",
    at_the_end: str = "",
    recursion: Function | None = None,
    memory: bytes = b"\1\1\1",
) -> bytes:
    """Return the module of a bot.

    decisions: code that runs before the answer to a decision, by its number from 1
    at_the_start: code that runs before its hello
    at_the_end: code that runs when its input has ended
    recursion: what ``RECURSES`` calls, and what calls itself without an end
    memory: the entry of its memory section
    """
    misdeeds = [
        f"local.get $asked i32.const {number} i32.eq if {code} end"
        for number, code in decisions.items()
    ]
    code = CODE.format(
        at_the_start=at_the_start, at_the_end=at_the_end, misdeeds="\n".join(misdeeds)
    )
    functions = [
        Function(_numbered(code), locals=" ".join(["i32"] * len(LOCALS))),
        recursion or Function(_numbered("$recursion")),
    ]
    return bytes(Made(functions, imports=IMPORTS, memory=memory, sections={11: _data()}))


def write_bot(place: Path, payload: bytes = b"", rounds: int = 1) -> str:
    """Write a bot that is a module into a new folder, and return its place. ``rounds``:
    of work, by which modules differ.
    """
    place.mkdir(parents=True)
    has = 'payload = "payload.bin"\n' if payload else ""
    (place / "bot.toml").write_text(f'name = "{place.name}"\nmodule = "bot.wasm"\n{has}')
    (place / "bot.wasm").write_bytes(bot(at_the_start=READS * bool(payload) + works(rounds)))
    if payload:
        (place / "payload.bin").write_bytes(payload)
    return str(place)


def _numbered(code: str) -> str:
    calls = {
        name: f"call {number}" for number, name in enumerate((*IMPORTS, "_start", "recursion"))
    }
    numbers = {name: str(number) for number, name in enumerate(LOCALS)}
    return re.sub(r"\$(\w+)", lambda name: (calls | numbers)[name[1]], code)


def _data() -> bytes:
    """Return the data section: each text, and the pairs."""
    texts = {WIDTH * number: text for number, text in enumerate(SAID.values(), 1)}
    pairs = [(FRAME, ROOM), *((at, len(text)) for at, text in texts.items())]
    pieces = {INPUT: b"".join(struct.pack("<II", *pair) for pair in pairs), **texts}
    return vector(
        [
            b"\0" + assemble(f"i32.const {at}") + b"\x0b" + sized(piece)
            for at, piece in pieces.items()
        ]
    )
