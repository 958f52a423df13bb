"""A bot that is honest, thinks for SECONDS of its own CPU at the first decision, keeps N processes busy all along, or keeps
itself from a core for SECONDS, with a child that it waits for (``contends``), one that nobody counts (``hides``) or many such
one after the other, of 8 ms each (``chains``), sleeps, and answers its first decision just behind the deadline.

hog.py honest | thinks SECONDS | burns N | contends SECONDS | hides SECONDS | chains SECONDS
"""

import os
import signal
import sys
import time

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
    """In a session of its own where that is allowed, so that a system that shares its cores by session gives it its own share.
    Ends with its parent."""
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
    """Share one core with a child. Returns the seconds for which we were ready to run and had none."""
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


def waited():
    with open("/proc/self/schedstat") as file:
        return int(file.read().split()[1]) / 1e9


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
        first = False
        write({"type": "act", "req": message["req"], "choice": len(message["legal"]) - 1})
