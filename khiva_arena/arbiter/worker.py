"""A worker process that plays matches for the pool: jobs come as frames on stdin,
outcomes leave on stdout.

A frame is a u32 big-endian length and a msgpack payload. When its input ends, because
the arbiter is done or dead, a worker ends every match it plays, reaps the bots, and
exits.
"""

import gc
import os
import signal
import subprocess
import sys

import msgspec
import trio

from khiva_arena.arbiter import handed_over
from khiva_arena.arbiter.clock import LagMeter
from khiva_arena.arbiter.fork_servers import ForkServers
from khiva_arena.arbiter.lifetimes import describe_status, wait_for_exit
from khiva_arena.arbiter.live import play_live, void
from khiva_arena.arbiter.match import Job, Outcome
from khiva_arena.bots.sandbox import stops
from khiva_arena.bots.sandbox.reaper import REAPER

HEADER = 4
CLOSE_SECONDS = 20.0
ALONE, SHARED = "alone", "shared"
_encode = msgspec.msgpack.Encoder().encode
_decode_job = msgspec.msgpack.Decoder(Job).decode
_decode_outcome = msgspec.msgpack.Decoder(Outcome).decode


class WorkerDied(Exception):
    """The death of a worker with jobs in hand. The text says how it ended."""


class Worker:
    """The arbiter's side of one worker, started at the first job and again after a
    death. ``alone``: it gets one job at a time.
    """

    def __init__(self, nursery: trio.Nursery, *, alone: bool) -> None:
        self._mode = ALONE if alone else SHARED
        self._nursery = nursery
        self._process: subprocess.Popen[bytes] | None = None
        self._jobs: trio.lowlevel.FdStream
        self._waiting: dict[tuple[int, int], tuple[trio.Event, list[Outcome]]] = {}
        self._sending = trio.Lock()
        self._death = ""

    async def play(self, job: Job) -> Outcome:
        """Have one match played and return its outcome. Raises WorkerDied."""
        done, outcome = trio.Event(), list[Outcome]()
        if self._process is None:
            self._start()
        self._waiting[job.ordinal, job.attempt] = (done, outcome)
        try:
            async with self._sending:
                await self._jobs.send_all(_framed(job))
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            # the worker died; the reader notices, too, and wakes all that wait
            await trio.lowlevel.checkpoint()
        await done.wait()
        if not outcome:
            raise WorkerDied(self._death)
        return outcome[0]

    def _start(self) -> None:
        command = [sys.executable, "-P", "-m", __name__, self._mode]
        # A stop of the arbiter may signal its workers, too, and they have to end their
        # bots: they let signals in when ready.
        held = signal.pthread_sigmask(signal.SIG_BLOCK, stops.SIGNALS)
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                start_new_session=True,
                bufsize=0,
            )
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, held)
        assert self._process.stdin
        assert self._process.stdout
        self._jobs = trio.lowlevel.FdStream(os.dup(self._process.stdin.fileno()))
        self._process.stdin.close()
        outcomes = trio.lowlevel.FdStream(os.dup(self._process.stdout.fileno()))
        self._process.stdout.close()
        self._nursery.start_soon(self._read, self._process, outcomes)

    async def _read(
        self, process: subprocess.Popen[bytes], outcomes: trio.lowlevel.FdStream
    ) -> None:
        async with outcomes:
            payloads = _Payloads(outcomes)
            while payload := await payloads.next():
                outcome = _decode_outcome(payload)
                done, into = self._waiting.pop((outcome.ordinal, outcome.attempt))
                into.append(outcome)
                done.set()
        how = describe_status(await _exit_status(process))
        if self._process is process:
            # All in one go: a caller that asks for a match from here on gets a new
            # worker.
            self._process, waiting, self._waiting = None, self._waiting, {}
            self._death = f"a worker {how}"
            for done, _ in waiting.values():
                done.set()
            await self._jobs.aclose()

    async def close(self) -> None:
        """End the worker's input, then wait until it has reaped its bots and ended;
        kill it after CLOSE_SECONDS.
        """
        process, self._process = self._process, None
        if process is None:
            return
        await self._jobs.aclose()
        with trio.move_on_after(CLOSE_SECONDS):
            await _exit_status(process)
        if process.poll() is None:
            process.kill()
            process.wait()


async def _exit_status(process: subprocess.Popen[bytes]) -> int:
    """Wait for the exit of a process without blocking the loop."""
    if process.returncode is None:
        await wait_for_exit(process.pid)
    if process.returncode is None:  # two tasks may have waited for it
        process.returncode, _ = REAPER.reap(process.pid)
    return process.returncode


def _framed(message: Job | Outcome) -> bytes:
    payload = _encode(message)
    return len(payload).to_bytes(HEADER, "big") + payload


class _Payloads:
    """A reader of the payloads of whole frames from a stream."""

    def __init__(self, stream: trio.lowlevel.FdStream) -> None:
        self._stream = stream
        self._buffer = bytearray()

    async def next(self) -> bytes | None:
        """Return the next payload, None when the stream has ended."""
        while True:
            end = HEADER + int.from_bytes(self._buffer[:HEADER], "big")
            if len(self._buffer) >= max(end, HEADER + 1):
                payload = bytes(self._buffer[HEADER:end])
                del self._buffer[:end]
                return payload
            data = await self._stream.receive_some(1 << 20)
            if not data:
                return None
            self._buffer += data


async def _serve(alone: bool) -> None:
    lag, servers = LagMeter(), ForkServers()
    jobs, outcomes = trio.lowlevel.FdStream(os.dup(0)), trio.lowlevel.FdStream(os.dup(1))
    sending = trio.Lock()

    async def one(job: Job) -> None:
        try:
            outcome = await play_live(job, lag, servers, alone=alone)
        except Exception as error:  # or the other matches of this worker would be void with it
            from khiva_arena.arbiter.failure import failure_of  # not above: such errors are rare

            failure = failure_of(error)
            outcome = void(job, failure.why, failure=failure)
        try:
            async with sending:
                await outcomes.send_all(_framed(outcome))
        except trio.BrokenResourceError:  # the arbiter has gone, or waits for nothing any more
            nursery.cancel_scope.cancel()

    async with servers, trio.open_nursery() as nursery:
        nursery.start_soon(lag.run)
        payloads = _Payloads(jobs)
        while payload := await payloads.next():
            nursery.start_soon(one, _decode_job(payload))
        nursery.cancel_scope.cancel()


def main() -> None:
    """Serve jobs until the input ends."""
    for number in stops.stop_signals():
        # The arbiter hears it as well, and closes this input. Not ignored, since the
        # bots would inherit that.
        signal.signal(number, lambda _number, _frame: None)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, stops.SIGNALS)
    handed_over.take()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # ignored, it would leave no child to wait for
    trio.run(_serve, sys.argv[1:] == [ALONE])
    # or Python would look through all modules for garbage while it ends, and the
    # arbiter waits
    gc.freeze()


if __name__ == "__main__":
    main()
