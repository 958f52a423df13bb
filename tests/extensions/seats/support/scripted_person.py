"""A person who chooses by a rule, so that a page and the command can be compared: the
same choices give the same record.
"""

import signal
from pathlib import Path

from forked_command import started
from seat_client import Seat, addresses

from khiva_arena.records.replay.record import Record

CHOICES = 21
"""As many choices are made by the rule; the default is taken from there on, as the
first is the most likely to end a match.
"""


def choice_of(asked: int, legal: int) -> int:
    """The choice of the person. ``asked``: how many questions came before. ``legal``:
    how many choices there are.
    """
    return (7 * asked + 3) % legal if asked < CHOICES else 0


def by_command(folder: Path, *words: str, persons: int = 1) -> Record:
    """The record that ``play --json`` prints of a match in ticks, with persons who
    choose by the rule at each page.
    """
    clock = () if "--from" in words else ("--clock", "ticks")
    process = started("play", *clock, "--no-open", "--no-hints", "--json", *words, cwd=folder)
    try:
        pages = [Seat(address) for address in addresses(process, persons)]
        play(pages)
        for page in pages:
            page.close()
        out, err = process.communicate(timeout=120)
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
    assert process.returncode == 0, err
    return Record.from_json(out.rstrip("\n"))


def play(pages: list[Seat]) -> None:
    """Choose at each page until the match is over."""
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(len(pages)) as pool:
        list(pool.map(_play_one, pages))


def _play_one(page: Seat) -> None:
    ask, asked = page.until("table")["ask"], 0
    while True:
        if ask:
            page.say(
                {"type": "choose", "req": ask["req"], "choice": choice_of(asked, len(ask["legal"]))}
            )
            asked += 1
        message = page.until("ask", "over")
        if message["type"] == "over":
            return
        ask = message["ask"]
