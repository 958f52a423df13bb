"""The test of a worker's offer against the command's own software and the event's
definition.
"""

import sys
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import khiva_arena
from khiva_arena.bots.sandbox.level import Sandbox
from khiva_arena.bots.sandbox.limits import in_words, size_in_words
from khiva_arena.bots.sandbox.rlimits import system_limits
from khiva_arena.extensions.cluster.worker_messages import WorkerOffer

CLOCK_SECONDS = 60.0
"""Certificates, records and logs have times in them: a machine whose time of day
differs by more has other faults, too.
"""
SETTING_OF_RLIMIT = {"DATA": "memory", "FSIZE": "file_size", "NOFILE": "open_files", "CPU": "cpu"}


class CommandHas(NamedTuple):
    """The command's own software: its version of khiva-arena, the hash of its files,
    its Python.
    """

    version: str
    source: str
    python: str


def source() -> str:
    """Return a hash of the files of this khiva-arena: two installations of one version
    number may differ.
    """
    package = Path(khiva_arena.__file__).parent
    files = sorted(path for path in package.rglob("*.py") if "_shipped" not in path.parts)
    parts = [
        f"{path.relative_to(package).as_posix()}\0{sha256(path.read_bytes()).hexdigest()}"
        for path in files
    ]
    return sha256("\n".join(parts).encode()).hexdigest()


def python() -> str:
    """Return the major and minor version of this Python: programs run alike under equal
    ones.
    """
    return f"{sys.version_info.major}.{sys.version_info.minor}"


def describe_process() -> CommandHas:
    """Return the version, files and Python of this process."""
    return CommandHas(khiva_arena.__version__, source(), python())


def why_refused(
    offer: WorkerOffer, own: CommandHas, sandbox: Sandbox, asked_at: float, answered_at: float
) -> str:
    """Say why a worker cannot play, "" if it can. ``asked_at`` and ``answered_at`` are
    times of this machine's clock.
    """
    if offer.version != own.version:
        return f"it has khiva-arena {offer.version}, this is {own.version}"
    if offer.source != own.source:
        return f"its khiva-arena {offer.version} has other files than this one"
    if offer.python != own.python:
        return f"it runs Python {offer.python}, this is {own.python}"
    if (offset := max(asked_at - offer.clock, offer.clock - answered_at)) > CLOCK_SECONDS:
        return f"its clock is wrong by {offset:,.0f} s"
    if reason := offer.levels.get(sandbox.level, "it does not know this level"):
        return f"isolation {sandbox.level} does not work there: {reason}"
    return _too_little(offer, sandbox)


def _too_little(offer: WorkerOffer, sandbox: Sandbox) -> str:
    if offer.memory < sandbox.resources.memory:
        has, needs = size_in_words(offer.memory), size_in_words(sandbox.resources.memory)
        return f"it has {has} of memory, and each bot may use {needs}"
    for name, (soft, _) in system_limits(sandbox.resources).items():
        limit = offer.limits.get(name)
        if limit is not None and limit < soft:
            key = SETTING_OF_RLIMIT[name]
            needed = in_words(key, getattr(sandbox.resources, key))
            return (
                f"processes may have {in_words(key, limit)} there (ulimit), and each bot {needed}"
            )
    return ""


def slots(offer: WorkerOffer, threads: int) -> int:
    """Return how many matches at a time a worker may play: one for each core of its
    own, and no more than it takes tasks.
    """
    share = len(offer.cores) if offer.share is None else int(offer.share)
    return max(1, min(threads, len(offer.cores), share))


def cores_of(offers: Sequence[WorkerOffer]) -> int:
    """Return the number of cores of one machine that its workers may use together, at
    least 1.
    """
    return max(1, len({core for offer in offers for core in offer.cores}))
