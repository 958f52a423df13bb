"""Rows of processes: ways to die, to stop, to leave something behind, and to come in crowds that end by themselves."""

import ctypes
import fcntl
import os
import resource
import select
import signal
import sys
import threading
import time
from contextlib import suppress

from system import call
from talk import LONG, Bot, hang, row

CROWD = 64  # what a bomb stops at where nothing else stops it


def spawn(do: object, *words: object) -> int:
    """Run a function in a child of ours that ends with it. Returns the child's number."""
    pid = os.fork()
    if pid == 0:
        try:
            do(*words)
        finally:
            os._exit(0)
    return pid


# --- ends ---


@row("turn")
def exit_0(bot: Bot, decide: dict) -> None:
    """exits with code 0"""
    sys.exit(0)


@row("turn")
def exit_3(bot: Bot, decide: dict) -> None:
    """exits with code 3"""
    sys.exit(3)


@row("turn")
def exit_between(bot: Bot, decide: dict) -> None:
    """answers and exits"""
    bot.answer(decide)
    sys.exit(0)


@row("turn")
def segfault(bot: Bot, decide: dict) -> None:
    """reads where there is no memory"""
    ctypes.string_at(0)


@row("turn")
def kills_itself(bot: Bot, decide: dict) -> None:
    """sends itself SIGKILL"""
    os.kill(os.getpid(), signal.SIGKILL)


@row("turn")
def aborts(bot: Bot, decide: dict) -> None:
    """aborts, with as large a core dump as it may have"""
    hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
    resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))
    os.chdir(os.environ["HOME"])
    os.abort()


@row("turn")
def exception(bot: Bot, decide: dict) -> None:
    """ends with an exception"""
    raise RuntimeError("no idea what to play")


@row("turn")
def main_thread_ends(bot: Bot, decide: dict) -> None:
    """ends its first thread and lives on in another one"""
    threading.Thread(target=hang).start()
    call("exit", 0)


@row("turn")
def becomes_sleep(bot: Bot, decide: dict) -> None:
    """becomes another program that does not answer"""
    os.execv("/bin/sleep", ["sleep", str(int(LONG))])


@row("turn")
def shell_chain(bot: Bot, decide: dict) -> None:
    """hides behind a chain of shells"""
    words = ["/bin/sleep", str(int(LONG))]
    for _ in range(8):
        words = ["/bin/sh", "-c", '"$@"; exit $?', "sh", *words]
    os.spawnv(os.P_WAIT, words[0], words)


# --- stops ---


@row("turn")
def stops_itself(bot: Bot, decide: dict) -> None:
    """stops itself"""
    os.kill(os.getpid(), signal.SIGSTOP)


@row("turn")
def stops_group(bot: Bot, decide: dict) -> None:
    """stops its whole process group"""
    os.killpg(0, signal.SIGSTOP)


@row("turn")
def stutters(bot: Bot, decide: dict) -> None:
    """is stopped and continued by its child, many times, and plays on"""
    us = os.getpid()
    child = spawn(stop_and_go, us)
    os.waitpid(child, 0)
    bot.answer(decide)


def stop_and_go(pid: int) -> None:
    for _ in range(20):
        os.kill(pid, signal.SIGSTOP)
        os.kill(pid, signal.SIGCONT)


@row("start")
def ignores_signals(bot: Bot) -> None:
    """ignores every signal that it can, and does not exit at the end of its input"""
    for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP, signal.SIGCHLD}:
        signal.signal(number, signal.SIG_IGN)
    threading.Thread(target=hang).start()


# --- what is left behind ---


def daemon(keep: tuple[int, ...], words: list[str] | None = None) -> None:
    """A grandchild in a session of its own, where that is allowed, that ignores signals and keeps only these descriptors;
    with ``words`` it becomes that program."""
    if os.fork() == 0:
        with suppress(PermissionError):  # it stays in our group, then
            os.setsid()
        if os.fork() == 0:
            for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGPIPE):
                signal.signal(number, signal.SIG_IGN)
            for descriptor in {0, 1, 2} - set(keep):
                os.close(descriptor)
            if words:
                os.execve(words[0], words, {})
            time.sleep(LONG)
        os._exit(0)


@row("turn")
def daemon_(bot: Bot, decide: dict) -> None:
    """leaves a daemon behind and exits"""
    daemon(())
    os._exit(0)


@row("turn")
def daemon_stdout(bot: Bot, decide: dict) -> None:
    """leaves a daemon behind that keeps its stdout open, and exits"""
    daemon((1,))
    os._exit(0)


@row("turn")
def daemon_stderr(bot: Bot, decide: dict) -> None:
    """leaves a daemon behind that keeps its stderr open, and exits"""
    daemon((2,))
    os._exit(0)


