"""Remove drafts: files of submissions that a kill has left."""

import shutil
from contextlib import nullcontext, suppress
from pathlib import Path

from khiva_arena.extensions.league.folder import BOTS
from khiva_arena.extensions.league.full_disk import kept_from_others
from khiva_arena.extensions.league.settings import League
from khiva_arena.extensions.league.submissions.entry_files import DRAFT, is_at_work
from khiva_arena.extensions.league.submissions.queue import Queue


def sweep_alone(folder: Path) -> None:
    """Remove the drafts that killed players of the league in a folder have left, unless
    a player is at work.

    They may be what fills the disk, so the queue is not opened: a full disk has no room
    for that.
    """
    drafts = _drafts(folder)
    with kept_from_others(folder) if drafts else nullcontext(False) as is_alone:
        for draft in drafts if is_alone else ():
            number = draft.name.removeprefix(DRAFT)
            if not (
                number.isdecimal() and is_at_work(folder, int(number))
            ):  # a command that enters it by hand
                shutil.rmtree(draft, ignore_errors=True)


def sweep(league: League, queue: Queue) -> None:
    """Remove the drafts that a kill has left. Who is at work has a lease, which is
    older than the draft.
    """
    drafts = _drafts(league.folder)
    leased = {f"{DRAFT}{number}" for number in queue.leased()} if drafts else set()
    for draft in drafts:
        if draft.name not in leased:
            shutil.rmtree(draft, ignore_errors=True)


def _drafts(folder: Path) -> list[Path]:
    with suppress(OSError):  # then the next examination sweeps
        return list((folder / BOTS).glob(f"{DRAFT}*"))
    return []
