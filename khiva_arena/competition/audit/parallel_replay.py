"""Replays of an audit, by several processes.

Nearly all of an audit's time goes into replaying records. The outcome of a replay
depends on the record and its seed's secret alone. So other processes replay the matches
of the next lines. Meanwhile the audit, in one process and in the order of the lines,
compares everything else, and asks for the outcome of each match. In damaged files a
match may have been replayed with another secret than the audit finds to be right: that
match the audit replays itself.
"""

import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, NamedTuple

from khiva_arena.arbiter import handed_over
from khiva_arena.competition.audit.audit_report import AuditLine
from khiva_arena.errors import ArenaError, GameFault, RecordError
from khiva_arena.records.replay.record import Record, canonical
from khiva_arena.records.replay.verify import verify
from khiva_arena.records.store import bundle
from khiva_arena.records.store.db import MatchRow

if TYPE_CHECKING:  # an audit by one process has none of it, and there is none in a page
    from concurrent.futures import ProcessPoolExecutor

AT_ONCE, BYTES_AT_ONCE = 32, 2**20
"""The most matches that are given to a process together; fewer once their records
exceed this many bytes.
"""
SecretOf = Callable[[bundle.MatchLine | MatchRow], bytes | None]


class Replayed(NamedTuple):
    """The outcome of replaying a match.

    secret: of its seed, 32 bytes.
    problem: why it is not sound, None if it is.
    """

    secret: bytes
    problem: str | None

    def hold(self, record: Record, secret: bytes) -> None:
        """Raise RecordError if the record is not sound with this secret."""
        if secret != self.secret:
            verify(record, secret)
        elif self.problem is not None:
            raise RecordError(self.problem)


class _Task(NamedTuple):
    """A match to replay: its record, canonical text, and the secret of its seed, 32
    bytes.
    """

    text: str
    secret: bytes


_Batch = list[tuple[AuditLine, _Task | None]]
_Ended = SimpleQueue[Any]
"""Gets the future of a batch, a list of why each match is not sound, once it has
ended.
"""


class Replayers:
    """Processes that replay matches, or none: then nothing is replayed ahead."""

    def __init__(self, pool: "ProcessPoolExecutor | None", jobs: int) -> None:
        self._pool, self._capacity = pool, 2 * jobs + 1

    def replay_ahead(
        self, lines: Iterator[AuditLine], secret_of: SecretOf
    ) -> Iterator[tuple[AuditLine, Replayed | None]]:
        """Yield the same lines, each match with the outcome of its replay; None for
        other lines and for matches not replayed ahead.

        secret_of: returns the secret to replay a match with, None if it is not known.
        """
        if self._pool is None:
            yield from ((line, None) for line in lines)
            return
        waiting: deque[tuple[_Batch, _Ended]] = deque()
        for batch in _batches(lines, secret_of):
            waiting.append((batch, _submit(self._pool, [task for _, task in batch if task])))
            while len(waiting) >= self._capacity:
                yield from _with_results(*waiting.popleft())
        while waiting:
            yield from _with_results(*waiting.popleft())


@contextmanager
def replayers(jobs: int) -> Iterator[Replayers]:
    """Start ``jobs`` processes that are gone at the end; none for one job, since the
    caller's own process replays then.
    """
    if jobs < 2:
        yield Replayers(None, 1)
        return
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import resource_tracker

    tracker: Any = (
        resource_tracker._resource_tracker
    )  # a process of Python's own, which stays with its pipe unless it is ended
    is_ours = tracker._fd is None
    pool = ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), initializer=_begin)
    try:
        yield Replayers(pool, jobs)
    finally:
        with _interrupts_wait():
            pool.shutdown(cancel_futures=True)
            if is_ours:
                tracker._stop()


@contextmanager
def _interrupts_wait() -> Iterator[None]:
    """Hold back a Ctrl-C until the end, also from processes that begin meanwhile.

    The pool and its futures are only touched within this. An interrupt between two
    lines of their code could leave a lock taken, on which the pool's own thread then
    waits for ever.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _submit(pool: "ProcessPoolExecutor", tasks: Sequence[_Task]) -> _Ended:
    """Submit tasks. Return the queue that gets their future once it has ended: an
    interrupted wait there leaves no lock taken.
    """
    queue: _Ended = SimpleQueue()
    with _interrupts_wait():
        pool.submit(replay, tasks).add_done_callback(queue.put)
    return queue


def replay(tasks: Sequence[_Task]) -> list[str | None]:
    """Return for each match why it is not sound, None if it is."""
    return list(map(_problem, tasks))


def _problem(task: _Task) -> str | None:
    try:
        verify(Record.from_json(task.text), task.secret)
    except GameFault:
        raise
    except ArenaError as error:
        return str(error)
    return None


def _begin() -> None:
    """Prepare a process that replays: Ctrl-C and a closed terminal are for the audit,
    which ends this process, and it dies with its parent.
    """
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    handed_over.take()
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    import multiprocessing
    from multiprocessing.connection import wait

    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def _batches(lines: Iterator[AuditLine], secret_of: SecretOf) -> Iterator[_Batch]:
    """Yield lines, a few at a time: a file of strangers may hold very long ones."""
    batch: _Batch = []
    size = 0
    try:
        for line in lines:
            task = _task(line, secret_of) if isinstance(line, bundle.MatchLine | MatchRow) else None
            batch.append((line, task))
            size += len(task.text) if task else 0
            if len(batch) >= AT_ONCE or size > BYTES_AT_ONCE:
                yield batch
                batch, size = [], 0
    except RecordError:  # the file cannot be read further: what was read before is still checked
        yield batch
        raise
    yield batch


def _task(line: bundle.MatchLine | MatchRow, secret_of: SecretOf) -> _Task | None:
    text = line.record if isinstance(line, MatchRow) else canonical(line.record).decode()
    secret = secret_of(line)
    return None if secret is None else _Task(text, secret)


def _with_results(batch: _Batch, queue: _Ended) -> Iterator[tuple[AuditLine, Replayed | None]]:
    future = queue.get()
    with _interrupts_wait():
        problems = iter(future.result())
    for line, task in batch:
        yield line, None if task is None else Replayed(task.secret, next(problems))
