"""The blocks of protocol/verifier/README.md are run, and print what the page shows."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from arena import ROOT
from tools import need

pytestmark = [pytest.mark.language, pytest.mark.slow]

FOLDER = ROOT / "protocol" / "verifier"
BLOCKS = dict(
    re.findall(
        r"^```(\w+)\n(.*?)^```$",
        (FOLDER / "README.md").read_text("utf-8"),
        re.MULTILINE | re.DOTALL,
    )
)


def test_the_command_prints_what_the_page_shows() -> None:
    need("node")
    done = subprocess.run(
        ["sh", "-ec", BLOCKS["sh"]],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=600,
        check=True,
    )
    assert done.stdout == BLOCKS["text"]


def test_the_program_of_the_page_plays_a_seat(tmp_path: Path) -> None:
    """With the module, the key and the frame of a vector, whose first answer it
    prints.
    """
    need("node")
    row = json.loads((ROOT / "protocol" / "vectors" / "runner.json").read_text())["rows"][0]
    for path in (*FOLDER.glob("*.js"), FOLDER / "package.json"):
        shutil.copy(path, tmp_path)
    given = {"bytes": row["module"], "key": row["key"], "frame": row["orders"][0]["bytes"]}
    lines = [
        f'const {name} = Uint8Array.from(Buffer.from("{value}", "hex"));'
        for name, value in given.items()
    ]
    (tmp_path / "page.js").write_text("\n".join([*lines, BLOCKS["js"]]))
    done = subprocess.run(
        ["node", "page.js"], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=True
    )
    first = row["orders"][0]
    assert done.stdout.startswith(f"{first['word']} {first['used']} Uint8Array")
