"""The commands of the core and of all extensions, as ``khiva-arena -h`` lists them."""

import re
from pathlib import Path

from arena import arena


def test_commands_stand_in_groups(tmp_path: Path) -> None:
    text = arena("-h", cwd=tmp_path).stdout
    groups = re.findall(r"^(Play|See|Trust|Bots|More):\n((?:  .*\n)+)", text, re.MULTILINE)
    assert {heading: re.findall(r"^  (\w+) ", body, re.MULTILINE) for heading, body in groups} == {
        "Play": ["run", "match", "sprt", "play", "league"],
        "See": ["standings", "show", "report", "watch", "plan"],
        "Trust": ["verify", "bundle", "page", "merge", "close"],
        "Bots": ["new", "check", "submit", "replay", "decode", "bots", "relay"],
        "More": ["games", "export", "init", "doctor"],
    }
    assert {len(row) for row in re.findall(r"^  \w+ +(?=[A-Z])", "".join(body for _, body in groups), re.MULTILINE)} == {13}
