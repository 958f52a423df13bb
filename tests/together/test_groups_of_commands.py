"""The commands of the core and of all extensions, as ``khiva-arena -h`` lists them."""

import re
from pathlib import Path

from arena import arena


def test_commands_stand_in_groups(tmp_path: Path) -> None:
    text = arena("-h", cwd=tmp_path).stdout
    rows = re.findall(r"^  (Play|See|Trust|Bots|More|) +(\w+)( +)[A-Z]", text, re.MULTILINE)
    groups: dict[str, list[str]] = {}
    for heading, name, _ in rows:
        groups.setdefault(heading or list(groups)[-1], []).append(name)
    assert groups == {
        "Play": ["run", "match", "compare", "play", "league", "grade"],
        "See": ["standings", "show", "report", "watch", "plan"],
        "Trust": ["verify", "bundle", "page", "merge", "close"],
        "Bots": ["new", "check", "submit", "replay", "decode", "bots", "relay"],
        "More": ["games", "export", "init", "doctor"],
    }
    assert {len(name + gap) for _, name, gap in rows} == {11}


def test_the_test_by_bounds_stands_in_the_long_help_alone(tmp_path: Path) -> None:
    assert re.search(r"^ +sprt ", arena("--help", cwd=tmp_path).stdout, re.MULTILINE)
