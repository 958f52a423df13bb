"""The state of a bot that does not answer: stopped, without input or output, computing,
or waiting.

It is read from /proc in some hundred microseconds. It is for the bot's author and not
part of a verdict: the state at one moment, "" if the system says nothing.
"""

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

LOOKED_AT = 16
"""Most processes of a bot that are looked at: more are not needed to know."""
DESCRIPTORS = 64
READ = {"x86_64": "0", "aarch64": "63"}.get(os.uname().machine, "none")
# epoll, poll and select, which may wait for input among other things.
WAIT = {
    "x86_64": ("7", "23", "232", "270", "271", "281", "441"),
    "aarch64": ("22", "72", "73", "441"),
}.get(os.uname().machine, ())
STOPPED = "it is stopped by a signal"
NO_INPUT, NO_OUTPUT = "it has closed its input", "it has closed its output"
READS = "it waits for more input than it was sent"
COMPUTES = "it still computes"
WAITS = "it waits for something other than its input"
RESTS = "it waits"


def doing(pids: Sequence[int], stdin: int, stdout: int) -> str:
    """Describe the state of the bot's own processes. ``stdin``, ``stdout``: the
    arbiter's ends of its pipes, -1 if they are closed.
    """
    looked_at = pids[:LOOKED_AT]
    states = [state for pid in looked_at for state in _states(pid)]
    if not states:
        return ""
    if all(state in "Tt" for state in states):
        return STOPPED
    pipes = [_pipes(pid) for pid in looked_at]
    if all(targets is not None for targets in pipes) and len(pids) <= LOOKED_AT:
        open_pipes = {pipe for targets in pipes if targets is not None for pipe in targets.values()}
        for ours, words in ((stdin, NO_INPUT), (stdout, NO_OUTPUT)):
            if ours >= 0 and _pipe(ours) not in open_pipes:
                return words
    if any(state in "RD" for state in states):
        return COMPUTES
    input_ = _pipe(stdin) if stdin >= 0 else ""
    calls = [(pid, call) for pid in looked_at for call in _calls(pid)]
    descriptors = {pid: targets or {} for pid, targets in zip(looked_at, pipes, strict=True)}
    if any(
        call[0] == READ and descriptors[pid].get(str(int(call[1], 16))) == input_
        for pid, call in calls
    ):
        return READS
    return (
        RESTS if not calls or None in pipes or any(call[0] in WAIT for _, call in calls) else WAITS
    )


def _states(pid: int) -> list[str]:
    """Return a letter for each thread."""
    states = []
    with suppress(OSError):  # it ended meanwhile
        for task in os.listdir(f"/proc/{pid}/task")[:DESCRIPTORS]:
            with suppress(OSError):
                states.append(
                    Path(f"/proc/{pid}/task/{task}/stat")
                    .read_text(errors="replace")
                    .rpartition(")")[2]
                    .split()[0]
                )
    return [state for state in states if state not in "ZX"]


def _pipes(pid: int) -> dict[str, str] | None:
    """Return the target of each descriptor of a process; None if they may not be known,
    or are too many.
    """
    try:
        numbers = os.listdir(f"/proc/{pid}/fd")
        if len(numbers) > DESCRIPTORS:
            return None
        return {number: os.readlink(f"/proc/{pid}/fd/{number}") for number in numbers}
    except OSError:
        return None


def _pipe(descriptor: int) -> str:
    return os.readlink(f"/proc/self/fd/{descriptor}")


def _calls(pid: int) -> list[list[str]]:
    """Return the system call that each thread waits in: its number and arguments. Empty
    if that may not be known.
    """
    calls = []
    with suppress(OSError):
        for task in os.listdir(f"/proc/{pid}/task")[:DESCRIPTORS]:
            call = Path(f"/proc/{pid}/task/{task}/syscall").read_text().split()
            calls += [call] if len(call) > 1 and call[0].isdigit() else []
    return calls
