"""A bot that misbehaves at one decision, as its arguments say: HOW [AT]. For tests of
the arbiter with real processes.
"""

import os
import signal
import sys
import time

import msgpack

how, at = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1
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


def answer(message):
    write({"type": "act", "req": message["req"], "choice": len(message["legal"]) - 1})


def misbehave(message):
    if how == "exit":
        sys.exit(3)
    if how == "segv":
        os.kill(os.getpid(), signal.SIGSEGV)
    if how == "raise":
        raise RuntimeError("no idea what to play")
    if how == "silent":
        return
    if how == "stop":
        os.kill(os.getpid(), signal.SIGSTOP)
    if how == "print":
        print("thinking hard")
        sys.stdout.flush()
    if how == "illegal":
        write({"type": "act", "req": message["req"], "choice": 9999})
    if how == "half":
        stdout.write(b"\0\0\0")
        stdout.flush()
    if how == "flood":
        while True:
            stdout.write(b"\0" * 65536)
    if how == "answers":
        while True:
            answer(message)
    if how == "escapes":
        os.write(2, b"\x1b[2J\x1b]0;owned\x07\xff plain\n")
        sys.exit(3)
    if how == "notes":
        answer(message)
        while True:
            os.write(2, b"x" * 65536)
    if how == "close":
        os.close(1)
        time.sleep(60)
    if how == "deaf":
        os.close(0)
        time.sleep(60)
    if how == "daemon":
        # A child that ignores what it can, and keeps the output open.
        if os.fork() == 0:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            time.sleep(60)
        os._exit(0)
    if how == "child":
        # One that keeps the output open, too; the bot plays on.
        if os.fork() == 0:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            time.sleep(600)
            os._exit(0)
        answer(message)
    if how == "spin":
        while True:
            pass
    if how == "late":
        time.sleep(float(sys.argv[3]))
        answer(message)


if how == "start-exit":
    sys.exit("cannot find my weights")
if how == "start-silent":
    time.sleep(60)
if how == "start-text":
    print("Hello! I am a bot.", flush=True)
    time.sleep(60)
read()
write({"type": "hello", "proto": 1, "name": "faulty"})
count = 0
while True:
    message = read()
    if message["type"] == "decide":
        count += 1
        if count == at:
            misbehave(message)
        else:
            answer(message)
    elif message["type"] == "end" and how == "last-notes":
        os.write(2, b"x" * 400_000 + b"DONE")
    elif message["type"] == "end" and how == "linger":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(60)
    elif message["type"] == "end" and how == "end-orphaned":
        os.kill(os.getppid(), signal.SIGKILL)
        time.sleep(60)
