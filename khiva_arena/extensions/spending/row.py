"""The row of the extension ``spending``: columns and marks for what bots report of themselves."""

from khiva_arena.common.hooks import ExtensionRow, FilledHook, Flag


def _load() -> tuple[FilledHook, ...]:
    from khiva_arena.extensions.spending.extension import EXTENSION

    return EXTENSION


ROW = ExtensionRow(
    "spending",
    _load,
    flags=(
        Flag(
            "most_lots",
            ("standings",),
            "List bots below a line if more than this percentage of their choices were random, or if they had a network and "
            "reported nothing. Ratings do not change.",
            metavar="PERCENT",
            example="khiva-arena standings results/models --most-lots 20",
        ),
    ),
    guesses={
        "standings --max-lots": "`--most-lots PERCENT` lists bots below a line",
        "tokens": "`khiva-arena standings` has them",
    },
)
