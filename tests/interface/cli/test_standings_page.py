"""The first example of docs/standings.md, typed: it prints the table that the page explains."""

import re
import shlex
from pathlib import Path

import pytest
from arena import ROOT, arena

from khiva_arena.bots.sandbox.detect import best
from khiva_arena.bots.sandbox.level import Level

pytestmark = pytest.mark.soak


def test_the_commands_of_the_page_print_its_table(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "standings.md").read_text("utf-8")
    typed, shown = re.findall(r"^```(?:sh)?\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)[:2]
    for command in typed.replace("\\\n", "").splitlines():
        name, *words = shlex.split(command)
        assert name == "khiva-arena"
        printed = arena(*words, cwd=tmp_path).stdout
    table, last = shown.split("...\n")
    if best() is Level.STANDARD:
        assert printed.startswith(table)
        assert f"\n{last}" in printed
    rows = [line.split() for line in printed.splitlines()]
    assert [len(line.split()) for line in table.splitlines()[1:]] == [len(row) for row in rows[1:5]]
