"""A bot that is honest, thinks for SECONDS of its own CPU at the first decision, or keeps N processes busy all along.

hog.py honest | thinks SECONDS | burns N
"""

import os
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


read()
write({"type": "hello", "proto": 1, "name": how})
first = True
while True:
    message = read()
    if message["type"] == "decide":
        if first and how == "burns":
            for _ in range(int(amount)):
                burn()
        if first and how == "thinks":
            begun = time.process_time()
            while time.process_time() - begun < amount:
                pass
        first = False
        write({"type": "act", "req": message["req"], "choice": len(message["legal"]) - 1})
