"""Whatever is uploaded: nothing of it gets in, nothing of it is left, and the next one
in the queue is looked at.
"""

from collections.abc import Iterator

import pytest
from cases import cases
from hostile_uploads import HOSTILE, HostileUpload
from uploads import MUCH, files_below, new_league

from khiva_arena.errors import ConfigError
from khiva_arena.extensions.league.settings import League
from khiva_arena.extensions.league.submissions.examine import examine_next
from khiva_arena.extensions.league.submissions.queue import Queue
from khiva_arena.extensions.league.submissions.queue_rows import Author

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def league(tmp_path_factory: pytest.TempPathFactory) -> League:
    """A league with two anchors."""
    return new_league(tmp_path_factory.mktemp("league") / "spring")


@pytest.fixture(scope="module")
def queue(league: League) -> Iterator[Queue]:
    """Its queue."""
    with Queue(league.folder) as opened:
        yield opened


@pytest.fixture(scope="module")
def author(queue: Queue) -> Author:
    """Somebody with a token."""
    return queue.add_author("mallory")


def test_there_are_enough() -> None:
    assert len({upload.about + upload.name for upload in HOSTILE}) >= 141


@pytest.mark.usefixtures("confined")
@cases("upload", HOSTILE, ids=[upload.about for upload in HOSTILE])
def test_nothing_hostile_gets_in(
    upload: HostileUpload, league: League, queue: Queue, author: Author
) -> None:
    around = league.folder.parent
    before = files_below(around)
    name = upload.name if upload.about.startswith("name:") else f"bot {len(queue.entries())}"
    try:
        number = queue.add_upload(author.id, name, upload.make(), MUCH)
    except ConfigError as error:
        why = str(error)
    else:
        examined = examine_next(league, queue)
        assert examined is not None
        entry, verdict = examined
        assert (entry.number, entry.state, verdict.accepted) == (number, "refused", False)
        why = verdict.report
    assert why
    assert all(line.isprintable() for line in why.splitlines())
    assert "mallory" not in why
    assert str(around) not in why
    assert queue.entries("waiting", "accepted", "entered") == []
    assert files_below(around) == before
    assert [path.name for path in (league.folder / "bots").iterdir()] == ["anchors"]
