"""The tokens by which relays are known: a file for each name, which only this user may read."""

import os
import secrets
from pathlib import Path

from khiva_arena.errors import ConfigError
from khiva_arena.seats.relay_protocol import read_token


def token_of(folder: Path, name: str) -> tuple[str, Path]:
    """That of a relay, made if there is none, and its file. Raises ConfigError."""
    file = folder / name
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            pass  # of an earlier run
        else:
            with os.fdopen(descriptor, "w") as new:
                new.write(f"{secrets.token_urlsafe(32)}\n")
        return read_token(file), file
    except ValueError as error:
        raise ConfigError(f"--tokens: {error}") from None
    except OSError as error:
        raise ConfigError(f"--tokens {file}: {error.strerror}") from None
