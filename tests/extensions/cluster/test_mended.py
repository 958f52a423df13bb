"""A worker whose copy of a bot is damaged: its match is void, it rests, and is given
the bot anew before it plays again.
"""

import os
import shutil
from pathlib import Path

import pytest
import trio
from jobs import header, job
from made_up_workers import crew, worker
from modules import start, wasm
from msgspec.structs import replace
from stores import RANDOM

from khiva_arena.arbiter import seals
from khiva_arena.arbiter.clock import LagMeter
from khiva_arena.arbiter.fork_servers import ForkServers
from khiva_arena.arbiter.live import play_live
from khiva_arena.arbiter.match import Outcome
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.bots.sandbox.detect import best
from khiva_arena.bots.sandbox.level import Sandbox
from khiva_arena.common.result import Verdict
from khiva_arena.entrants.bots import load
from khiva_arena.extensions.cluster import worker_helper
from khiva_arena.extensions.cluster.bot_transfer import pack, stage_here
from khiva_arena.extensions.cluster.worker_messages import AskBots, AskOffer
from khiva_arena.extensions.cluster.workers import AGAIN_SECONDS, RecruitStage

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def _own_cache(open_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KHIVA_ARENA_CACHE", str(open_folder / "cache"))


def played(command: Command) -> Outcome:
    async def play() -> Outcome:
        async with ForkServers() as servers:
            return await play_live(
                job([command] * 2, sandbox=Sandbox(best())), LagMeter(), servers, alone=True
            )

    return trio.run(play)


def test_a_worker_is_given_a_bot_anew_whose_copy_was_damaged_there() -> None:
    bot = load(RANDOM)
    packed = pack(bot, (), (), files=True)
    ask = AskBots([packed], Sandbox(best()), {}, header(2), [])
    ready = worker_helper.make_ready(ask)
    assert ready.refused == ""
    command = ready.commands[bot.identity]
    os.chmod(command.folder, 0o755)
    for path in Path(command.folder).glob("*"):
        path.unlink()
    void = played(command)
    assert (void.record, void.host) == (None, True)
    # what comes next is asked for once the worker has rested
    one = worker("a")
    its = crew(one)
    its.refuse_for_now(one, void.void, 0.0)
    assert [list(its.to_ask(now)) for now in (0.0, AGAIN_SECONDS)] == [[], [one]]
    assert one.stage is RecruitStage.REFUSED
    assert worker_helper.offer(AskOffer([bot.identity], level=best())).staged == []
    assert worker_helper.make_ready(ask).commands == ready.commands
    again = played(command).record
    assert again
    assert again.verdicts == (Verdict.OK,) * 2


@pytest.mark.parametrize("gone", ["code", "all of the cache"])
def test_a_module_is_compiled_anew_on_a_worker(gone: str, tmp_path: Path) -> None:
    module = tmp_path / "m.wasm"
    module.write_bytes(wasm(start("")))
    bot = load(str(module))
    packed = pack(bot, (), (), files=True)
    command = stage_here(packed, best())
    if gone == "code":
        Path(command.module[0]).parent.chmod(0o755)
        Path(command.module[0]).unlink()
        assert worker_helper.offer(AskOffer([bot.identity], level=best())).staged == [bot.identity]
        packed = replace(packed, files=None)  # its module lies there, so it does not travel again
    else:
        shutil.rmtree(os.environ["KHIVA_ARENA_CACHE"])
    assert seals.damage_of(command)
    assert stage_here(packed, best()) == command
    assert not seals.damage_of(command)
