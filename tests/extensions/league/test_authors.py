"""``khiva-arena league author``: a token is printed once, and names can be removed."""

import json
from pathlib import Path

import pytest
from arena import arena

from khiva_arena.extensions.league.submissions.queue import Queue


@pytest.fixture
def league(tmp_path: Path) -> Path:
    """The folder of a league, as far as these commands look at it."""
    (tmp_path / "spring").mkdir()
    (tmp_path / "spring" / "league.toml").touch()
    return tmp_path / "spring"


def author(league: Path, *words: str, code: int = 0) -> tuple[str, str]:
    """What a verb prints on stdout, and on stderr. The second word is the verb."""
    done = arena(
        "league", "author", words[0], str(league), *words[1:], cwd=league.parent, code=code
    )
    return done.stdout, done.stderr


def test_a_token_is_all_that_is_printed_on_stdout(league: Path) -> None:
    out, err = author(league, "add", "ann")
    token = out.strip()
    assert out == f"{token}\n"
    assert token not in err
    with Queue(league) as queue:
        found = queue.author_of_token(token)
    assert found is not None
    assert found.name == "ann"


def test_an_author_whom_enter_added_gets_a_token(league: Path) -> None:
    with Queue(league) as queue:
        ann = queue.add_author("ann")
    token = author(league, "add", "ann")[0].strip()
    with Queue(league) as queue:
        assert queue.author_of_token(token) == ann._replace(has_token=True)


def test_an_author_is_listed_revoked_and_forgotten(league: Path) -> None:
    author(league, "add", "ann")
    rows = json.loads(author(league, "list", "--json")[0])["authors"]
    assert [
        (row["name"], row["has_token"], row["revoked"], row["entries"]["waiting"]) for row in rows
    ] == [("ann", True, False, 0)]
    author(league, "revoke", "ann")
    assert author(league, "list")[0].splitlines()[1].split()[:3] == [
        "ann",
        rows[0]["id"],
        "revoked",
    ]
    author(league, "rotate", "ann")
    assert author(league, "list")[0].splitlines()[1].split()[2] == "yes"
    author(league, "revoke", "ann", "--forget")
    assert author(league, "list")[0].splitlines()[1].split()[:3] == ["-", rows[0]["id"], "revoked"]


def test_what_cannot_be_done_is_said_with_what_to_do(league: Path) -> None:
    author(league, "add", "ann")
    rotates = " ".join(["khiva-arena", "league", "author", "rotate", str(league), "ann"])
    assert (
        f"ann is an author already; for a new token: {rotates}"
        in author(league, "add", "ann", code=2)[1]
    )
    assert "no author called 'bob'; there are ann" in author(league, "rotate", "bob", code=2)[1]
    assert "league.toml" in author(league.parent, "list", code=2)[1]


@pytest.mark.usefixtures("confined")
def test_a_revoked_author_s_bots_are_not_entered_by_hand(league: Path, tmp_path: Path) -> None:
    arena("league", "new", "summer", "--seats", "2", cwd=tmp_path)
    author(tmp_path / "summer", "add", "ann")
    author(tmp_path / "summer", "revoke", "ann")
    arena("new", "python", "mine", cwd=tmp_path)
    done = arena("league", "enter", "summer", "mine", "--author", "ann", cwd=tmp_path, code=2)
    assert "--author ann: may not take part any more" in done.stderr
