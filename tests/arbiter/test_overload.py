"""False forfeits: with far more busy processes than cores, bots that answer at once
lose nothing at the shipped limits. The same at length, with figures: ``python -m
tests.tools overload``.
"""

import importlib.util
import os
import sys
import time
from itertools import islice
from pathlib import Path
from types import ModuleType

import pytest
from arena import descendants
from tools import need

from khiva_arena.arbiter import pool

pytestmark = pytest.mark.slow

MATCHES = 20
BOUND = 300.0


@pytest.fixture(scope="module")
def overload() -> ModuleType:
    need("cc")
    file = Path(__file__).parents[1] / "benchmarks" / "overload.py"
    spec = importlib.util.spec_from_file_location("overload", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["overload"] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.soak
@pytest.mark.parametrize("elsewhere", [False, True], ids=["here", "in another namespace"])
def test_instant_bots_forfeit_nothing_on_an_overloaded_machine(
    overload: ModuleType, tmp_path: Path, elsewhere: bool
) -> None:
    if elsewhere:
        need("unshare")
    instant = overload.compiled(tmp_path)
    found = overload.Found()
    before = descendants(os.getpid())
    began = time.monotonic()
    with overload.overloaded(elsewhere=elsewhere):
        assert len(descendants(os.getpid()) - before) >= overload.BUSY * len(
            os.sched_getaffinity(0)
        )
        pool.play(
            islice(overload.jobs(instant), MATCHES), len(os.sched_getaffinity(0)), found.count
        )
    assert time.monotonic() - began < BOUND
    assert found.decisions > 1_000
    assert found.matches - found.voids == MATCHES
    assert (found.timeouts, found.forfeits) == (0, 0)
    assert descendants(os.getpid()) <= before
