"""A bot that misbehaves in one way at one decision, and is honest otherwise: main.py ROW [AT [MARK]].

AT is the decision, from 1. MARK is any word: what this bot leaves behind carries it, and can be found by it. Without a row
the table of rows is printed. Wherever an attack might succeed it is one that does no harm: signal 0, a limit that is set to
what it is, a bomb that ends by itself.
"""

import errno
import os
import sys
from contextlib import suppress

import rows_frames
import rows_limits
import rows_powers
import rows_processes
import rows_reach
import rows_talk
from talk import ROWS, Bot, Row, say

PARTS = (rows_talk, rows_frames, rows_processes, rows_limits, rows_reach, rows_powers)


def main(words: list[str]) -> None:
    """Play one match."""
    if not words:
        with suppress(BrokenPipeError):  # whoever reads may have seen enough
            print("\n".join(f"{name:24} {row.when:6} {row.do.__doc__}" for name, row in ROWS.items()), flush=True)
        os._exit(0)
    if words[0] not in ROWS:
        sys.exit(f"there is no row {words[0]!r}; without a word the table is printed")
    play(words[0], ROWS[words[0]], int(words[1]) if len(words) > 1 else 1)


def play(name: str, row: Row, at: int) -> None:
    """The conversation, with the row's misbehaviour in its place."""
    bot = Bot()
    greeted = row.when == "start" and row.do(bot)
    bot.hello = bot.read() or {}
    if not greeted:
        bot.greet()
    decisions = 0
    while message := bot.read():
        kind = message["type"]
        decisions += kind == "decide"
        if kind == "decide" and decisions == at and row.when == "probe":
            probe(name, row)
        if kind == "decide" and decisions == at and row.when == "turn":
            row.do(bot, message)
        elif kind == "decide":
            bot.answer(message)
        elif kind == row.when:
            row.do(bot, message)


def probe(name: str, row: Row) -> None:
    """Try an attack and tell how it went."""
    try:
        say(f"{name} REACHED: {row.do()}")
    except OSError as error:
        say(f"{name} blocked: {errno.errorcode.get(error.errno or 0, str(error))}")


if __name__ == "__main__":
    main(sys.argv[1:])
