"""Whatever is handed to the rules in C from Python, a call returns or refuses it:
fuzz_calls.py says what is tried.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tools import need
from traced_rules import FOLDERS, SANITIZERS

from khiva_arena import crules
from khiva_arena.crules import khiva
from khiva_arena.native import build

CALLS, MANY = 6_000, 100_000
NEVER_REFUSED = {
    "StateInC.clone",
    "StateInC.questions",
    "ViewInC.__bytes__",
    "StreamInC.u64",
    "QuickStreamInC.u64",
}
NEVER_REFUSED |= {"KhivaPosition.clone", "KhivaPosition.questions"}
"""Calls that take nothing."""


@pytest.mark.usefixtures("rules_in_c")
@pytest.mark.language
@pytest.mark.parametrize(
    ("calls", "optimization"),
    [(CALLS, "-O0"), pytest.param(MANY, "-O2", marks=pytest.mark.long)],
    ids=["few", "many"],
)
def test_every_public_call_under_sanitizers(calls: int, optimization: str, tmp_path: Path) -> None:
    need("cc")
    library = tmp_path / "rules.so"
    options = ("-g", "-shared", "-fPIC", *SANITIZERS, *FOLDERS)
    sources = [str(build.HERE / file) for file in build.SOURCES["rules"]]
    subprocess.run(
        ["cc", *build.STRICT, optimization, *options, "-o", str(library), *sources], check=True
    )
    runtime = [
        subprocess.check_output(["cc", f"-print-file-name=lib{one}.so"], text=True).strip()
        for one in ("asan", "ubsan")
    ]
    # Python's own pools would hide what is written beyond a piece of memory, and what
    # Python never frees is no fault.
    variables = {
        "LD_PRELOAD": " ".join(runtime),
        "PYTHONMALLOC": "malloc",
        "ASAN_OPTIONS": "detect_leaks=0",
    }
    words = [
        sys.executable,
        str(Path(__file__).with_name("fuzz_calls.py")),
        "--library",
        str(library),
        "--seed",
        "1",
    ]
    words += ["--calls", str(calls), "--minutes", "30"]
    done = subprocess.run(
        words, env=os.environ | variables, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    counts = json.loads(done.stdout)
    tried = {name for kind in ("returned", "refused") for name in counts[kind]}
    public = {
        f"{kind.__name__}.{name}"
        for kind in {**vars(crules), **vars(khiva)}.values()
        if isinstance(kind, type)
        and kind.__module__.startswith(crules.__name__)
        and not issubclass(kind, tuple)
        for name in dir(kind)
        if not name.startswith("_") and callable(getattr(kind, name))
    }
    assert (
        public | {"VectorEnv.step", "ArenaAEC.step", "ArenaParallel.step", "TablesInC.step"}
        <= tried
    )
    assert public <= counts["returned"].keys()
    assert public - NEVER_REFUSED <= counts["refused"].keys()
