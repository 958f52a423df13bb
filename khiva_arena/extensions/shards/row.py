"""The row of the extension ``shards``: an event divided between machines by a plan, and
the merge of their stores.
"""

from typing import TYPE_CHECKING

from khiva_arena.common.hooks import ExtensionCommand, ExtensionRow, FilledHook, Flag

if TYPE_CHECKING:
    import click


def _load() -> tuple[FilledHook, ...]:
    from khiva_arena.extensions.shards.extension import EXTENSION

    return EXTENSION


def _merge_command() -> "click.Command":
    from khiva_arena.extensions.shards.merge_options import command

    return command


def _merge() -> object:
    from khiva_arena.extensions.shards.merge_function import merge

    return merge


def _merged() -> object:
    from khiva_arena.extensions.shards.merge_target import Merged

    return Merged


def _rerun_part() -> object:
    from khiva_arena.extensions.shards.rerun import RerunPart

    return RerunPart


_FLAGS = (
    Flag(
        "plan",
        ("run",),
        "Write the event's definition, secret and commitment into FILE, for machines that each "
        "play a part of it; print the commitment and play nothing.",
        metavar="FILE",
        is_file=True,
        example="khiva-arena run competition.toml --plan cup.plan",
        hidden_in=("sprt",),
    ),
    Flag(
        "from_plan",
        ("run",),
        "Play the event of a plan. Its bots are known by their hashes: no byte of them may differ.",
        metavar="FILE",
        is_file=True,
        example="khiva-arena run --from-plan cup.plan --shard 2/5 --out shard-2",
        hidden_in=("sprt",),
    ),
    Flag(
        "shard",
        ("run",),
        "With --from-plan: play one of N parts, as 2/5, each of whole seeds; `khiva-arena "
        "merge` joins them.",
        metavar="I/N",
        hidden_in=("sprt",),
    ),
)
ROW = ExtensionRow(
    "shards",
    _load,
    commands=(
        ExtensionCommand(
            "merge",
            "Trust",
            "bundle",
            "Join results of machines that each played a shard.",
            _merge_command,
        ),
    ),
    flags=_FLAGS,
    names={"Merged": _merged, "RerunPart": _rerun_part, "merge": _merge},
)
