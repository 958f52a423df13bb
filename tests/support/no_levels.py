"""A machine on which no isolation level works, whatever this one has, and a user who
trusts nobody.
"""

from collections.abc import Iterator

import pytest
from levels import trusting

from khiva_arena.bots.sandbox import detect, remedies

LACK = "bubblewrap is not installed"
COMMAND = remedies.installation("bubblewrap")


@pytest.fixture
def distrusting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take back the trust that commands of tests have where no level works: for tests
    of a refusal or a consent.
    """
    for name in trusting():
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def only_trusted(distrusting: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Stand in for the detection. It holds for commands that are called in this
    process.
    """
    monkeypatch.setattr(detect, "_why_it_fails", lambda level: LACK if level.confines else "")
    detect.levels.cache_clear()
    yield
    detect.levels.cache_clear()
