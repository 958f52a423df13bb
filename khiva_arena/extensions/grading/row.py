"""The row of the extension ``grading``: marks for a bot against a ladder of bots."""

from typing import TYPE_CHECKING

from khiva_arena.common.hooks import ExtensionCommand, ExtensionRow, FilledHook

if TYPE_CHECKING:
    import click


def _load() -> tuple[FilledHook, ...]:
    from khiva_arena.extensions.grading.extension import EXTENSION

    return EXTENSION


def _grade() -> "click.Command":
    from khiva_arena.extensions.grading.grade_options import command

    return command


ROW = ExtensionRow(
    "grading",
    _load,
    commands=(
        ExtensionCommand(
            "grade", "Play", "sprt", "Mark a bot by the rungs of a ladder, for a course.", _grade
        ),
    ),
    guesses={
        "autograde": "`khiva-arena grade LADDER --bot DIR` marks a bot",
        "mark": "`khiva-arena grade LADDER --bot DIR` marks a bot",
        "ladder": (
            "`khiva-arena new ladder FOLDER` makes a ladder, `khiva-arena grade FOLDER --bot "
            "DIR` marks a bot by it"
        ),
    },
)
