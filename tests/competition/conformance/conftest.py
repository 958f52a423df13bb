"""A bot of one file, laid out as an author would, and a check of it, at trusted so that
only the bot itself decides.
"""

import os
import pickle
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from once import filled

from khiva_arena.bots.sandbox.level import Level, Sandbox
from khiva_arena.bots.sandbox.limits import MIB, Resources
from khiva_arena.competition.conformance import talk
from khiva_arena.competition.conformance.check_report import CheckReport
from khiva_arena.competition.conformance.context import RunningCheck
from khiva_arena.competition.conformance.whole_check import check
from khiva_arena.entrants.bots import load
from khiva_arena.games.registry import get
from khiva_arena.records.replay.conditions import TimeLimits

MISFIT = Path(__file__).parent / "bots" / "misfit.py"
SOON = TimeLimits(startup_ms=4_000, turn_ms=1_000, bank_ms=1_500)
AT_ONCE = 0.1
STUCK = {
    **dict.fromkeys(
        ("stopped", "hangs", "closes_input", "stops"), ("AFTER_DEADLINE", "AFTER_INPUT")
    ),
    **dict.fromkeys(("silent", "half", "no_flush"), ("AFTER_DEADLINE",)),
}
"""By the way of a bot that never does what a check waits for: the waits that so are
only waste.
"""

Checked = Callable[..., CheckReport]


@pytest.fixture(scope="session")
def home() -> Iterator[Path]:
    """A folder that every user may enter: root's bots run as others."""
    with tempfile.TemporaryDirectory(prefix="khiva-check-", ignore_cleanup_errors=True) as folder:
        os.chmod(folder, 0o755)
        yield Path(folder)


@pytest.fixture(scope="session")
def misfit(home: Path) -> Callable[[str], str]:
    """The folder of the bot that errs in one way."""

    def lay_out(way: str) -> str:
        folder = home / way
        if not folder.exists():
            folder.mkdir()
            shutil.copy(MISFIT, folder / "main.py")
            (folder / "bot.toml").write_text(
                f'name = "{way}"\nrun = "{{python}} main.py {way}"\ngames = ["khiva"]\n'
            )
        return str(folder)

    return lay_out


@pytest.fixture(scope="session")
def checked(misfit: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory) -> Checked:
    """Check the bot that errs in one way; a plain check of it is made once."""

    def run(way: str, **more: Any) -> CheckReport:
        if more:
            return fresh(way, **more)
        made = filled(
            tmp_path_factory,
            f"check-{way}",
            lambda folder: (folder / "report").write_bytes(pickle.dumps(fresh(way))),
        )
        report: CheckReport = pickle.loads((made / "report").read_bytes())
        return report

    def fresh(way: str, **more: Any) -> CheckReport:
        given = {
            "limits": SOON,
            "sandbox": Sandbox(Level.TRUSTED, Resources(memory=150 * MIB)),
            "games": (get("khiva"),),
            "quick": True,
            "levels": (Level.TRUSTED,),
            "trust": True,
        }
        running = RunningCheck(load(misfit(way)), **given | more)
        told: list[str] = []
        with pytest.MonkeyPatch.context() as patch:
            for wait in STUCK.get(way, ()):
                patch.setattr(talk, wait, AT_ONCE)
            report = check(running, way, lambda step: told.append(step.id))
        assert told == [step.id for step in report.steps]
        return report

    return run
