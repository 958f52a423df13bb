"""A league of two seats whose bots are in C, made once: it costs a tenth of one of the
shipped bots in Python, which play where there is no compiler.
"""

import shutil
from pathlib import Path

from arena import arena
from once import made_once

from khiva_arena.common import shipped
from khiva_arena.interface.commands.new_folder import make


def quick_bot(home: Path, start: str = "random") -> Path:
    """Make a bot in C in a new folder, which has its name. ``start``: the shipped bot
    that it equals. Return the folder.
    """
    make(shipped.languages()["c" if shutil.which("cc") else "python"], home, start)
    return home


def new_quick_league(folder: Path) -> None:
    """Make the new league "spring" for two in a folder, with anchors in C."""
    arena("league", "new", "spring", "--seats", "2", cwd=folder)
    anchors = folder / "spring" / "bots" / "anchors"
    for name in ("greedy", "random"):
        shutil.rmtree(anchors / name)
        quick_bot(anchors / name, name)


@made_once
def quick_league(folder: Path) -> None:
    """Make in "spring" a league that is not founded; the bot in "naive" waits for its
    first batch, which ann has entered.
    """
    new_quick_league(folder)
    arena(
        "league", "enter", "spring", str(quick_bot(folder / "naive")), "--author", "ann", cwd=folder
    )
