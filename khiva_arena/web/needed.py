"""A check that the extra which serves pages is installed: nobody needs it to play."""

from importlib.util import find_spec

from khiva_arena.errors import ConfigError


def check_installed() -> None:
    """Raise ConfigError if the extra ``web`` is not installed."""
    if not (find_spec("hypercorn") and find_spec("starlette")):
        raise ConfigError("pages are served by Hypercorn and Starlette, which are not installed: pip install 'khiva-arena[web]'")
