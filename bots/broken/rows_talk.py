"""Rows of the conversation: silence, lateness, too much, too early, and the start."""

import os
import select
import sys
import time

from pack import Raw, pack
from talk import LONG, Bot, framed, hang, last_legal, row, say


@row("end")
def honest(bot: Bot, message: dict) -> None:
    """misbehaves in no way; tells how long it waited: from its start to its first request, and for any one later message"""
    say(f"honest waited {bot.start * 1000:.0f} {bot.longest * 1000:.0f}")


@row("turn")
def slow(bot: Bot, decide: dict) -> None:
    """thinks 50 ms from then on"""
    message = decide
    while message and message["type"] == "decide":
        time.sleep(0.05)
        bot.answer(message)
        message = bot.read()


# --- the start ---


@row("start")
def start_deaf(bot: Bot) -> None:
    """never reads its input, from the start"""
    hang()


@row("start")
def start_greets_deaf(bot: Bot) -> None:
    """says hello without having read anything, and never reads"""
    bot.greet()
    hang()


@row("start")
def start_slow(bot: Bot) -> None:
    """needs too long to start"""
    time.sleep(10)


@row("start")
def start_banner(bot: Bot) -> None:
    """prints a banner on stdout"""
    bot.raw(b"Hello! I am the best bot there is.\n")


@row("start")
def start_exit(bot: Bot) -> None:
    """exits at the start, saying why on stderr"""
    sys.exit("cannot find my weights")


@row("start")
def start_flood(bot: Bot) -> None:
    """writes zeros without end instead of a hello"""
    while True:
        bot.raw(bytes(65_536))


@row("start")
def start_act(bot: Bot) -> bool:
    """answers before it has said hello"""
    bot.send({"type": "act", "req": 1, "choice": 0})
    return True


@row("start")
def start_unasked(bot: Bot) -> bool:
    """says hello before it has read the arbiter's: allowed"""
    bot.greet()
    return True


@row("start")
def start_twice(bot: Bot) -> bool:
    """says hello twice"""
    bot.greet()
    bot.greet()
    return True


@row("start")
def start_proto(bot: Bot) -> bool:
    """chooses a protocol that was not offered"""
    bot.greet(proto=2)
    return True


@row("start")
def start_nameless(bot: Bot) -> bool:
    """has an empty name"""
    bot.greet(name="")
    return True


@row("start")
def start_name_64(bot: Bot) -> bool:
    """has a name of 64 characters: allowed"""
    bot.greet(name="é" * 64)
    return True


@row("start")
def start_name_65(bot: Bot) -> bool:
    """has a name of 65 characters"""
    bot.greet(name="n" * 65)
    return True


@row("start")
def start_name_escapes(bot: Bot) -> bool:
    """has terminal escapes in its name"""
    bot.greet(name="\x1b]0;owned\x07")
    return True


@row("start")
def start_array(bot: Bot) -> bool:
    """says hello in an array"""
    bot.payload(pack(["hello", 1, "zoo"]))
    return True


# --- silence and lateness ---


@row("turn")
def deaf(bot: Bot, decide: dict) -> None:
    """reads and answers no more"""
    hang()


@row("turn")
def no_flush(bot: Bot, decide: dict) -> None:
    """leaves its answers in a buffer"""
    kept = open(1, "wb", buffering=1 << 20, closefd=False)  # noqa: SIM115 - never written out is the point
    kept.write(framed(last_legal(decide)))
    hang()


@row("turn")
def silent_once(bot: Bot, decide: dict) -> None:
    """leaves one request without an answer"""


@row("turn")
def late(bot: Bot, decide: dict) -> None:
    """answers one request when its time is up: after the next message has come"""
    select.select([0], [], [])
    bot.answer(decide)


@row("turn")
def uses_bank(bot: Bot, decide: dict) -> None:
    """thinks longer than its turn, within its bank"""
    time.sleep((decide["turn_ms"] + decide["bank_ms"] / 3) / 1000)
    bot.answer(decide)


@row("turn")
def thinks_too_long(bot: Bot, decide: dict) -> None:
    """thinks far longer than its turn and its bank"""
    time.sleep((decide["turn_ms"] + decide["bank_ms"]) / 1000 * 10)
    bot.answer(decide)


# --- too much, too early ---


@row("turn")
def answers_twice(bot: Bot, decide: dict) -> None:
    """answers one request twice"""
    bot.answer(decide)
    bot.answer(decide)


