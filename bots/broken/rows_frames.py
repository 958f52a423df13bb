"""Rows of bytes: framing, and payloads that break the profile or keep to it in odd ways."""

import math
import struct
import time

from pack import Raw, pack
from talk import Bot, framed, hang, last_legal, row


def with_field(bot: Bot, decide: dict, value: object) -> None:
    """The honest answer with one more field, which every receiver ignores, and which the profile holds for, too."""
    bot.answer(decide, extra=value)


def nested(levels: int) -> list:
    """Arrays within arrays."""
    return [nested(levels - 1)] if levels > 1 else []


# --- text and line ends ---


@row("turn")
def print_(bot: Bot, decide: dict) -> None:
    """prints its thoughts on stdout"""
    print("thinking hard", flush=True)
    bot.answer(decide)


@row("turn")
def print_buffered(bot: Bot, decide: dict) -> None:
    """prints a line on stdout, which comes out of its buffer when it exits"""
    print("thinking hard")
    bot.answer(decide)


@row("turn")
def print_8k(bot: Bot, decide: dict) -> None:
    """prints so much that the buffer comes out"""
    print("thinking hard\n" * 1000)
    bot.answer(decide)


@row("turn")
def print_behind(bot: Bot, decide: dict) -> None:
    """answers, and prints behind the answer"""
    bot.answer(decide)
    print("that was easy", flush=True)


@row("turn")
def line_ends(bot: Bot, decide: dict) -> None:
    """writes through a stream that turns each line feed into two bytes"""
    bot.raw(framed(last_legal(decide) | {"extra": "\n"}).replace(b"\n", b"\r\n"))


# --- frames ---


@row("turn")
def half_frame(bot: Bot, decide: dict) -> None:
    """sends a length and one byte of what it announces"""
    bot.raw(b"\0\0\0\x20\x83")
    hang()


@row("turn")
def half_length(bot: Bot, decide: dict) -> None:
    """sends half a length"""
    bot.raw(b"\0\0")
    hang()


@row("turn")
def trickle(bot: Bot, decide: dict) -> None:
    """sends a byte every 50 ms"""
    for byte in framed(last_legal(decide)):
        bot.raw(bytes([byte]))
        time.sleep(0.05)


@row("turn")
def single_bytes(bot: Bot, decide: dict) -> None:
    """sends its answer byte by byte, in time: allowed"""
    for byte in framed(last_legal(decide)):
        bot.raw(bytes([byte]))


@row("turn")
def length_4g(bot: Bot, decide: dict) -> None:
    """announces 4 GiB"""
    bot.raw(b"\xff\xff\xff\xff")
    hang()


@row("turn")
def length_16m(bot: Bot, decide: dict) -> None:
    """announces 16 MiB"""
    bot.raw(b"\0\xff\xff\xff")
    hang()


@row("turn")
def length_0(bot: Bot, decide: dict) -> None:
    """announces nothing"""
    bot.raw(bytes(4))
    hang()


@row("turn")
def frame_65536(bot: Bot, decide: dict) -> None:
    """sends a frame of 65,536 bytes: allowed"""
    padding = 65_536 - len(pack(last_legal(decide) | {"extra": "x" * 100})) + 100
    with_field(bot, decide, "x" * padding)


@row("turn")
def frame_65537(bot: Bot, decide: dict) -> None:
    """sends a frame of 65,537 bytes"""
    padding = 65_537 - len(pack(last_legal(decide) | {"extra": "x" * 100})) + 100
    with_field(bot, decide, "x" * padding)


@row("turn")
def trailing(bot: Bot, decide: dict) -> None:
    """sends a frame with a byte behind its map"""
    bot.payload(pack(last_legal(decide)) + b"\xc0")


@row("turn")
def two_maps(bot: Bot, decide: dict) -> None:
    """sends two answers in one frame"""
    bot.payload(pack(last_legal(decide)) * 2)


# --- payloads ---


@row("turn")
def not_a_map(bot: Bot, decide: dict) -> None:
    """answers with an array"""
    bot.payload(pack([decide["req"], 0]))


@row("turn")
def empty_map(bot: Bot, decide: dict) -> None:
    """answers with an empty map"""
    bot.send({})


@row("turn")
def unknown_type(bot: Bot, decide: dict) -> None:
    """answers with a type that nobody knows"""
    bot.answer(decide, type="resign")


@row("turn")
def random_bytes(bot: Bot, decide: dict) -> None:
    """answers with bytes that are no MessagePack"""
    bot.payload(b"\xc1" * 100)


