"""A copy of a bot that changes or goes while matches are played: the host's fault, and nobody's at the table."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import trio
from jobs import job
from wording import sentence

from khiva_arena.arbiter.clock import LagMeter
from khiva_arena.arbiter.fork_servers import ForkServers
from khiva_arena.arbiter.live import play_live
from khiva_arena.arbiter.match import Outcome
from khiva_arena.entrants.bots import load
from khiva_arena.entrants.staging import stage
from khiva_arena.result import Verdict
from khiva_arena.sandbox.command import Command
from khiva_arena.sandbox.detect import best
from khiva_arena.sandbox.level import Sandbox

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
            return await play_live(job([command] * 2, sandbox=Sandbox(best())), LagMeter(), servers, alone=True)

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
def test_a_copy_that_is_not_what_was_staged_makes_the_match_void(how: Callable[[Path], None], tmp_path: Path) -> None:
    command = staged(tmp_path / "ann", "raise SystemExit(7)\n")
    how(Path(command.folder))
    outcome = played(command)
    assert (outcome.record, outcome.host) == (None, True)
    if how is not remove:  # there the cell itself cannot be made
        assert sentence("arbiter", "copy-damaged", what="staged copy", path=command.folder) in outcome.void


def test_a_bot_that_does_not_start_is_to_blame_where_its_copy_is_sound(tmp_path: Path) -> None:
    """A void at will would be a weapon."""
    outcome = played(staged(tmp_path / "ann", "raise SystemExit(7)\n"))
    assert outcome.record
    assert outcome.record.verdicts == (Verdict.START_FAILED,) * 2
