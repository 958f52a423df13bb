"""A run of the tests that leaves a process behind fails, names the process and ends
it.
"""

import subprocess
import sys
from pathlib import Path

import pytest
from arena import ROOT, until_gone

SLEEPS = [sys.executable, "-S", "-c", "import time; time.sleep(600)"]


@pytest.mark.slow
def test_a_run_that_leaves_a_process_fails_and_ends_it(tmp_path: Path) -> None:
    """The whole way: a session of pytest with this project's conftest, whose only test
    passes.
    """
    leaves = (
        f"from subprocess import Popen\ndef test_it():\n    print('pid', Popen({SLEEPS}, "
        "start_new_session=True).pid)\n"
    )
    (tmp_path / "test_leaves.py").write_text(leaves)
    words = [
        "-q",
        "-rP",
        "-p",
        "no:cacheprovider",
        "--rootdir",
        str(tmp_path),
        str(tmp_path / "test_leaves.py"),
    ]
    code = (
        f"import sys; sys.path[:0] = {[str(ROOT / 'tests'), str(ROOT / 'tests' / 'support')]!r}\n"
        "import pytest, conftest, left_behind\n"
        "left_behind.SECONDS = 0.0\n"
        f"sys.exit(pytest.main({words!r}, plugins=[conftest]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert "1 passed" in done.stdout, done.stdout + done.stderr
    assert f"FAILED a test has left a process: {' '.join(SLEEPS)[:60]}" in done.stdout
    assert done.returncode == pytest.ExitCode.TESTS_FAILED
    pid = int(done.stdout.partition("pid ")[2].split()[0])
    assert until_gone({pid})
