"""The command's side of an agent's seat: the streams that the hub takes, and the lines
by which a client finds this command.
"""

import json
import os
import shutil
import sys
from collections.abc import Sequence

from khiva_arena.common.hooks import Extra
from khiva_arena.entrants.guests import is_guest
from khiva_arena.errors import ConfigError

EXTRA = Extra("mcp", ("mcp", "mcp_types"), "--mcp needs the packages of the Model Context Protocol")
SERVER = "khiva-arena"
FOLDERS = ("--bot", "--from", "--out")
"""The options whose value may be a folder."""
AT_A_TERMINAL = (
    "A client of the Model Context Protocol starts this command. Add the lines above to the "
    "client's settings, and write paths of other files in them from / on."
)
CLOSED = "--mcp: standard input, output and error must be open"


def is_at_terminal() -> bool:
    """Tell whether a person has typed this command, so that no client can be there."""
    return os.isatty(0)


def take_streams() -> tuple[int, int]:
    """Return the standard input and output that this process was started with, for the
    hub.

    From then on standard output is standard error, so that only the protocol gets to
    the client. Raises ConfigError.
    """
    if None in (
        sys.stdin,
        sys.stdout,
        sys.stderr,
    ):  # a descriptor that was closed may be that of another file by now
        raise ConfigError(CLOSED)
    try:
        streams = os.dup(0), os.dup(1)
        nowhere = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nowhere, 0)
        os.close(nowhere)
        os.dup2(2, 1)
    except OSError as error:
        raise ConfigError(f"{CLOSED}: {error.strerror}") from None
    return streams


def settings_of_client() -> str:
    """Return the settings by which a client starts this command with this Python, as
    JSON.
    """
    program = shutil.which(sys.argv[0])
    command = [os.path.abspath(program)] if program else [sys.executable, "-P", "-m", "khiva_arena"]
    server = {"command": command[0], "args": command[1:] + _with_whole_paths(sys.argv[1:])}
    return json.dumps({"mcpServers": {SERVER: server}}, indent=2, ensure_ascii=False)


def _with_whole_paths(words: Sequence[str]) -> list[str]:
    """Return the words of a command, with folders from / on: a client starts it in a
    folder of its own.
    """
    whole: list[str] = []
    for before, word in zip(("", *words), words, strict=False):
        flag, equals, value = word.partition("=") if word.startswith("--") else (before, "", word)
        is_folder = flag == "--out" or (os.path.isdir(value) and not is_guest(value))
        path = os.path.abspath(value) if value and flag in FOLDERS and is_folder else value
        whole.append(f"{flag}={path}" if equals else path if word == value else word)
    return whole
