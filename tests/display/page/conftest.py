"""The pages of events that were published."""

from collections.abc import Callable
from pathlib import Path

import pytest
from once import filled
from pages import page_of
from published import published

from khiva_arena.competition.pages.replays import REPLAYS_MOST
from khiva_arena.competition.pages.write import write_page


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], tuple[Path, Path]]:
    """By the name of a published event, its store and its page, made by the first
    worker that asks.
    """

    def make(case: str) -> tuple[Path, Path]:
        folder = filled(tmp_path_factory, f"page-{case}", lambda folder: _make(case, folder))
        return folder / "finished", folder / "page.html"

    return make


def _make(case: str, folder: Path) -> None:
    # Replays of three games are enough; those of the other formats would take a minute
    # to make. Of the long games three: it is Khiva's page in which readers go from
    # match to match, and in the others they look at the first.
    replays = REPLAYS_MOST if case.endswith("round-robin") else 0
    matches = ("0", "1", "2") if replays and not case.startswith("khiva") else ()
    write_page(
        folder / "page.html", page_of(published(case, folder), replays=replays, matches=matches)
    )
