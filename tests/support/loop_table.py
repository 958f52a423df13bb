"""The table "The loop" of an AGENTS.md: its commands, their exit codes, and the keys of
what they print.
"""

import re
from typing import NamedTuple

from khiva_arena.common import exit_codes


class LoopRow(NamedTuple):
    """A row of the table.

    words: of the command, without ``khiva-arena``.
    codes: the exit codes that it names.
    keys: the keys that it names, each with those inside of it.
    """

    words: list[str]
    codes: set[int]
    keys: dict[str, list[str]]


def loop_of(text: str) -> list[LoopRow]:
    """Return the rows of the table of an AGENTS.md."""
    table = text.partition("\n## The loop\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `khiva-arena (.+?)` \| (.+?) \| (.+?) \|", table, re.MULTILINE)
    return [
        LoopRow(words.split(), set(map(int, re.findall(r"\b\d+\b", codes))), _keys(keys))
        for words, codes, keys in rows
    ]


def _keys(cell: str) -> dict[str, list[str]]:
    found = re.findall(r"`(\w+)`(?: \(([^)]*)\))?", cell)
    return {key: re.findall(r"`(\w+)`", inner) for key, inner in found}


def told_codes(row: LoopRow) -> tuple[set[int], set[int]]:
    """Return the codes of a row that its command never ends with, and those that only
    this command has and the row leaves out.
    """
    able = list(exit_codes.rows_of(row.words[0]))
    own = {one.code for one in able if one.commands}
    return row.codes - {one.code for one in able}, own - row.codes
