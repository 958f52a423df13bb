"""Frames of an arena that may send anything, thrown at the relay: it may lose the link,
and it may end where an arena that has shown the token says so, but it raises nothing
else, and starts and holds no more than it may.

    python tests/extensions/seats/support/fuzz_relay.py [--minutes M] [--seed S]
"""

import argparse
import json
import secrets
import socket
import struct
import sys
import threading
import time
from collections import Counter
from random import Random
from typing import Any

from khiva_arena.extensions.seats import arena_link, relay_talk
from khiva_arena.extensions.seats.relay_connecting import Ended
from khiva_arena.extensions.seats.relay_protocol import (
    HEAD,
    MOST,
    WINDOW,
    LinkBreach,
    packed,
    packed_json,
    proof,
)

AT_MOST = 3
TOKEN = "a token that nobody else has"
BOT = {"args": ["cat"], "cwd": None, "env": None}
KINDS = b"odnkcpabRGHWx12iq\0"
FRAMES_OF_A_LINK = 400
DEEP = b"[" * 60_000


def frame(chance: Random, opened: list[int], relay: "relay_talk.Relay") -> tuple[bytes, int, bytes]:
    """One that an arena could send, or nearly."""
    wrong = chance.random() < 0.02
    kind = chance.choices(
        [b"o", b"d", b"n", b"k", b"c", b"p", b"a", b"b", b"R"], [2, 20, 1, 1, 5, 5, 5, 0.02, 0.02]
    )[0]
    if wrong and chance.random() < 0.3:
        kind = bytes([chance.choice(KINDS)])
    session = chance.choice([*opened[-3:], len(opened) + 1, chance.choice([0, 1, 2**32 - 1])])
    if kind == b"o":
        session = session if wrong else len(opened) + 1
        opened.append(session)
    data = b""
    if kind == b"d":
        data = chance.randbytes(chance.choice([0, 1, 5, 1_000, MOST if wrong else 5_000]))
    elif kind in b"ca":
        program = relay._sessions.get(session)
        right = (
            (program.sent if program else 1)
            if kind == b"c"
            else relay._channel._first + len(relay._channel._kept)
        )
        count = chance.choice([0, 1, 5, 64, WINDOW, 2**31]) if wrong else right
        if not count and kind == b"c":
            kind = b"d"  # which says nothing
    if kind in b"ca":
        data = struct.pack(">I" if kind == b"c" else ">Q", count)
    elif kind == b"p":
        data = chance.randbytes(8)
    elif kind in (b"b", b"R"):
        data = json.dumps(
            chance.choice([{}, {"over": 0}, {"text": "\x1b[2J" * 99}, [], 3, None])
        ).encode()
    if wrong and chance.random() < 0.3:
        data = chance.choice(
            [
                b"",
                chance.randbytes(3),
                DEEP,
                b"NaN",
                b"{" * 99,
                b"1" * 9_999,
                chance.randbytes(MOST),
            ]
        )
    return kind, session, data


def link(chance: Random, relay: "relay_talk.Relay", words: Counter[str]) -> None:
    """One connection behind the proof: frames until the relay has enough of them."""
    opened: list[int] = []
    for _ in range(FRAMES_OF_A_LINK):
        words["frames"] += 1
        try:
            relay._connected = True
            relay._take(*frame(chance, opened, relay))
            relay._take_events()
            relay._check_unread()
        except LinkBreach as breach:
            words[f"breach: {breach}"] += 1
            relay._begin_anew()
            break
        except ConnectionError:
            words["the link is lost"] += 1
            break
        except Ended:
            words["the run is over"] += 1
            break
        finally:
            if chance.random() < 0.3:
                relay._out.clear()  # the arena reads
        assert len(relay._sessions) <= AT_MOST
        assert relay._programs <= 2 * AT_MOST
        assert threading.active_count() < 20 * AT_MOST, threading.active_count()
        held = len(relay._out) + relay._channel.kept_bytes
        held += sum(program._input.qsize() for program in relay._sessions.values())
        assert held < 20 << 20, held
    relay._begin_anew()


def greeting(chance: Random, words: Counter[str]) -> None:
    """Bytes in place of a greeting, by somebody who knows no token or, in one of four,
    who does.
    """
    ours, theirs = socket.socketpair()
    relay = new_relay()
    knows = chance.random() < 0.25
    nonce = (
        chance.choice(["ab", 3, None, [], "\ud800", "x" * 60_000])
        if chance.random() < 0.3
        else "00" * 16
    )
    first = packed_json(b"G", arena=1, nonce=nonce)
    answer = {
        "run": "r",
        "got": 0,
        "resumed": True,
        "reconnect": 1.0,
        "final": True,
        "text": "\x1b[31mgo away\n" * 9,
    }
    for key in chance.sample(list(answer), chance.randrange(3)):
        answer[key] = chance.choice(
            [None, [], {}, -1, 1e308, 10**400, "x", float("nan"), float("inf"), True]
        )
    kind = chance.choice([b"W", b"R", b"R", b"b", b"G"])

    def arena() -> None:
        ours.settimeout(0.25)
        try:
            ours.sendall(first if chance.random() < 0.8 else spoilt(chance, first))
            hello = json.loads(ours.recv(65_536)[HEAD.size :])
            if knows:
                answer["proof"] = proof(TOKEN, "arena", "ann", str(nonce)[:64], hello["nonce"])
            said = packed_json(kind, **answer)
            ours.sendall(said if chance.random() < 0.7 else spoilt(chance, said))
        except (OSError, ValueError, UnicodeError):
            words["it hung up"] += 1
        finally:
            ours.shutdown(socket.SHUT_WR)

    thread = threading.Thread(target=arena)
    thread.start()
    try:
        relay._greet(theirs)
        words["greeted"] += 1
        assert knows
    except (LinkBreach, OSError) as error:
        words[f"no greeting: {type(error).__name__}"] += 1
    except Ended:
        words["a final refusal"] += 1
        assert knows  # nothing is final before the proof
        assert kind == b"R"
    finally:
        thread.join()
        ours.close()
        theirs.close()
        relay._end_all()


def spoilt(chance: Random, data: bytes) -> bytes:
    """A frame that is cut, or says something else."""
    if chance.random() < 0.3:
        return packed(b"R", 0, DEEP)
    if chance.random() < 0.5:
        return data[: chance.randrange(len(data))]
    changed = bytearray(data)
    changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def new_relay(keep: bool = False) -> "relay_talk.Relay":
    return relay_talk.Relay(
        arena_link.ArenaLink(("127.0.0.1", 1), "ann", TOKEN, None),
        dict(BOT),
        keep,
        lambda _: None,
        AT_MOST,
    )


def fuzz(seed: int, frames: int = sys.maxsize, seconds: float = float("inf")) -> Counter[str]:
    """So many frames, or for so long. Returns what they came to."""
    chance, words, until = Random(seed), Counter[str](), time.monotonic() + seconds
    relays: dict[bool, Any] = {keep: new_relay(keep) for keep in (False, True)}
    try:
        while words["frames"] < frames and time.monotonic() < until:
            link(chance, relays[chance.random() < 0.3], words)
            if chance.random() < 0.3:
                greeting(chance, words)
    finally:
        for relay in relays.values():
            relay._end_all()
    return words


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=2.0)
    parser.add_argument("--seed", type=int, default=secrets.randbelow(2**40))
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    for word, times in fuzz(options.seed, seconds=60 * options.minutes).most_common():
        print(f"{times:9,}  {word}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
