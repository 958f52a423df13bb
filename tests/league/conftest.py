"""A league that is played without a process, and forks in place of the processes that make tables and pages."""

import pytest
from leagues import played

__all__ = ["forked", "played"]


@pytest.fixture
def forked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let forks make the tables and the pages of a league, in a tenth of the time of processes of their own."""
    import forks  # not above: few tests need the process that forks

    forks.serve()
    monkeypatch.setattr("khiva_arena.competition.live_page.start_helper", lambda _name, words, **_: forks.Fork(words))
