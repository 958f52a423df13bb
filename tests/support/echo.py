"""A small module that stands for an interpreter: it notes its payload, and chooses by
each byte of it.
"""

from pathlib import Path

from makers import maker_at

with maker_at(Path(__file__).parent.parent / "bots" / "modules" / "make_ticks.py") as _maker:
    tick_bots = _maker.tick_bots
_ALL, _LENGTH = 896, 900
"""The place of a pair of pointer and length for what was read."""
_NOTES = (
    f"i32.const {_ALL} i32.const {tick_bots.FRAME} i32.store 0 "
    f"i32.const {_LENGTH} i32.const {tick_bots.GOT} i32.load 0 i32.store 0\n"
)
_WRITES = f"i32.const 2 i32.const {_ALL} i32.const 1 i32.const {tick_bots.GOT} $fd_write drop\n"
_MIXES = f"""
i32.const {_LENGTH} i32.load 0 i32.const {tick_bots.FRAME} i32.add local.set $size
i32.const {tick_bots.FRAME} local.set $at
loop
  local.get $sum local.get $at i32.load8_u 0 i32.xor i32.const 16777619 i32.mul local.set $sum
  local.get $at i32.const 1 i32.add local.tee $at local.get $size i32.lt_u br_if 0
end
"""
ECHO = tick_bots.bot(at_the_start=tick_bots.READS + _NOTES + _WRITES + _MIXES)
"""The module; a payload of up to 32 KiB is noted and counts whole."""
FAILS = tick_bots.bot(at_the_start=tick_bots.READS + _NOTES + _WRITES + "i32.const 1 $proc_exit\n")
"""Another one, which notes its payload as well, and exits with code 1."""
