"""The row of the extension ``spending``: columns and marks for what bots report of themselves."""

from khiva_arena.common.hooks import ExtensionRow, FilledHook, Flag
from khiva_arena.common.setting_row import Kind, Setting

# fmt: off
_SETTINGS = (
    Setting("transcripts", Kind.SIZE, None, "The run",
            of_a_league=False, in_a_trial=True, most=1000,
            help="Keep the whole stderr of bots with `reports = true` in their bot.toml, compressed, up to this size for the "
                 "event. Values that --env gives a bot are taken out.",
            example="200MB"),
)
# fmt: on


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
        Flag(
            "transcript",
            ("show",),
            "Also print the whole stderr of bots by step, as a run with --transcripts keeps it. Only once the deal is revealed.",
            example="khiva-arena show results/models 1/0 --transcript",
        ),
        Flag(
            "with_transcripts",
            ("bundle",),
            "Also write the transcripts of a run with --transcripts: all that bots wrote on stderr, which anybody can then read.",
            example="khiva-arena bundle results/models models.bundle --with-transcripts",
        ),
    ),
    settings=_SETTINGS,
    guesses={
        "standings --max-lots": "`--most-lots PERCENT` lists bots below a line",
        "tokens": "`khiva-arena standings` has them",
    },
)
