"""The results of trial matches, which bots play before an event, in a file beside the
store.

The definition of an event names the bots that passed, and no result depends on how they
did: so trials are in no row of the store and in no digest. A result is on the disk
before the next one is awaited. A resumed run takes it, and tries no bot again.
"""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import msgspec

from khiva_arena.bots.sandbox import regular_files
from khiva_arena.records.store import private
from khiva_arena.records.store.file_errors import explain_errors
from khiva_arena.records.store.files import TRIALS
from khiva_arena.records.store.locks import lock
from khiva_arena.records.store.new_file import to_disk

_LONGEST = 64 * 2**20


class TrialKey(NamedTuple):
    """The bot and the conditions of a trial: the same trial is not played twice.

    bot: the identity of the bot.
    conditions: a hash of everything else: the game, its rules, the limits, the seats,
        the isolation and the opponent.
    """

    bot: str
    conditions: str


class TrialResult(msgspec.Struct, frozen=True, omit_defaults=True):
    """The result of a bot's trial match.

    bot, conditions: as in ``TrialKey``.
    name: of the bot.
    seed: the text that determines the deal.
    seconds: the duration of the match.
    steps: the number of steps of the match.
    decisions: the number of decisions that the bot answered or was late with, copies of
        it included.
    mean, slowest: the seconds of a decision of the bot in the mean, and of its longest.
    void: the reason why the match counts for no bot; "" if it counts.
    verdict: the fault by which the bot forfeited; "" if it did not.
    step: the number of the step in which it did.
    line: the fault in a line, which may repeat words of the bot.
    report: all faults and the end of the bot's words on stderr, for its author; "" if
        it did not forfeit.
    """

    bot: str
    conditions: str
    name: str
    seed: str
    seconds: float = 0.0
    steps: int = 0
    decisions: int = 0
    mean: float = 0.0
    slowest: float = 0.0
    void: str = ""
    verdict: str = ""
    step: int = 0
    line: str = ""
    report: str = ""

    @property
    def key(self) -> TrialKey:
        """The bot and the conditions."""
        return TrialKey(self.bot, self.conditions)

    @property
    def passed(self) -> bool:
        """True if the bot may play in the event."""
        return not self.verdict


_decode = msgspec.json.Decoder(TrialResult).decode


def read(folder: Path) -> Mapping[TrialKey, TrialResult]:
    """Return the results that a folder holds, the newest for each bot and conditions.
    Raises StoreError, StoreFull.

    Lines that cannot be read are left out, such as one that a kill cut short.
    """
    with explain_errors(folder):
        try:
            lines = regular_files.read(folder / TRIALS, _LONGEST, follow=False).split(b"\n")
        except FileNotFoundError:
            return {}
    results = map(_result_of, lines)
    return {result.key: result for result in results if result is not None}


def _result_of(line: bytes) -> TrialResult | None:
    try:
        return _decode(line)
    except (ValueError, RecursionError):
        return None


@contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Make a folder if need be, and hold its lock, so that no other run adds results
    meanwhile. Raises StoreError, StoreFull.

    They could differ from those by which this run chooses its bots.
    """
    with explain_errors(folder):
        private.make_folder(folder)
        descriptor = lock(folder)
    try:
        yield
    finally:
        os.close(descriptor)


def add(folder: Path, result: TrialResult) -> None:
    """Add a result to a folder, which is made if need be, and return when it is on the
    disk. Raises StoreError, StoreFull.
    """
    with explain_errors(folder):
        private.make_folder(folder)
        descriptor = private.open_file(folder / TRIALS, os.O_RDWR | os.O_APPEND)
        try:
            size = os.fstat(descriptor).st_size
            is_torn = size > 0 and os.pread(descriptor, 1, size - 1) != b"\n"
            data = (b"\n" if is_torn else b"") + msgspec.json.encode(result) + b"\n"
            while data:
                data = data[os.write(descriptor, data) :]
            to_disk(descriptor)
        finally:
            os.close(descriptor)
        if size == 0:
            _name_to_disk(folder)


def _name_to_disk(folder: Path) -> None:
    """Have the disk keep the name of a new file in a folder."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        to_disk(descriptor)
    finally:
        os.close(descriptor)
