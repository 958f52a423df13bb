"""The fixtures of what 0.3.0 brought, which tests/together/make_newer.py has written,
as tests read them.
"""

import json
from pathlib import Path

import pytest
from published import HERE, unpack

from khiva_arena.entrants import interpreters
from khiva_arena.interface.api.verify import verify
from khiva_arena.records.replay.record import run_digest
from khiva_arena.records.store.db import Store


def there(fixture: str, into: Path, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, object]]:
    """Unpack a fixture, install its interpreter, and return what its events were when
    it was made.
    """
    unpack(HERE / fixture, into)
    monkeypatch.setenv("KHIVA_ARENA_CACHE", str(into / "cache"))
    monkeypatch.setenv(interpreters.FOLDER, str(into / "bots" / "interpreters"))
    interpreters._module.cache_clear()
    return json.loads((HERE / fixture / "events.json").read_text())


def events(folder: Path) -> list[dict[str, object]]:
    with Store.read(folder) as store:
        return [
            {"id": row.id, "commitment": row.commitment, "digests": store.digests(row.id)}
            for row in store.events()
        ]


def check_sound(
    path: Path, expected: list[dict[str, object]], *, rerun: bool, **how: object
) -> None:
    """Check that all events are sound and have the digests of then, and with ``rerun``
    that their bots play so again.
    """
    result = verify(path, rerun_bots=rerun, **how)
    assert result.sound, result.problems
    assert [report.digest for report in result.events] == [
        run_digest(event["digests"]) for event in expected
    ]
    assert [report.rerun for report in result.events] == [
        len(event["digests"]) if rerun else None for event in expected
    ]
