"""A helper process on a worker, which tells the worker's offer and stages bots.

A task starts it as ``python -m khiva_arena.extensions.cluster.worker_helper``. One
message comes in, one goes out. It stops at the end of its input.
"""

import os
import resource
import signal
import sys
import threading
import time
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from msgspec import structs

import khiva_arena
from khiva_arena.arbiter import pool
from khiva_arena.arbiter.clock import lag_of_each_second
from khiva_arena.arbiter.handed_games import offer as offer_game
from khiva_arena.arbiter.preflight import PreflightFailed
from khiva_arena.bots.sandbox import cell, detect, system
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.competition.settings.isolation import keep_apart, keep_private
from khiva_arena.entrants.hints.starts import hinting, start
from khiva_arena.errors import ArenaError, BotError, StagingError
from khiva_arena.extensions.cluster import games
from khiva_arena.extensions.cluster.bot_transfer import (
    as_bot,
    check_runtimes,
    lies_here,
    stage_here,
)
from khiva_arena.extensions.cluster.offers import SETTING_OF_RLIMIT, python, source
from khiva_arena.extensions.cluster.task import HEADER
from khiva_arena.extensions.cluster.worker_messages import (
    AskBots,
    AskOffer,
    BotsReady,
    PackedBot,
    WorkerOffer,
    decode_ask,
    encode,
)

PROBE_SECONDS = 0.5
IDS = ("/proc/sys/kernel/random/boot_id", "/etc/machine-id")
QUOTA = "/sys/fs/cgroup/cpu.max"
MEMORY = "/sys/fs/cgroup/memory.max"


def offer(ask: AskOffer) -> WorkerOffer:
    """Return the offer of this machine."""
    limits = {
        name: resource.getrlimit(getattr(resource, f"RLIMIT_{name}"))[1]
        for name in SETTING_OF_RLIMIT
    }
    return WorkerOffer(
        version=khiva_arena.__version__,
        source=source(),
        python=python(),
        machine=_machine(),
        cores=sorted(os.sched_getaffinity(0))
        if hasattr(os, "sched_getaffinity")
        else list(range(system.cores())),
        share=_share(),
        clock=time.time(),
        levels={str(level): reason for level, reason in detect.levels().items()},
        limits={
            name: None if hard == resource.RLIM_INFINITY else hard for name, hard in limits.items()
        },
        memory=_memory(),
        staged=[bot for bot in ask.bots if lies_here(bot, ask.level or detect.best())],
        has_game=ask.game != "" and games.lies_here(ask.game),
    )


def _machine() -> str:
    """Return a name of this machine: the kernel's id since its start, which all
    containers on one machine share.
    """
    for path in IDS:
        with suppress(OSError):
            return sha256(Path(path).read_bytes()).hexdigest()[:16]
    return os.uname().nodename


def _share() -> float | None:
    with suppress(OSError, ValueError):
        quota, period = Path(QUOTA).read_text().split()
        return int(quota) / int(period)  # "max" is no number
    return None


def _memory() -> int:
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    with suppress(OSError, ValueError):
        return min(total, int(Path(MEMORY).read_text()))
    return total


def make_ready(ask: AskBots) -> BotsReady:
    """Stage the bots here and start each once. An error is returned as ``refused``."""
    broken: dict[str, str] = {}
    game = ""
    if ask.header.clock:  # in ticks the cell makes no difference to a record
        ask = structs.replace(ask, sandbox=replace(ask.sandbox, level=detect.best()))
    try:
        if ask.game is not None:
            game = games.install(ask.game)
            offer_game([game])
        cell.sweep(ask.sandbox.level)
        pool.reserve(1, len(ask.header.seats))
        check_runtimes(ask.bots, ask.runtimes)
        commands = _stage_all(ask, broken)
        _start(ask, commands, broken)
    except (ArenaError, OSError) as error:
        return BotsReady({}, 0.0, str(error) or type(error).__name__)
    return BotsReady(
        commands,
        lag_of_each_second(PROBE_SECONDS),
        broken=broken,
        game=game,
        level=ask.sandbox.level,
    )


def _stage_all(ask: AskBots, broken: dict[str, str]) -> dict[str, Command]:
    """Return how each staged bot is started, by identity.

    broken: gets why the other bots cannot be built, if bots may be left out
    """
    commands: dict[str, Command] = {}
    for bot in ask.bots:
        try:
            with hinting(as_bot(bot), ask.sandbox.level):
                commands[bot.identity] = stage_here(bot, ask.sandbox.level)
        except BotError as error:
            if (
                isinstance(error, StagingError) or not ask.leave_out
            ):  # a StagingError is this machine's fault
                raise
            broken[bot.identity] = str(error)
    return commands


def _start(ask: AskBots, commands: dict[str, Command], broken: dict[str, str]) -> None:
    """Start each staged bot once. A bot that cannot be started moves from ``commands``
    to ``broken``, if bots may be left out.
    """
    bots: list[PackedBot] = [bot for bot in ask.bots if bot.identity in commands]
    permitted = [_with_permissions(commands[bot.identity], bot.network, bot.handed) for bot in bots]
    # A worker may share its disk with the command, whose deals no bot may read.
    keep_private(ask.private, ask.sandbox, permitted)
    keep_apart([as_bot(bot) for bot in bots], permitted, ask.sandbox)
    try:
        start([as_bot(bot) for bot in bots], permitted, ask.header, ask.sandbox)
    except PreflightFailed as error:
        if not ask.leave_out:
            raise
        for number, problem in zip(error.positions, error.problems, strict=True):
            broken[bots[number].identity] = problem
            del commands[bots[number].identity]


def _with_permissions(command: Command, network: bool, handed: dict[str, str]) -> Command:
    return replace(command, network=network, handed=handed)


def _end_with_input() -> None:
    """Interrupt this process at the end of its input: builds and bots end as on a
    user's Ctrl-C.
    """
    os.read(0, 1)
    os.kill(os.getpid(), signal.SIGINT)


def _read(size: int) -> bytes:
    data = bytearray()
    while len(data) < size:
        chunk = os.read(0, size - len(data))
        if not chunk:
            sys.exit(0)
        data += chunk
    return bytes(data)


def main() -> None:
    """Answer one message."""
    ask = decode_ask(_read(int.from_bytes(_read(HEADER), "big")))
    out = os.dup(1)
    os.dup2(2, 1)  # prints on the way are for the worker's log
    threading.Thread(target=_end_with_input, daemon=True).start()
    with suppress(KeyboardInterrupt):
        payload = encode(offer(ask) if isinstance(ask, AskOffer) else make_ready(ask))
        signal.signal(
            signal.SIGINT, signal.SIG_IGN
        )  # all is done, and the end of our input comes next
        with os.fdopen(out, "wb") as answers:
            answers.write(len(payload).to_bytes(HEADER, "big") + payload)


if __name__ == "__main__":
    signals = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, signals)
    signal.signal(signal.SIGTERM, lambda *_: None)  # a stop of the worker ends our input, too
    signal.signal(signal.SIGINT, signal.default_int_handler)
    main()
