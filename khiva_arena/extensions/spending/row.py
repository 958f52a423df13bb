"""The row of the extension ``spending``: language models as bots, and columns, marks
and a cap for what bots report.
"""

from khiva_arena.common.hooks import ExtensionRow, FilledHook, Flag
from khiva_arena.common.setting_row import Kind, Setting

# fmt: off
_SETTINGS = (
    Setting("transcripts", Kind.SIZE, None, "The run", of_a_league=False, in_a_trial=True,
            most=1000,
            help="Keep the whole stderr of bots with `reports = true` in their bot.toml, "
                 "compressed, up to this size for the event. Values that --env gives a bot are "
                 "taken out.",
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
            "models",
            ("run",),
            "Seat the language models of FILE, a table [[model]] each. Each gets the network, and "
            "the variable with its key that its row names.",
            metavar="FILE",
            is_file=True,
            example="khiva-arena run --models models.toml --bot shipped:python/greedy --turn 1m "
            "--out results/models",
        ),
        Flag(
            "most_lots",
            ("standings",),
            "List bots below a line if more than this percentage of their choices were random, or "
            "if they had a network and reported nothing. Ratings do not change.",
            metavar="PERCENT",
            example="khiva-arena standings results/models --most-lots 20",
        ),
        Flag(
            "spend",
            ("run",),
            "Choose line-ups and seeds for about this cost, in the currency that the bots "
            "name, and begin no table that may pass "
            "it. It counts what bots report, so set your provider's own limit, too.",
            metavar="AMOUNT",
            example="khiva-arena run --bot small --bot large --network small --network large "
            "--spend 5.00",
        ),
        Flag(
            "transcript",
            ("show",),
            "Also print the whole stderr of bots by step, as a run with --transcripts "
            "keeps it. Only once the deal is revealed.",
            example="khiva-arena show results/models 1/0 --transcript",
        ),
        Flag(
            "with_transcripts",
            ("bundle",),
            "Also write the transcripts of a run with --transcripts: all that bots wrote "
            "on stderr, which anybody can then read.",
            example="khiva-arena bundle results/models models.bundle --with-transcripts",
        ),
    ),
    settings=_SETTINGS,
    guesses={
        "standings --max-lots": "`--most-lots PERCENT` lists bots below a line",
        "run --cost": "`--spend AMOUNT` ends an event before it costs more",
        "run --max-cost": "`--spend AMOUNT` ends an event before it costs more",
        "llm": "`khiva-arena run --models FILE` sets language models against each other",
        "tokens": "`khiva-arena standings` has them",
    },
)