@row("turn")
def answers_20_times(bot: Bot, decide: dict) -> None:
    """answers one request twenty times"""
    for _ in range(20):
        bot.answer(decide)


@row("turn")
def answers_older(bot: Bot, decide: dict) -> None:
    """answers the request before this one once more, and then no more"""
    bot.answer(decide, req=decide["req"] - 1)
    hang()


@row("turn")
def answers_future(bot: Bot, decide: dict) -> None:
    """answers a request that was not asked yet"""
    bot.answer(decide, req=decide["req"] + 1)
    hang()


@row("turn")
def answers_early(bot: Bot, decide: dict) -> None:
    """answers, and the next request with it before it is asked"""
    bot.raw(framed(last_legal(decide)) + framed(last_legal(decide) | {"req": decide["req"] + 1}))


@row("turn")
def flood_garbage(bot: Bot, decide: dict) -> None:
    """writes garbage on stdout without end"""
    while True:
        bot.raw(b"\xfe\x01garbage" * 8192)


@row("turn")
def flood_zeros(bot: Bot, decide: dict) -> None:
    """writes zeros on stdout without end"""
    while True:
        bot.raw(bytes(65_536))


@row("turn")
def flood_acts(bot: Bot, decide: dict) -> None:
    """writes the same answer without end"""
    while True:
        bot.answer(decide)


@row("turn")
def flood_line(bot: Bot, decide: dict) -> None:
    """writes one line that never ends"""
    while True:
        bot.raw(b"x" * 65_536)


@row("turn")
def flood_frame(bot: Bot, decide: dict) -> None:
    """writes the largest frames there may be, without end"""
    while True:
        bot.payload(bytes(65_536))


# --- what it is told ---


@row("turn")
def fault_answered(bot: Bot, decide: dict) -> None:
    """chooses illegally, and answers the message that tells it so with a message of its own"""
    bot.answer(decide, choice=9999)
    wait_for_fault(bot)
    bot.send({"type": "sorry"})


@row("turn")
def fault_acted(bot: Bot, decide: dict) -> None:
    """chooses illegally, and answers the message that tells it so with an act for the same request"""
    bot.answer(decide, choice=9999)
    wait_for_fault(bot)
    bot.answer(decide)


@row("end")
def writes_after_end(bot: Bot, message: dict) -> None:
    """writes on, when the match is over"""
    for _ in range(20):
        bot.send({"type": "act", "req": 1, "choice": 0})
    bot.raw(b"good game!\n")


@row("end")
def notes_after_end(bot: Bot, message: dict) -> None:
    """writes 400 kB on stderr when the match is over"""
    os.write(2, b"x" * 400_000 + b"DONE")


@row("end")
def never_exits(bot: Bot, message: dict) -> None:
    """does not exit when the match is over"""
    time.sleep(LONG)


def wait_for_fault(bot: Bot) -> None:
    """Read on to the message that tells of the fault: nothing is asked before it."""
    while (message := bot.read()) and message["type"] != "fault":
        continue


# --- choices ---


@row("turn")
def choice_negative(bot: Bot, decide: dict) -> None:
    """chooses -1"""
    bot.answer(decide, choice=-1)


@row("turn")
def choice_beyond(bot: Bot, decide: dict) -> None:
    """chooses the entry behind the last one"""
    bot.answer(decide, choice=len(decide["legal"]))


@row("turn")
def choice_huge(bot: Bot, decide: dict) -> None:
    """chooses 2**53 - 1"""
    bot.answer(decide, choice=2**53 - 1)


@row("turn")
def choice_text(bot: Bot, decide: dict) -> None:
    """chooses in words"""
    bot.answer(decide, choice="0")


@row("turn")
def choice_true(bot: Bot, decide: dict) -> None:
    """chooses true"""
    bot.answer(decide, choice=True)


@row("turn")
def choice_entry(bot: Bot, decide: dict) -> None:
    """sends the chosen entry instead of its index"""
    bot.answer(decide, choice=decide["legal"][0])


@row("turn")
def choice_missing(bot: Bot, decide: dict) -> None:
    """sends no choice at all"""
    bot.send({"type": "act", "req": decide["req"]})


@row("turn")
def choice_float(bot: Bot, decide: dict) -> None:
    """chooses 0.0"""
    bot.answer(decide, choice=Raw(b"\xcb" + bytes(8)))
