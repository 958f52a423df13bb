"""The hook that the extension ``grading`` fills: a new ladder."""

from pathlib import Path

from khiva_arena.interface.commands.new import LADDERS

# Each function imports what it needs when it is called: help needs none of it.


class _Ladders:
    """New ladders, as ``new.Ladders`` wants them."""

    def fill(self, draft: Path, name: str) -> None:
        from khiva_arena.extensions.grading.new_ladder import fill

        fill(draft, name)

    def next_lines(self, folder: str) -> list[str]:
        from khiva_arena.extensions.grading.new_ladder import next_lines

        return next_lines(folder)


EXTENSION = (LADDERS.filled(_Ladders()),)
