"""The work of ``khiva-arena submit``: a bot is sent to a league elsewhere, and what the
league says is printed and kept.
"""

import json
import os
import re
import shlex
import time
from pathlib import Path
from typing import Any, NamedTuple

import click
import msgspec

from khiva_arena.bots.sandbox import regular_files
from khiva_arena.common.text import harmless
from khiva_arena.competition.settings.permissions import asking
from khiva_arena.display.terminal.console import say
from khiva_arena.display.terminal.interrupts import if_interrupted
from khiva_arena.display.terminal.question import agreed
from khiva_arena.entrants import bots as bot_files
from khiva_arena.entrants.commits import without_commit
from khiva_arena.entrants.loading import valid_part_of
from khiva_arena.entrants.packing import pack
from khiva_arena.errors import ConfigError
from khiva_arena.extensions.league.submissions import receipts, sending
from khiva_arena.extensions.league.submissions.names import check_name
from khiva_arena.extensions.league.submissions.sending import SentEntry, Site, Unanswered, site_of

VARIABLE = "KHIVA_ARENA_TOKEN"
TOKEN = re.compile(r"[A-Za-z0-9_-]{16,128}")
MOST_TOKEN_FILE = 1_000  # bytes
POLL_SECONDS = (5.0, 60.0)
"""The wait between two questions after a bot that is being checked, first and at
most.
"""
UNANSWERED_MOST = 20
"""The questions in a row that may stay without an answer while a bot is waited for."""
IN = ("accepted", "entered")


class SubmitFlags(NamedTuple):
    """How a bot is sent, as the flags say.

    token_file: with the author's token; None for the variable.
    ca: with a certificate to trust; None for those of the system.
    name: of the bot in the league; None for its own.
    allow_include: True to send files outside of the bot's folder, too.
    agree: whether the author agrees to what the league publishes.
    wait: whether to wait for its check.
    as_json: whether JSON is printed.
    """

    token_file: Path | None
    ca: Path | None
    name: str | None
    allow_include: bool | None
    agree: bool
    wait: bool
    as_json: bool


def submit(bot: str | None, to: str, status: bool, **flags: Any) -> int:
    """Send a bot, or print what became of those that were sent. Returns the exit
    code. ``flags``: those of ``SubmitFlags``.
    """
    wish = SubmitFlags(**flags)
    site = site_of(to, wish.ca)
    if not status:
        return _send(site, bot, wish)
    if bot or wish.name or wish.wait:
        raise ConfigError("--status sends nothing: leave BOT, --name and --wait out")
    answer = sending.entries(site, _token(wish.token_file))
    receipts.keep(site, answer, say)
    _print_entries(answer.entries, wish.as_json)
    return 0


def _send(site: Site, bot: str | None, wish: SubmitFlags) -> int:
    if bot is None:
        raise ConfigError("name the bot to send, or give --status")
    token_file, _, name, allow, agree, wait, as_json = wish
    token = _token(token_file)
    entrant = bot_files.load(bot, loading=asking(valid_part_of({"allow_include": allow}), say))
    name = name or without_commit(entrant.name, entrant.commit)
    check_name(name, "a bot")
    packed = pack(entrant)
    publishes = sending.terms(site).publish_bots
    question = (
        f"{site.url}: this league publishes its bots: anybody may get the module of {name} "
        "from its bundles and run it again, "
        "and all of its files if it is in JavaScript or Python. Send it?"
    )
    if publishes and not agreed(harmless(question), agree, "--agree"):
        raise ConfigError(f"{name} is not sent")
    sent = sending.send(site, token, name, packed, agreed=publishes)
    kept_in = receipts.keep(site, sent, say)
    entry = SentEntry(sent.entry, name, sent.state)
    where = harmless(
        f"entry {sent.entry} of {sent.league}" if sent.league else f"entry {sent.entry}"
    )
    if wait:
        if sent.state == "waiting":
            say(f"{where}: waits for its check")
        with if_interrupted(say, lambda: f"{where} is sent"):
            entry = _settled(site, token, entry)
    if as_json:
        kept = str(kept_in) if kept_in else None
        click.echo(
            json.dumps({**msgspec.to_builtins(entry), "league": sent.league, "receipts": kept})
        )
    else:
        click.echo(f"{where}: {_text_of(entry)}")
    if not wait:
        same = [("--to", site.url), ("--token-file", token_file), ("--ca", wish.ca)]
        flags = "".join(f" {flag} {shlex.quote(str(value))}" for flag, value in same if value)
        say(harmless(f"next: khiva-arena submit --status{flags}"))
    return 0 if not wait or entry.state in IN else 1


def _token(file: Path | None) -> str:
    """Return the author's token. Raises ConfigError if there is none, or others can
    read it.
    """
    where = f"--token-file {file}" if file else f"${VARIABLE}"
    token = _read_private(file) if file else os.environ.get(VARIABLE, "")
    if not token:
        raise ConfigError(
            f"{where}: there is no token; the organiser gives you one, by `khiva-arena "
            "league author add`"
        )
    if not TOKEN.fullmatch(token):
        raise ConfigError(f"{where}: that is no token: letters, digits, - and _ in one line")
    return token


def _read_private(file: Path) -> str:
    try:
        with regular_files.open_file(file) as opened:
            mode = os.fstat(opened.fileno()).st_mode & 0o777
            if mode & 0o077:
                raise ConfigError(
                    f"--token-file {file}: others may read or write it (mode {mode:o}); "
                    "chmod 600 it"
                )
            return opened.read(MOST_TOKEN_FILE).decode("ascii", "replace").strip()
    except OSError as error:
        raise ConfigError(f"--token-file {file}: {error.strerror or error}") from None


def _settled(site: Site, token: str, entry: SentEntry) -> SentEntry:
    """Wait until an entry is accepted or refused, and return it. Raises ConfigError if
    the league knows it no more.
    """
    pause, unanswered = POLL_SECONDS[0], 0
    while True:
        if entry.state == "waiting":  # else it was sent before, and only its report is asked for
            time.sleep(pause)
        pause = min(POLL_SECONDS[1], pause * 1.3)
        try:
            found = [
                one for one in sending.entries(site, token).entries if one.entry == entry.entry
            ]
        except Unanswered as error:
            unanswered += 1
            if unanswered == UNANSWERED_MOST:
                raise
            say(f"{error}; asked again")
            continue
        unanswered = 0
        if not found:
            raise ConfigError(
                f"{site.url}: knows no entry {entry.entry} of yours any more; ask the organiser"
            )
        if found[0].state != "waiting":
            return found[0]


def _print_entries(entries: list[SentEntry], as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps({"entries": msgspec.to_builtins(entries)}))
        return
    for entry in entries:
        click.echo(f"entry {entry.entry}: {_text_of(entry)}")
    if not entries:
        say("nothing was sent with this token yet")


def _text_of(entry: SentEntry) -> str:
    """Return what became of a bot: its state, and the report on lines of their own,
    which cannot pass for ours.
    """
    lines = [
        f"{harmless(entry.bot)} is {harmless(entry.state)}",
        *map(harmless, entry.report.splitlines()),
    ]
    return "\n    ".join(lines)


def receipt(url: str, ca: Path | None) -> None:
    """Ask a league for its newest link, print it, and keep it with the time. Raises
    ConfigError if the league has none.
    """
    site = site_of(url, ca)
    told = sending.newest(site)
    click.echo(f"link {told.link} {told.digest}")
    receipts.keep(site, told, say)
