"""A bot that errs in one way, as honest authors do, and is right otherwise: misfit.py
WORD. It plays the last legal choice.

A check starts it some thirty times: what one way alone needs is imported there.
"""

import os
import struct
import sys
import time

import msgpack

WAY = sys.argv[1] if len(sys.argv) > 1 else "honest"
HELLO = {
    "type",
    "protos",
    "caps",
    "game",
    "rules",
    "rules_version",
    "match",
    "seat",
    "seats",
    "seed",
    "time",
    "commit",
}
DECIDE = {"type", "req", "kind", "turn_ms", "bank_ms", "view", "events", "legal"}
ENDS = {
    "stopped": lambda: stop(),
    "closes_input": lambda: os.close(0),
    "closes_output": lambda: os.close(1),
    "hangs": lambda: None,
}
pending = b""
decided = 0


def main() -> None:
    """Play one match."""
    at_start()
    seats, sent = 0, None
    while (payload := read()) is not None:
        if WAY == "no_wide" and payload[0] == 0xDF:
            sys.exit("cannot read byte 0xdf")
        message = msgpack.unpackb(payload)
        kind = message["type"]
        if WAY == "strict_fields" and set(message) - (
            HELLO if kind == "hello" else DECIDE if kind == "decide" else set(message)
        ):
            raise TypeError(f"unexpected fields {set(message) - HELLO - DECIDE}")
        if kind == "hello":
            seats = message["seats"]
            greet(message["protos"])
        elif kind == "decide":
            sent = decide(message, seats)
        elif kind == "fault" and WAY == "answers_fault":
            write({"type": "sorry"})
        elif kind == "end":
            at_the_end(sent)
        elif kind != "fault" and WAY == "answers_unknown":
            write({"type": "unknown"})
    if WAY == "never_exits":
        time.sleep(60)


def at_start() -> None:
    """What goes wrong before the hello."""
    if WAY == "slow_start":
        time.sleep(30)
    if WAY == "banner":
        os.write(1, b"Misfit 1.0, the best bot there is\n")
    if WAY == "library":
        exec("import no_such_library")  # `check` warns of an import that it sees, whatever the way
    if WAY == "reads_outside":
        with open("/root/misfit/weights.bin") as file:
            file.read()
    if WAY == "exits_at_once":
        sys.exit("cannot find my weights")
    if seconds := {"child": "60", "child_27": "27.0625"}.get(WAY):
        import subprocess

        nothing = subprocess.DEVNULL
        subprocess.Popen(["sleep", seconds], stdin=nothing, stdout=nothing, stderr=nothing)


def greet(protos: list) -> None:
    """Answer the hello."""
    hello = {"type": "hello", "proto": 2 if WAY == "proto_2" else 1, "name": "misfit"}
    if WAY == "greets_any_proto":
        hello["proto"] = protos[0]
    elif 1 not in protos:
        sys.exit(f"the arbiter speaks protocols {protos}, I speak 1")
    elif WAY == "empty_map":
        hello["caps"] = {}
    elif WAY == "slow_hello":
        time.sleep(4.5)
    elif WAY == "spins":
        import threading

        threading.Thread(target=spin, daemon=True).start()
    write(hello)


def spin() -> None:
    """Use a core, the interpreter's lock left to others."""
    import hashlib

    while True:
        hashlib.pbkdf2_hmac("sha256", b"a", b"b", 50_000)


def stop() -> None:
    """Stop as by a key of the terminal."""
    import signal

    os.kill(os.getpid(), signal.SIGSTOP)


