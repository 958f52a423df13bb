"""The work of a cluster's worker on a task, in one of its threads: start a process,
write messages, wait.

The process ends its match when its input ends, so nothing of a match outlives the
worker, however that ends. This module is imported on workers, which may run anything
else beside the arena, so it changes nothing in their process.
"""

import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress

import msgspec

from khiva_arena import arbiter
from khiva_arena.bots.sandbox import stops
from khiva_arena.common.handed import VARIABLE as HANDED
from khiva_arena.extensions.cluster.worker_messages import (
    TABLE,
    Sealed,
    TaskDone,
    WorkerTask,
    decode_task,
    encode,
)

HEADER = 4
LOOK_SECONDS = 0.25
CLOSE_SECONDS = 20.0
PULSE_SECONDS = 15.0
"""The longest pause of a live process. The arbiter's worker wakes twenty times a
second: one that did not for so long is stopped, or its machine stands still.
"""
WORDS = {
    TABLE: (f"{arbiter.__name__}.worker", "alone"),
    "host": (f"{__package__}.worker_helper",),
}
UNWANTED = "nobody waits for it any more"


class _Settling(msgspec.Struct):
    """The one field of an outcome that is read here."""

    unsettled: float = 0.0


_settling = msgspec.msgpack.Decoder(_Settling).decode


def work(sealed: Sealed) -> Sealed:
    """Do a task. Nothing is raised, since Dask would log it, and with it the task."""
    try:
        answer = converse(decode_task(sealed.data), _waiting_check())
    except Exception as error:  # such as a system that starts no more processes
        answer = TaskDone(
            [],
            f"{type(error).__name__}: {error}"
            if isinstance(error, OSError)
            else type(error).__name__,
        )
    return Sealed(encode(answer))


def _waiting_check() -> Callable[[], bool]:
    """Return a function that tells whether somebody still waits for the task of this
    thread.

    Nobody does if the command has ended or gave the task elsewhere, or if this worker
    is about to end.
    """
    # here, not above: the tests of the rest need no Dask
    from distributed import Status, get_worker

    worker = get_worker()
    key = worker.get_current_task()

    def is_wanted() -> bool:
        state = worker.state.tasks.get(key)
        is_running = state is not None and state.state in ("executing", "long-running")
        return is_running and worker.status in (Status.running, Status.paused)

    return is_wanted


def converse(task: WorkerTask, is_wanted: Callable[[], bool]) -> TaskDone:
    """Start the process of a task, have it answer, and end it. ``is_wanted`` tells,
    often asked, whether to go on.

    Raises OSError if the process cannot be started.
    """
    until = time.monotonic() + task.seconds
    process = _start(WORDS[task.kind], task.game)
    talk = _Talk(process, until, is_wanted, pulse=task.kind == TABLE)
    answers: list[bytes] = []
    try:
        for frame in task.frames:
            talk.say(frame)
            answers.append(talk.hear())
        if task.kind == TABLE:
            talk.wait_until_settled()
    except _Broken as broken:
        return TaskDone([] if str(broken) == UNWANTED else answers, str(broken))
    finally:
        _end(process)
    return TaskDone(answers, "")


def _start(words: tuple[str, ...], game: str) -> subprocess.Popen[bytes]:
    variables = {HANDED: msgspec.json.encode([game]).decode()} if game else {}
    # Blocked, as by the pool: a stop of this worker may signal the process, too, which
    # lets signals in when it can end its bots.
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, stops.SIGNALS)
    try:
        return subprocess.Popen(
            [sys.executable, "-P", "-m", *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
            bufsize=0,
            env=os.environ | variables,
        )
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def _end(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin
    assert process.stdout
    with suppress(OSError):
        process.stdin.close()
    # One that was stopped could not end.
    with suppress(ProcessLookupError):
        process.send_signal(signal.SIGCONT)
    try:
        process.wait(CLOSE_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    process.stdout.close()


class _Broken(Exception):
    """A talk that did not end well. The text says how."""


class _Talk:
    """The messages to and from a process, while it lives, is in time, and somebody
    waits for it.
    """

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        until: float,
        is_wanted: Callable[[], bool],
        *,
        pulse: bool,
    ) -> None:
        self._process = process
        self._until = until
        self._is_wanted = is_wanted
        self._buffer = bytearray()
        self._settled_at = 0.0
        self._pulse = pulse
        self._beat = ""
        self._beat_at = time.monotonic()

    def say(self, payload: bytes) -> None:
        """Write a message in a thread: a pipe takes only so much at once."""
        threading.Thread(
            target=self._write, args=(len(payload).to_bytes(HEADER, "big") + payload,), daemon=True
        ).start()

    def _write(self, data: bytes) -> None:
        stdin = self._process.stdin
        assert stdin
        remainder = memoryview(data)
        with suppress(OSError, ValueError):  # it has ended, which ``hear`` notices
            while remainder:
                remainder = remainder[stdin.write(remainder) :]

    def hear(self) -> bytes:
        """Return the next answer. Raises _Broken."""
        while True:
            end = HEADER + int.from_bytes(self._buffer[:HEADER], "big")
            if len(self._buffer) >= max(end, HEADER + 1):
                payload = bytes(self._buffer[HEADER:end])
                del self._buffer[:end]
                if self._pulse:
                    # An answer counts only when no stop of this worker can have ended a
                    # bot in its match.
                    self._settled_at = max(
                        self._settled_at, time.monotonic() + _settling(payload).unsettled
                    )
                return payload
            stdout = self._process.stdout
            assert stdout
            self._look()
            if select.select([stdout], [], [], LOOK_SECONDS)[0]:
                data = os.read(stdout.fileno(), 1 << 20)
                if not data:
                    raise _Broken(f"its process ended with status {self._process.wait()}")
                self._buffer += data

    def wait_until_settled(self) -> None:
        """Wait until it is clear that no stop of this worker ended a bot, see stops.py.
        Raises _Broken.
        """
        while (seconds := self._settled_at - time.monotonic()) > 0:
            time.sleep(min(seconds, LOOK_SECONDS))
            self._look()

    def _look(self) -> None:
        if not self._is_wanted():
            raise _Broken(UNWANTED)
        now = time.monotonic()
        if now > self._until:
            raise _Broken("it took longer than its limits allow")
        if self._pulse and (beat := _wake_ups(self._process.pid)):
            if beat != self._beat:
                self._beat, self._beat_at = beat, now
            elif now - self._beat_at > PULSE_SECONDS:
                raise _Broken(f"its process stood still for {PULSE_SECONDS:.0f} s")


def _wake_ups(pid: int) -> str:
    """Return the line that counts how often a process has waited and gone on, "" if the
    system does not tell.
    """
    with suppress(OSError), open(f"/proc/{pid}/status") as file:
        return next((line for line in file if line.startswith("voluntary_ctxt_switches")), "")
    return ""
