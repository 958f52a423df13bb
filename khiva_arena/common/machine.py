"""Which errors are the machine's: no bot, and no author of one, is to blame for them.

A loop over the bots of strangers lets these errors through, and any other error ends no
more than one bot's part.
"""

import errno
import logging
from collections.abc import Iterator

from khiva_arena.errors import ArenaError, StagingError, StoreError

LOGGER = logging.getLogger(__name__)
OF_THE_MACHINE = frozenset(
    (
        errno.ENOSPC,
        errno.EDQUOT,
        errno.EIO,
        errno.EMFILE,
        errno.ENFILE,
        errno.ENOMEM,
        errno.EROFS,
        errno.EAGAIN,
    )
)
"""The numbers of OSError that a disk, a table of files or a memory gives when it is
full or broken. An entry can bring about the others, such as ENOENT, ELOOP and
ENAMETOOLONG, by its files.
"""


def of_the_machine(error: BaseException) -> bool:
    """Tell whether this machine has failed, rather than the entry that it was at work
    on.

    The causes that an error names count as the error does, and so do the error that it
    puts into other words (``from None``) and each error of a group. What was merely
    being handled when an error arose does not.
    """
    return any(map(_is_of_the_machine, with_causes(error)))


def is_unforeseen(error: Exception) -> bool:
    """Tell whether an error is a bug of the arena: neither the machine's, nor one that
    is raised for a user to read.
    """
    return getattr(
        error, "exit_code", ArenaError.exit_code
    ) == ArenaError.exit_code and not of_the_machine(error)


def _is_of_the_machine(error: BaseException) -> bool:
    if isinstance(error, OSError):
        return error.errno in OF_THE_MACHINE
    return isinstance(error, StoreError | StagingError | MemoryError)


def with_causes(error: BaseException) -> Iterator[BaseException]:
    """Yield an error, those behind it, and the members of groups among them: each once,
    since causes may form a ring.
    """
    seen, left = set[int](), [error]
    while left:
        one = left.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        yield one
        behind = one.__cause__ or (one.__context__ if one.__suppress_context__ else None)
        if behind is not None:
            left.append(behind)
        if isinstance(one, BaseExceptionGroup):
            left.extend(one.exceptions)


def why_left_out(error: Exception) -> str:
    """Return the words on a bot that is left out since an unforeseen error came of it.
    Its trace goes to stderr.

    Raises any error that is not unforeseen.
    """
    if not is_unforeseen(error):
        raise error
    LOGGER.error("an error that was not foreseen; please report it", exc_info=error)
    return (
        f"khiva-arena itself fails at it ({type(error).__name__}); please report that with the "
        "lines that begin with Traceback"
    )