@row("turn")
def daemon_nameless(bot: Bot, decide: dict) -> None:
    """leaves a daemon behind that has thrown its environment away and become another program, and exits"""
    daemon((), ["/bin/sh", "-c", f"sleep {LONG:.0f}; exit", sys.argv[-1]])
    os._exit(0)


@row("turn")
def daemon_plays_on(bot: Bot, decide: dict) -> None:
    """starts a daemon and plays on"""
    daemon((0, 1, 2))
    bot.answer(decide)


@row("start")
def start_daemon(bot: Bot) -> None:
    """leaves a daemon behind at the start, and exits"""
    daemon((1,))
    os._exit(0)


@row("turn")
def child_answers(bot: Bot, decide: dict) -> None:
    """exits at once; its child answers in its place, and dies"""
    if os.fork() == 0:
        time.sleep(0.05)
        bot.answer(decide)
        os._exit(0)
    os._exit(0)


# --- crowds ---


@row("turn")
def fork_bomb(bot: Bot, decide: dict) -> None:
    """forks, and its children do, too, until they would be 64"""
    for _ in range(6):
        insist(os.fork)
    hang()


def insist(start: object, *words: object) -> None:
    """Try until the system gives us the process."""
    while True:
        try:
            start(*words)
            return
        except OSError:
            time.sleep(0.01)


@row("turn")
def children_64(bot: Bot, decide: dict) -> None:
    """wants 64 children that do nothing, and does not answer before it has them"""
    for _ in range(CROWD):
        insist(spawn, time.sleep, LONG)
    hang()


@row("turn")
def zombies(bot: Bot, decide: dict) -> None:
    """never waits for 20 children that have ended, and plays on"""
    for _ in range(20):
        spawn(int)
    bot.answer(decide)


@row("turn")
def short_lives(bot: Bot, decide: dict) -> None:
    """has 100 children, one after the other, and plays on"""
    for _ in range(100):
        os.waitpid(spawn(int), 0)
    bot.answer(decide)


@row("turn")
def threads_500(bot: Bot, decide: dict) -> None:
    """starts 500 threads, and dies where it may not"""
    for _ in range(500):
        threading.Thread(target=time.sleep, args=(LONG,), daemon=True).start()
    hang()


@row("turn")
def spins(bot: Bot, decide: dict) -> None:
    """computes without end"""
    while True:
        pass


@row("turn")
def spins_between(bot: Bot, decide: dict) -> None:
    """answers at once, and has a child compute while others think"""
    spawn(busy, 20.0)
    bot.answer(decide)


def busy(seconds: float) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        pass


# --- its own pipes ---


@row("turn")
def closes_stdout(bot: Bot, decide: dict) -> None:
    """closes its stdout and lives on"""
    os.close(1)
    hang()


@row("turn")
def closes_stdin(bot: Bot, decide: dict) -> None:
    """closes its stdin and lives on"""
    os.close(0)
    hang()


@row("turn")
def closes_stderr(bot: Bot, decide: dict) -> None:
    """closes its stderr and plays on"""
    os.close(2)
    bot.answer(decide)


@row("turn")
def pipe_flags(bot: Bot, decide: dict) -> None:
    """makes its pipes small and not blocking, and plays on"""
    for descriptor in (0, 1, 2):
        flags = fcntl.fcntl(descriptor, fcntl.F_GETFL)
        fcntl.fcntl(descriptor, fcntl.F_SETFL, flags | os.O_NONBLOCK)
        fcntl.fcntl(descriptor, fcntl.F_SETPIPE_SZ, 4096)
    bot.answer(decide)


@row("turn")
def reads_its_stdout(bot: Bot, decide: dict) -> None:
    """opens its stdout to read what it wrote, and its stdin to write, and plays on"""
    for descriptor, flags in ((1, os.O_RDONLY), (0, os.O_WRONLY)):
        try:
            os.close(os.open(f"/proc/self/fd/{descriptor}", flags | os.O_NONBLOCK))
        except OSError:
            continue  # so much the better
    bot.answer(decide)


@row("turn")
def listens(bot: Bot, decide: dict) -> None:
    """answers and listens for a sign of what the others do"""
    bot.answer(decide)
    select.select([0], [], [], 0.05)


# --- stderr ---


@row("turn")
def notes_flood(bot: Bot, decide: dict) -> None:
    """writes on stderr without end"""
    while True:
        os.write(2, b"x" * 65_536)


@row("turn")
def notes_300k(bot: Bot, decide: dict) -> None:
    """writes 300 kB on stderr without a line end, and plays on"""
    os.write(2, b"x" * 300_000)
    bot.answer(decide)


@row("turn")
def notes_escapes(bot: Bot, decide: dict) -> None:
    """writes terminal escapes on stderr, and plays on"""
    os.write(2, b"\x1b[2J\x1b]0;owned\x07\xff plain\n")
    bot.answer(decide)
