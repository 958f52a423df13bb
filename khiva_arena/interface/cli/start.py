"""The beginning of the command: an interrupt while Python imports ends it with exit
code 130 and no traceback.

Nothing was begun by then.
"""

# `signal` is made of this, and takes some hundredths of a second to import, in which an
# interrupt would hit.
import _signal  # type: ignore[import-not-found]
import gc
import os
import sys

AS_JSON = b'{"v": 1, "code": 130, "message": "interrupted", "next": []}\n'
"""An error as ``json_error`` writes it, without the command: quoting it would need an
import.
"""


def _end(_number: int, _frame: object) -> None:
    words = sys.argv[1:]
    asks = "--json" in (words[: words.index("--")] if "--" in words else words)
    os.write(2, AS_JSON if asks else b"\nkhiva-arena: interrupted\n")
    os._exit(130)


if (
    _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler
):  # a script's background job ignores it
    _signal.signal(_signal.SIGINT, _end)


def main() -> None:
    """Run the command line and exit. The command line listens to signals itself from
    its first line on.
    """
    from khiva_arena.interface.cli.main import main as run

    try:
        run()
    finally:
        # or Python would look through all modules for garbage while it ends: a fifth of
        # the CPU of a short command
        gc.freeze()
