"""The words on a bot at which the arena itself fails, beside the errors that are the machine's."""

import logging

from khiva_arena.machine import is_unforeseen, of_the_machine, with_causes

__all__ = ["is_unforeseen", "of_the_machine", "why_left_out", "with_causes"]
LOGGER = logging.getLogger(__name__)


def why_left_out(error: Exception) -> str:
    """Return the words on a bot that is left out since an unforeseen error came of it. Its trace goes to stderr."""
    LOGGER.error("an error that was not foreseen; please report it", exc_info=error)
    return f"khiva-arena itself fails at it ({type(error).__name__}); please report that with the lines that begin with Traceback"
