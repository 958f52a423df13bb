"""One machine without a token that does all it can to a league's server, and a reader
on another machine meanwhile.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from flooding import FLOODS, TIMES, Used, apart
from tools import lacks, need

CPU_MOST = 2.0
"""Seconds of the server's processor time until an honest reader is answered. A busy
host can make that any time on the clock.
"""
MORE_MEMORY = 48.0
"""MiB that a server may have more after the floods: pages that its allocator keeps."""


@pytest.mark.soak
def test_one_machine_neither_stops_a_server_nor_leaves_it_busy(tmp_path: Path) -> None:
    need("unshare")
    need("ip")
    if subprocess.run(
        apart("ip", "link", "add", "one", "type", "veth", "peer", "name", "other"), check=False
    ).returncode:
        lacks("there are no network namespaces here", may=True)
    with tempfile.TemporaryFile("w+") as said:
        words = apart(
            sys.executable, str(Path(__file__).parent / "support" / "flood_trial.py"), str(tmp_path)
        )
        helpers = os.pathsep.join(path for path in sys.path if path.endswith("support"))
        done = subprocess.run(
            words, stdout=said, timeout=900, check=False, env={**os.environ, "PYTHONPATH": helpers}
        )
        said.seek(0)
        lines = [json.loads(line) for line in said]
    print(*lines, sep="\n")
    assert done.returncode == 0
    asked = [line for line in lines if "flood" in line]
    assert len(asked) == TIMES * len(FLOODS)
    assert {line["status"] for line in asked} == {"200"}
    assert max(line["cpu"] for line in asked) <= CPU_MOST
    before, after = (Used(**line["used"]) for line in lines if "used" in line)
    assert after.files <= before.files + 1  # the connection of the last honest question
    assert after.memory <= before.memory + MORE_MEMORY
    quiet_before, quiet_after = (line["quiet"] for line in lines if "quiet" in line)
    assert quiet_after <= quiet_before + 0.5
