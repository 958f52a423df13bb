"""A copy of a bot that changes or goes while matches are played: the host's fault, and
nobody's at the table.
"""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import trio
from arena import ROOT, arena, bots
from jobs import job
from stores import RANDOM
from wording import sentence

from khiva_arena.arbiter import match_queue
from khiva_arena.arbiter.clock import LagMeter
from khiva_arena.arbiter.fork_servers import ForkServers
from khiva_arena.arbiter.live import play_live
from khiva_arena.arbiter.match import Outcome
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.bots.sandbox.detect import best
from khiva_arena.bots.sandbox.level import Sandbox
from khiva_arena.common.result import Verdict
from khiva_arena.entrants.bots import load
from khiva_arena.entrants.staging import stage
from khiva_arena.interface.api.verify import verify
from khiva_arena.records.store.db import Store

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def _own_cache(open_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KHIVA_ARENA_CACHE", str(open_folder / "cache"))


def staged(folder: Path, source: str) -> Command:
    """The command of a bot in Python."""
    folder.mkdir()
    (folder / "bot.toml").write_text('name = "ann"\nrun = "{python} main.py"\n')
    (folder / "main.py").write_text(source)
    return stage(load(str(folder)), best())


def played(command: Command) -> Outcome:
    """Play one attempt at a match of two such bots."""

    async def play() -> Outcome:
        async with ForkServers() as servers:
            return await play_live(
                job([command] * 2, sandbox=Sandbox(best())), LagMeter(), servers, alone=True
            )

    return trio.run(play)


def damage(folder: Path) -> None:
    file = folder / "main.py"
    folder.chmod(0o755)
    file.chmod(0o644)
    file.write_text("import nothing_like_that\n")


def cut(folder: Path) -> None:
    folder.chmod(0o755)
    (folder / "main.py").unlink()


def remove(folder: Path) -> None:
    folder.chmod(0o755)
    shutil.rmtree(folder)


def unseal(folder: Path) -> None:
    damage(folder)
    folder.with_name(f"{folder.name}.json").unlink()


@pytest.mark.parametrize("how", [damage, cut, remove, unseal])
def test_a_copy_that_is_not_what_was_staged_makes_the_match_void(
    how: Callable[[Path], None], tmp_path: Path
) -> None:
    command = staged(tmp_path / "ann", "raise SystemExit(7)\n")
    how(Path(command.folder))
    outcome = played(command)
    assert (outcome.record, outcome.host) == (None, True)
    if how is not remove:  # there the cell itself cannot be made
        assert sentence("arbiter", "copy-damaged", what="staged copy") in outcome.void


def test_a_bot_that_does_not_start_is_to_blame_where_its_copy_is_sound(tmp_path: Path) -> None:
    """A void at will would be a weapon."""
    outcome = played(staged(tmp_path / "ann", "raise SystemExit(7)\n"))
    assert outcome.record
    assert outcome.record.verdicts == (Verdict.START_FAILED,) * 2


def test_a_run_stages_a_damaged_bot_anew_and_plays_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bot damages its copy when it is started for the second time, as only one at
    level trusted can.
    """
    monkeypatch.setattr(match_queue, "HOST_WAITS", (0.0, 0.0, 0.0))
    ann = tmp_path / "ann"
    shutil.copytree(ROOT / "bots" / "python" / "random", ann)
    kit = ROOT / "bots" / "python" / "kit" / "khiva_kit.py"
    (ann / kit.name).write_bytes(kit.read_bytes())
    bot = next(path for path in ann.glob("*.py") if path.name != kit.name)
    (ann / "bot.toml").write_text('name = "ann"\nrun = "{python} start.py"\n')
    begun = tmp_path / "begun"
    (ann / "start.py").write_text(
        "import os, runpy\n"
        f"begun = {str(begun)!r}\n"
        "if os.path.exists(begun) and not os.path.exists(begun + '2'):\n"
        "    open(begun + '2', 'w')\n"
        "    os.chmod('.', 0o755)\n"
        f"    os.remove({bot.name!r})\n"
        "    raise SystemExit(1)\n"
        "open(begun, 'w')\n"
        f"runpy.run_path({bot.name!r}, run_name='__main__')\n"
    )
    words = ["--seats", "2", "--seeds", "1", "--isolation", "trusted", "--trust-bots", "-j", "1"]
    done = arena("run", *bots(str(ann), RANDOM), *words, "--out", "out", cwd=tmp_path)
    assert sentence("arbiter", "copy-damaged", what="staged copy") in done.stderr
    assert "ann is staged anew: " in done.stderr
    (report,) = verify(tmp_path / "out").events
    assert (report.sound, report.planned) == (2, 2)
    with Store.read(tmp_path / "out") as store:
        (event,) = store.events()
        assert {seat.verdict for match in store.matches(event.id) for seat in match.seats} == {"ok"}