def decide(message: dict, seats: int) -> dict:
    """Answer a request. Returns the answer."""
    global decided
    decided += 1
    choice = len(message["legal"]) - 1
    act = {"type": "act", "req": message["req"], "choice": choice}
    if WAY == "print":
        print("thinking ...", flush=True)
    elif WAY == "print_unflushed":
        print("thinking ...")
    elif WAY == "note":
        os.write(2, b"one\ntwo\n")
    elif WAY == "float":
        act["choice"] = choice / 1
    elif WAY == "text":
        act["choice"] = str(choice)
    elif WAY == "wrong_req":
        act["req"] += 1
    elif WAY == "req_32_bits":
        act["req"] &= 0x7FFF_FFFF
    elif (WAY == "two_seats_only" and seats != 2) or (
        WAY == "one_kind" and message["kind"] == "shop4"
    ):
        act["choice"] = len(message["legal"])
    elif WAY == "memory":
        act["kept"] = bytearray(200 << 20)[:1].decode()
    elif WAY == "lots":
        import random

        act["choice"] = random.randrange(len(message["legal"]))
    elif WAY == "slow" and decided == 1:
        time.sleep(0.15)
    elif WAY == "stops" and decided == 4:
        time.sleep(60)
    elif WAY == "slow_answer":
        time.sleep(2.8)
    elif WAY == "slow_req" and message["req"] in (127, 128):
        time.sleep(1.9)
    elif WAY == "string_req":
        act["req"] = str(act["req"])
    elif WAY == "chokes_on_forfeit" and any(
        event["type"] == "forfeit" for event in message["events"]
    ):
        raise LookupError("forfeit")
    elif WAY == "chokes_on_default" and any(
        event["type"] == "default" for event in message["events"]
    ):
        raise LookupError("default")
    elif WAY == "word":
        act["choice"] = message["kind"]
    elif WAY in ENDS:
        ENDS[WAY]()
        time.sleep(60)
    elif WAY == "silent":
        return act
    write(act)
    if WAY == "twice":
        write(act)
    return act


def at_the_end(sent: dict | None) -> None:
    """What goes wrong when the match is over."""
    if WAY == "prints_after_end":
        os.write(1, b"good game!\n")
    if WAY == "acts_after_end" and sent:
        write(sent)
    while WAY == "floods_after_end" and sent:
        write(sent)
    if WAY == "exits_3":
        sys.exit(3)


def read() -> bytes | None:
    """The next payload."""
    global pending
    if WAY == "one_read":
        data = os.read(0, 1 << 20)
        return data[4:] or None
    if WAY == "fills_buffer":
        head = sys.stdin.buffer.read(4)
        return sys.stdin.buffer.read(65_536)[: int.from_bytes(head, "big")] if head else None
    if WAY == "drops_rest":
        while len(pending) < 4 or len(pending) < 4 + int.from_bytes(pending[:4], "big"):
            if not (data := os.read(0, 1 << 16)):
                return None
            pending += data
        payload, pending = pending[4 : 4 + int.from_bytes(pending[:4], "big")], b""
        return payload
    head = exact(4)
    if head is None:
        return None
    size = int.from_bytes(head, "big")
    if WAY == "half_read":
        return os.read(0, size)
    if WAY == "small_buffer" and size > 65_536:
        sys.exit(f"a frame of {size} bytes")
    return exact(size)


def exact(size: int) -> bytes | None:
    """So many bytes, or None at the end of input."""
    data = b""
    while len(data) < size:
        more = os.read(0, size - len(data))
        if not more:
            return None
        data += more
    return data


def write(message: dict) -> None:
    """One frame, in this bot's own way."""
    payload = msgpack.packb(message)
    act = message["type"] == "act"
    if WAY == "bin_keys" and act:
        payload = msgpack.packb(
            {key.encode(): value for key, value in message.items()}, use_bin_type=True
        )
    elif WAY == "integer_keys" and act:
        payload = msgpack.packb(dict(enumerate(message.values())))
    elif WAY == "repeated_key" and act:
        payload = b"\x84\xa6choice\x00" + payload[1:]
    elif WAY == "repeated_long_key" and act:
        twice = msgpack.packb("k" * 20_000) + b"\x00"
        payload = b"\x85" + twice * 2 + payload[1:]
    elif WAY in ("json", "json_in_frame"):
        import json

        payload = json.dumps(message).encode()
        if WAY == "json":
            os.write(1, payload + b"\n")
            return
    frame = struct.pack("<I" if WAY == "little_endian" else ">I", len(payload)) + payload
    if WAY == "bare":
        frame = payload
    elif WAY == "crlf":
        frame = frame.replace(b"\n", b"\r\n")
    elif WAY == "half" and act:
        frame = frame[:-3]
    elif WAY == "newline":
        frame += b"\n"
    elif WAY == "counts_its_length" and act:
        frame = struct.pack(">I", len(frame)) + payload
    elif WAY == "no_msgpack" and act:
        frame = b"\0\0\0\3\xc1\xc1\xc1"
    if WAY in ("no_flush", "lost_at_exit") and act:
        sys.stdout.buffer.write(frame)
        if WAY == "lost_at_exit":
            os._exit(0)
    else:
        os.write(1, frame)


if __name__ == "__main__":
    main()
