"""A relay, which seats a bot of this machine at a table of Khiva Arena elsewhere.

Standard-library Python, 3.9 or newer, for any system. ``khiva-arena relay --copy
relay.py`` writes it with its modules as one file, for a machine without the arena:

    python3 relay.py HOST:PORT NAME -- COMMAND

``khiva-arena relay`` does the same: it connects to the arena, starts COMMAND for each
match, and passes bytes. The bot's stdin and stdout carry wire protocol 1, unchanged.
docs/many-machines.md is its page.
"""

from __future__ import annotations

import argparse
import shutil
import signal
import ssl
import sys
from pathlib import Path
from typing import NoReturn, Sequence  # noqa: UP035 - for Python 3.9

from khiva_arena.extensions.seats.arena_link import ArenaLink
from khiva_arena.extensions.seats.relay_connecting import Ended
from khiva_arena.extensions.seats.relay_protocol import (
    address,
    is_loopback,
    read_token,
    token_folder,
)
from khiva_arena.extensions.seats.relay_sessions import AT_MOST
from khiva_arena.extensions.seats.relay_talk import Relay


def relay(
    where: str,
    name: str,
    command: Sequence[str],
    *,
    token: Path | None = None,
    ca: Path | None = None,
    tls: bool = False,
    keep: bool = False,
    at_most: int = AT_MOST,
    folder: str | None = None,
    environment: dict[str, str] | None = None,
) -> int:
    """Serve a bot until the arena needs it no more. Returns the exit code; raises
    ValueError and OSError if it cannot begin.
    """
    host, port = address(where)
    if folder is None and shutil.which(command[0]) is None:
        raise ValueError(f"{command[0]}: no such program here")
    secret = read_token(token or token_folder() / name)
    context = None
    if tls or ca or not is_loopback(host):
        context = ssl.create_default_context(cafile=str(ca) if ca else None)
    start = {"args": list(command), "cwd": folder, "env": environment}
    signal.signal(signal.SIGTERM, _terminated)
    try:
        return Relay(
            ArenaLink((host, port), name, secret, context), start, keep, _say, at_most
        ).serve()
    except Ended as end:  # before it began to serve, or while it ended
        _say(str(end))
        return end.code


def _terminated(*_: object) -> NoReturn:
    signal.signal(signal.SIGTERM, lambda *_: None)  # one more would hit the end of the programs
    raise Ended(143, "ended by a signal")


def _say(text: str) -> None:
    print(f"relay: {text}", file=sys.stderr, flush=True)


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 0 < int(text) < 10_000):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 1")
    return int(text)


def main(words: Sequence[str] | None = None) -> int:
    """Run the command line of a machine where the arena is not installed. Returns the
    exit code.
    """
    parser = argparse.ArgumentParser(
        prog="relay.py",
        description="Seats a bot of this machine at a table of Khiva Arena elsewhere, until "
        "that needs it no more.",
        usage="%(prog)s [OPTIONS] HOST:PORT NAME -- COMMAND",
    )
    parser.add_argument(
        "where",
        metavar="HOST:PORT",
        help="where the arena listens; TLS unless that is this machine",
    )
    parser.add_argument("name", metavar="NAME", help="as in --bot remote:NAME")
    parser.add_argument(
        "command", metavar="COMMAND", nargs="+", help="starts the bot, once for each match"
    )
    parser.add_argument(
        "--token",
        type=Path,
        help="the file with the token [default: NAME in khiva-arena/tokens of ~/.config]",
    )
    parser.add_argument("--ca", type=Path, help="trust this certificate instead of the system's")
    parser.add_argument(
        "--tls", action="store_true", help="use TLS even to this machine, as through a tunnel"
    )
    parser.add_argument(
        "--keep", action="store_true", help="let one process play one match after another"
    )
    parser.add_argument(
        "--at-most",
        type=_count,
        default=AT_MOST,
        metavar="N",
        help="programs at a time [default: %(default)s]",
    )
    args = parser.parse_args(words)
    options = {
        "token": args.token,
        "ca": args.ca,
        "tls": args.tls,
        "keep": args.keep,
        "at_most": args.at_most,
    }
    try:
        return relay(args.where, args.name, args.command, **options)
    except (OSError, ValueError) as error:
        _say(str(error))
        return 2
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
