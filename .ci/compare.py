"""Say which tests were skipped on a bare machine and did not run where all tools are:
``python3 .ci/compare.py BARE FULL``.

Both files are what tests/conftest.py keeps of a run: the ids that ran, and each that
was skipped with the reason. A test that the full machine skips, too, counts as run only
if it says that such a machine may lack this: there, any other missing tool is a
failure. Exit code 1 if a test did not run.
"""

import json
import sys
from pathlib import Path

bare, full = (json.loads(Path(name).read_text()) for name in sys.argv[1:])
allowed = {name for name, reason in full["skipped"].items() if "NOT TESTED: " in reason}
missing = sorted(set(bare["skipped"]) - set(full["ran"]) - allowed)
print(*missing, sep="\n", end="\n" if missing else "")
print(
    f"{len(bare['skipped'])} tests were skipped on the bare machine; {len(missing)} of "
    "them did not run here",
    file=sys.stderr,
)
if missing:
    print(
        "have each use a fixture of tests/support/levels.py or tools.py, whose mark this "
        "run chooses",
        file=sys.stderr,
    )
sys.exit(1 if missing else 0)
