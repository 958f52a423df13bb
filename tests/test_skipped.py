"""A tool that is missing skips a test and is named at the end of the run; where all
tools are installed the test fails.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from arena import ROOT

pytestmark = pytest.mark.slow

TESTS = """from tools import lacks
def test_a(): lacks("isolation: no level; none works", install="apt install bubblewrap")
def test_b(): lacks("isolation: not this level", install="apt install bubblewrap")
def test_c(): lacks("zsh: it is not on this machine", install="apt install zsh")
def test_d(): lacks("this kernel has nothing of it", may=True)
"""


def run(folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run these tests with this project's conftest, in a session of their own."""
    (folder / "test_it.py").write_text(TESTS)
    words = ["-q", "-p", "no:cacheprovider", "--rootdir", str(folder), str(folder / "test_it.py")]
    code = (
        f"import sys; sys.path[:0] = {[str(ROOT / 'tests'), str(ROOT / 'tests' / 'support')]!r}\n"
        f"import pytest, conftest; sys.exit(pytest.main({words!r}, plugins=[conftest]))\n"
    )
    ours = {name: value for name, value in os.environ.items() if name not in ("CI", "KHIVA_TESTS")}
    return subprocess.run(
        [sys.executable, "-c", code],
        env=ours | variables,
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("variables", [{}, {"CI": "true"}], ids=["by hand", "at a hosting service"])
def test_the_last_lines_say_how_many_were_skipped_and_what_to_install(
    variables: dict[str, str], tmp_path: Path
) -> None:
    done = run(tmp_path, **variables)
    assert done.returncode == 0, done.stdout
    assert done.stdout.splitlines()[-3:-1] == [
        "2 tests of isolation skipped; apt install bubblewrap",
        "1 test of zsh skipped; apt install zsh",
    ]


def test_where_all_tools_are_a_missing_one_is_a_failure(tmp_path: Path) -> None:
    done = run(tmp_path, KHIVA_TESTS="full")
    assert done.returncode == pytest.ExitCode.TESTS_FAILED
    assert "3 failed, 1 skipped" in done.stdout