@row("turn")
def array_bomb(bot: Bot, decide: dict) -> None:
    """nests 60,000 arrays"""
    with_field(bot, decide, Raw(b"\x91" * 60_000 + b"\xc0"))


@row("turn")
def array_claim(bot: Bot, decide: dict) -> None:
    """claims an array of 2**32 - 1 entries"""
    bot.answer(decide, choice=Raw(b"\xdd\xff\xff\xff\xff"))


@row("turn")
def header_bomb(bot: Bot, decide: dict) -> None:
    """nests 10,000 claims of huge arrays"""
    with_field(bot, decide, Raw(b"\xdd\x00\xff\xff\xff" * 10_000))


@row("turn")
def map_claim(bot: Bot, decide: dict) -> None:
    """claims a map of 2**32 - 1 entries"""
    bot.payload(b"\xdf\xff\xff\xff\xff")


@row("turn")
def depth_16(bot: Bot, decide: dict) -> None:
    """nests 16 levels deep: allowed"""
    with_field(bot, decide, nested(15))


@row("turn")
def depth_17(bot: Bot, decide: dict) -> None:
    """nests 17 levels deep"""
    with_field(bot, decide, nested(16))


@row("turn")
def bad_utf8(bot: Bot, decide: dict) -> None:
    """sends a string that is no UTF-8"""
    with_field(bot, decide, Raw(b"\xa2\xc3\x28"))


@row("turn")
def surrogate(bot: Bot, decide: dict) -> None:
    """sends half a surrogate pair"""
    with_field(bot, decide, "\ud800")


@row("turn")
def float_(bot: Bot, decide: dict) -> None:
    """sends a float in a field that nobody knows"""
    with_field(bot, decide, Raw(b"\xcb" + struct.pack(">d", 1.0)))


@row("turn")
def nan(bot: Bot, decide: dict) -> None:
    """sends a NaN"""
    bot.answer(decide, choice=Raw(b"\xcb" + struct.pack(">d", math.nan)))


@row("turn")
def infinity(bot: Bot, decide: dict) -> None:
    """sends an infinite choice"""
    bot.answer(decide, choice=Raw(b"\xca" + struct.pack(">f", math.inf)))


@row("turn")
def big_integer(bot: Bot, decide: dict) -> None:
    """sends 2**64 - 1"""
    bot.answer(decide, choice=Raw(b"\xcf" + b"\xff" * 8))


@row("turn")
def integer_54_bits(bot: Bot, decide: dict) -> None:
    """sends 2**53 in a field that nobody knows"""
    with_field(bot, decide, 2**53)


@row("turn")
def extension(bot: Bot, decide: dict) -> None:
    """sends an extension type"""
    with_field(bot, decide, Raw(b"\xc7\x03\x05abc"))


@row("turn")
def timestamp(bot: Bot, decide: dict) -> None:
    """sends a timestamp"""
    with_field(bot, decide, Raw(b"\xd6\xff" + struct.pack(">I", 1_700_000_000)))


@row("turn")
def binary(bot: Bot, decide: dict) -> None:
    """sends bin instead of a string"""
    bot.answer(decide, type=Raw(b"\xc4\x03act"))


@row("turn")
def binary_keys(bot: Bot, decide: dict) -> None:
    """sends bin instead of keys"""
    bot.send({Raw(b"\xc4" + bytes([len(key)]) + key.encode()): value for key, value in last_legal(decide).items()})


@row("turn")
def integer_keys(bot: Bot, decide: dict) -> None:
    """sends a map with integers as keys in a field that nobody knows"""
    with_field(bot, decide, {1: 2})


@row("turn")
def duplicate_keys(bot: Bot, decide: dict) -> None:
    """gives its choice twice; the last one is legal"""
    honest = last_legal(decide)
    wrong = pack("choice") + pack(9999)
    rest = b"".join(pack(key) + pack(value) for key, value in honest.items())
    bot.payload(bytes([0x80 + len(honest) + 1]) + wrong + rest)


@row("turn")
def unknown_fields(bot: Bot, decide: dict) -> None:
    """adds fields that nobody knows"""
    bot.answer(decide, ms=0, thought="deep", line=[[1, 2], {"a": None}])


@row("turn")
def faked_clock(bot: Bot, decide: dict) -> None:
    """thinks 1.5 turns, reports that it took no time, and asks for time back"""
    time.sleep(decide["turn_ms"] / 1000 * 1.5)
    bot.answer(decide, elapsed_ms=0, bank_ms=2**53 - 1, sent_at=0)
    hang()
