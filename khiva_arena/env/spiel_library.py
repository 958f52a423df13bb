"""OpenSpiel, or the line that says how to get it."""

from khiva_arena.errors import ConfigError

try:
    import pyspiel as pyspiel
except ImportError:
    raise ConfigError("these games are OpenSpiel's, which is not installed: pip install 'khiva-arena[openspiel]'") from None
