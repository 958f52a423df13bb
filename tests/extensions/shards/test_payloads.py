"""A plan carries the payloads of bots."""

import shutil
from pathlib import Path

import pytest
from arena import arena, bots
from payload_bots import EVENT, PAYLOADS, choices
from payload_bots import cache as cache
from payload_bots import cup as cup

pytestmark = pytest.mark.slow


def test_a_plan_carries_payloads_to_other_machines(cup: Path, tmp_path: Path, cache: Path) -> None:
    arena(
        "run",
        *EVENT,
        *bots(*(str(cup / name) for name in PAYLOADS)),
        "--plan",
        "cup.plan",
        cwd=tmp_path,
    )
    shutil.rmtree(cache)
    arena("run", "--from-plan", "cup.plan", "--out", "whole", cwd=tmp_path)
    assert choices(tmp_path / "whole") == choices(cup / "cup")
