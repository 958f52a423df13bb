"""The command's side of an agent's seat: the streams that the hub takes, and the lines by which a client finds this command."""

import json
import os
import shutil
import sys
from collections.abc import Callable

from khiva_arena.common.hooks import Extra
from khiva_arena.errors import ConfigError

EXTRA = Extra("mcp", ("mcp",), "--mcp needs the packages of the Model Context Protocol")
SERVER = "khiva-arena"
AT_A_TERMINAL = (
    "--mcp: a client of the Model Context Protocol starts this command; add the lines above to the client's settings, with the "
    "paths of bots and stores from / on"
)


def take_streams(say: Callable[..., None]) -> tuple[int, int]:
    """Return the standard input and output that this process was started with, for the hub.

    From then on standard output is standard error, so that only the protocol gets to the client. Raises ConfigError. At a
    terminal, the settings of a client are said before that.
    """
    if os.isatty(0):
        say(_settings_of_client(), whole=True)
        raise ConfigError(AT_A_TERMINAL)
    try:
        streams = os.dup(0), os.dup(1)
        nowhere = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nowhere, 0)
        os.close(nowhere)
        os.dup2(2, 1)
    except OSError as error:
        raise ConfigError(f"--mcp: standard input, output and error must be open: {error.strerror}") from None
    return streams


def _settings_of_client() -> str:
    """Return the settings by which a client starts this command, as JSON."""
    program = shutil.which(sys.argv[0])
    server = {"command": os.path.abspath(program) if program else SERVER, "args": sys.argv[1:]}
    return json.dumps({"mcpServers": {SERVER: server}}, indent=2, ensure_ascii=False)
