"""docs/another-language.md: its bot, written as the page shows it, keeps the protocol,
and its decoder reads the vectors.
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from arena import ROOT, arena

pytestmark = pytest.mark.slow

PAGE = (ROOT / "docs" / "another-language.md").read_text()
FILES = dict(
    re.findall(r"^<!-- file: (\S+) -->\n```\w+\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
)


@pytest.fixture
def written(tmp_path: Path) -> Path:
    """The folder of a reader who has made each file of the page."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_the_bot_of_the_page_passes_a_check(written: Path) -> None:
    arena("check", "--quick", "ported", cwd=written)


def test_the_bot_of_the_page_has_no_package_and_about_fifty_lines() -> None:
    code = FILES["ported/main.py"]
    assert re.findall(r"^(?:import|from) .*", code, re.MULTILINE) == ["import sys"]
    assert len([line for line in code.splitlines() if line]) == pytest.approx(50, abs=3)


def test_its_decoder_reads_every_frame_of_the_vectors(written: Path) -> None:
    done = subprocess.run(
        [sys.executable, "vectors.py"], cwd=written, capture_output=True, text=True, check=True
    )
    assert f"```text\n{done.stdout}```" in PAGE
