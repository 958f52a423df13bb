"""Settings as keywords of Python, made plain for the process that plays."""

import os
from collections.abc import Mapping, Sequence
from typing import Any

from khiva_arena.errors import ConfigError

TRUSTED = "trusted"


def plain_settings(settings: Mapping[str, Any], functions: Sequence[str]) -> dict[str, Any]:
    """Settings as JSON has them. With ``functions`` among the bots they are of isolation trusted.

    Raises ConfigError for a value that is none, or another isolation for functions.
    """
    given = {name: _plain(name, value) for name, value in settings.items() if value is not None}
    if functions:
        if given.get("isolation", TRUSTED) != TRUSTED:
            raise ConfigError(f"isolation: a function runs with all of your rights, at isolation {TRUSTED} and at no other")
        given["isolation"] = TRUSTED
    return given


def _plain(name: str, value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(name, each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(name, each) for each in value]
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, bool | int | float | str) or value is None:
        return value
    raise ConfigError(f"{name}: {value!r} is no value of a setting")
