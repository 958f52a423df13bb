"""The text of a new settings file: every setting with its meaning and its default, or
an example behind "#".
"""

import json
import textwrap
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from khiva_arena.common.setting_row import TABLES, Setting
from khiva_arena.competition.settings.table import TABLE

WIDTH = 130
HEAD = """\
# A tournament for Khiva Arena. Play it with `khiva-arena run` and the name of this file; the same \
command again resumes it.
# Each setting has its explanation above it. One that begins with # and no space is not set: its \
value is an example.
# Files and folders are relative to this one. Flags, such as --seeds 50, win over this file.
"""
STAGES = (
    "Events one after another. Without any [[stage]] there is one event, with the settings above. "
    "Each [[stage]] may have a {} of its own, and takes the rest from above. `name` is for people; "
    "`take` is how many of the best of the stage before play in it, without it all. Take the # "
    "away before these lines for a round-robin whose two best meet in a final:"
)
EXAMPLE_STAGES = """
#[[stage]]
#name = "league"
#format = "round-robin"

#[[stage]]
#name = "final"
#format = "knockout"
#take = 2
#seats = 2
#seeds = 20
"""


def settings_text(
    values: Mapping[str, Any], notes: Mapping[str, str] = MappingProxyType({})
) -> str:
    """Return the text of a settings file.

    values: values in place of defaults, by setting.
    notes: words to add to the explanation, by setting.
    """
    of_a_stage = [row.name for row in TABLE if row.of_a_stage]
    stages = STAGES.format(f"{', '.join(of_a_stage[:-1])} and {of_a_stage[-1]}")
    in_order = sorted(
        TABLE, key=lambda row: row.kind in TABLES
    )  # what stands behind [rules] is part of it
    blocks = [block(row, values.get(row.name), notes.get(row.name, "")) for row in in_order]
    return "\n".join([HEAD, *blocks, comment(stages) + EXAMPLE_STAGES.removeprefix("\n")])


def block(row: Setting, choice: object, note: str = "") -> str:
    """Return the lines of one setting. ``note``: words for the end of its
    explanation.
    """
    value = row.default if choice is None else choice
    if row.kind in TABLES:
        lines = [f"[{row.name}]", *(f"#{key} = {_toml(each)}" for key, each in row.example.items())]
    else:
        lines = [
            f"#{row.name} = {_toml(row.example)}"
            if value in (None, ())
            else f"{row.name} = {_toml(value)}"
        ]
    word = (
        f" In this file it also needs {row.option}, or your consent, which is asked for once."
        if row.opens
        else ""
    )
    return comment(row.help + word + (note and f" {note}")) + "".join(f"{line}\n" for line in lines)


def comment(text: str) -> str:
    lines = textwrap.wrap(text, WIDTH - len("# "), break_long_words=False, break_on_hyphens=False)
    return "".join(f"# {line}\n" for line in lines)


def _toml(value: Any) -> str:
    """Return a value as TOML, which writes texts, numbers, switches and lists of them
    as JSON does.
    """
    return json.dumps(value, ensure_ascii=False)
