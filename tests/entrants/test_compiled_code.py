"""Compiled code that the arena has not written gets nowhere: not from a build, not as a
module, not by a byte in the cache.
"""

from pathlib import Path

import pytest
import trio
from module_matches import job
from modules import start, wasm
from wording import sentence

from khiva_arena.arbiter.clock import LagMeter
from khiva_arena.arbiter.fork_servers import ForkServers
from khiva_arena.arbiter.live import play_live
from khiva_arena.arbiter.match import Outcome
from khiva_arena.arbiter.pool import play_one
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.bots.sandbox.detect import best
from khiva_arena.common.result import Clock, Verdict
from khiva_arena.entrants.bots import load
from khiva_arena.entrants.staging import stage
from khiva_arena.errors import BotError

pytestmark = pytest.mark.slow

EXITS = wasm(start("(call $proc_exit (i32.const 7))"), imports=["proc_exit"])
OTHER = wasm(start("(unreachable)"))


@pytest.fixture(autouse=True)
def _own_cache(open_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KHIVA_ARENA_CACHE", str(open_folder / "cache"))


def staged(folder: Path, module: bytes, *lines: str) -> Command:
    """The command of a module in a folder of its own."""
    folder.mkdir(exist_ok=True)
    (folder / "bot.toml").write_text("\n".join(['name = "m"', 'module = "bot.wasm"', *lines]))
    (folder / "bot.wasm").write_bytes(module)
    return stage(load(str(folder)), best())


def code_of(command: Command) -> Path:
    return Path(command.module[0])


def once(command: Command, clock: Clock) -> Outcome:
    """Play one attempt at a match of two such bots."""

    async def play() -> Outcome:
        async with ForkServers() as servers:
            return await play_live(job([command, command], clock), LagMeter(), servers, alone=True)

    return trio.run(play)


def ends(command: Command, clock: Clock) -> tuple[Verdict, str, str]:
    """Verdict, detail and stderr of a module that does not come to its hello."""
    outcome = play_one(job([command, command], clock))
    assert outcome.record, outcome.void
    (fault,) = outcome.seats[0].faults
    return fault.verdict, fault.detail, outcome.seats[0].ending.notes


def test_compiled_code_that_a_build_leaves_is_not_looked_at(tmp_path: Path) -> None:
    evil = code_of(staged(tmp_path / "other", OTHER))
    honest = staged(tmp_path / "honest", EXITS)
    builds = tmp_path / "builds"
    builds.mkdir()
    (builds / "evil").write_bytes(evil.read_bytes())
    names = (
        "code",
        "bot.cwasm",
        "bot.wasm.code",
        f"{honest.module[1]}/code",
        "compiled/code",
        f"{evil.parent.name}.json",
    )
    lines = [f"mkdir -p $(dirname {name}); cp evil {name}" for name in names]
    (builds / "build.sh").write_text("\n".join(lines))
    command = staged(builds, EXITS, 'build = "sh build.sh"')
    assert command == honest
    assert [path.name for path in code_of(command).parent.iterdir()] == ["code"]
    assert not any("staged" in path for path in (*command.readable, *command.own, *command.argv))


def test_compiled_code_is_no_module(tmp_path: Path) -> None:
    code = code_of(staged(tmp_path / "m", EXITS)).read_bytes()
    with pytest.raises(BotError) as caught:
        staged(tmp_path / "code", code)
    assert sentence("modules", "not-begin-module") in str(caught.value)


@pytest.mark.parametrize("clock", Clock)
def test_code_of_which_a_byte_has_changed_is_not_started_and_is_compiled_again(
    clock: Clock, tmp_path: Path
) -> None:
    command = staged(tmp_path / "m", EXITS)
    sound = ends(command, clock)
    assert sound[:2] == (Verdict.START_FAILED, "crashed: exited with code 7")
    code = code_of(command)
    data = bytearray(code.read_bytes())
    data[len(data) // 2] ^= 1
    code.chmod(0o644)
    code.write_bytes(data)
    for _ in range(2):
        outcome = once(command, clock)
        assert (outcome.record, outcome.host) == (None, True)
        changed = (
            sentence("modules", "code-changed", what="the compiled code")
            if clock is Clock.TICKS
            else sentence("arbiter", "copy-damaged", what="compiled code")
        )
        assert changed in outcome.void
        code.unlink(missing_ok=True)
    assert staged(tmp_path / "m", EXITS) == command
    assert ends(command, clock) == sound
