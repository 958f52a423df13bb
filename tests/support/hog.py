"""A bot that is honest, thinks for SECONDS of its own CPU at the first decision, keeps
N processes busy all along, or keeps itself from a core for SECONDS, with a child that
it waits for (``contends``), one that nobody counts (``hides``) or many such one after
the other, of 8 ms each (``chains``), sleeps, and answers its first decision just behind
the deadline. Or it thinks for SECONDS with two threads at each decision (``doubles``),
or makes itself the last that gets a core, as far as it may, and spins until SECONDS
after each deadline (``nicest``), or leaves a process behind that lives for SECONDS in a
session of its own (``leaves``).

hog.py honest | thinks SECONDS | burns N | contends SECONDS | hides SECONDS | chains
       SECONDS | doubles SECONDS | nicest SECONDS | leaves SECONDS
"""

import hashlib
import os
import signal
import sys
import threading
import time
from contextlib import suppress

import msgpack

how, amount = sys.argv[1], float((sys.argv[2:] or ["0"])[0])
stdin, stdout = sys.stdin.buffer, sys.stdout.buffer


def read():
    header = stdin.read(4)
    if len(header) < 4:
        sys.exit(0)
    return msgpack.unpackb(stdin.read(int.from_bytes(header, "big")))


def write(message):
    payload = msgpack.packb(message)
    stdout.write(len(payload).to_bytes(4, "big") + payload)
    stdout.flush()


def burn():
    """In a session of its own where that is allowed, so that a system that shares its
    cores by session gives it its own share. Ends with its parent.
    """
    parent = os.getpid()
    if os.fork():
        return
    try:
        os.setsid()
    except PermissionError:
        print("no session of its own", file=sys.stderr)
    while os.getppid() == parent:
        for _ in range(100_000):
            pass
    os._exit(0)


def spin(seconds):
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        pass


def contend(seconds, counted):
    """Share one core with a child. Returns the seconds for which we were ready to run
    and had none.
    """
    before = waited()
    everywhere = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(everywhere)})
    signal.signal(signal.SIGCHLD, signal.SIG_DFL if counted else signal.SIG_IGN)
    ends = time.monotonic() + seconds
    child = os.fork()
    if not child:
        spin(0.008 if how == "chains" else seconds)
        os._exit(0)
    while how == "chains" and time.monotonic() < ends:
        spin(0.004)
        if not os.fork():
            spin(0.008)
            os._exit(0)
    spin(max(0.0, ends - time.monotonic()))
    os.sched_setaffinity(0, everywhere)
    if counted:
        os.waitpid(child, 0)
    return waited() - before


def compute(seconds):
    """Without the lock of the interpreter, so that two threads use two cores."""
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        hashlib.pbkdf2_hmac("sha256", b"", b"", 2_000)


def be_nicest():
    """Have the system prefer everybody else, by all means that there are."""
    with suppress(OSError), open("/proc/self/autogroup", "w") as file:
        file.write("19")
    with suppress(OSError):
        os.nice(19)
    with suppress(OSError):
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    with suppress(OSError):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def waited():
    with open("/proc/self/schedstat") as file:
        return int(file.read().split()[1]) / 1e9


if how == "nicest":
    be_nicest()
read()
write({"type": "hello", "proto": 1, "name": how})
first = True
while True:
    message = read()
    asked = time.monotonic()
    if message["type"] == "decide":
        if first and how in ("contends", "hides", "chains"):
            half = contend(amount, how == "contends") / 2
            ends = asked + (message["turn_ms"] + message["bank_ms"]) / 1000 + half
            time.sleep(max(0.0, ends - time.monotonic()))
        if first and how == "burns":
            for _ in range(int(amount)):
                burn()
        if first and how == "thinks":
            begun = time.process_time()
            while time.process_time() - begun < amount:
                pass
        if first and how == "leaves" and not os.fork():
            os.setsid()
            os.closerange(0, 64)
            time.sleep(amount)
            os._exit(0)
        if how == "doubles":
            threads = [threading.Thread(target=compute, args=(amount,)) for _ in range(2)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        if how == "nicest":
            ends = asked + (message["turn_ms"] + message["bank_ms"]) / 1000 + amount
            while time.monotonic() < ends:
                os.sched_yield()
        first = False
        write({"type": "act", "req": message["req"], "choice": len(message["legal"]) - 1})
