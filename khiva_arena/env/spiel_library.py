"""The import of OpenSpiel, or the error that tells how to install it."""

from khiva_arena.errors import ConfigError

try:
    import pyspiel as pyspiel
except ImportError:
    raise ConfigError(
        "these games are OpenSpiel's, which is not installed: pip install 'khiva-arena[openspiel]'"
    ) from None
