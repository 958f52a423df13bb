"""The terms of a league on its pages, the way into it by its clock, and what authors
have to agree to.
"""

import html
import re
from pathlib import Path

import pytest
from league_serving import league_server
from msgspec import structs
from public_league import TICKS, WALL, league_folder, write_public
from tick_leagues import new_tick_league
from uploads import one_of_its_own

from khiva_arena.extensions.league.public_state import PublicLeague, PublicTerms
from khiva_arena.extensions.league.routes import entering
from khiva_arena.extensions.league.submissions.queue import Queue
from khiva_arena.extensions.league.submissions.sending import TERMS


def words(page: str) -> str:
    """The text of a page without its tags, on one line."""
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", page)).split())


def league_of(tmp_path: Path, terms: PublicTerms) -> PublicLeague:
    return write_public(league_folder(tmp_path / "spring"), terms=terms)


def test_a_league_in_ticks_says_so(tmp_path: Path) -> None:
    league = league_of(tmp_path, structs.replace(TICKS, next_anchor="another"))
    said = words(entering.terms(league))
    assert said.startswith("Terms Clock ticks")
    time = "1,000 ms a turn, a bank of 10,000 ms, 10,000 ms to start"
    assert time + "; such a millisecond is 10,000,000 ticks" in said
    assert "Memory 512 MiB Policy lenient" in said
    assert "Languages WebAssembly modules, JavaScript, Python" in said
    assert "JavaScript or Python" in said.partition("Bots ")[2]
    assert "Elo 0 anchor, and another from the next season on" in said
    assert words(entering.terms_in_brief(league)).startswith(
        "in ticks, WebAssembly modules, JavaScript, Python"
    )


def test_a_league_by_the_wall_clock_takes_any_language(tmp_path: Path) -> None:
    league = league_of(tmp_path, WALL)
    said = words(entering.terms(league))
    assert said.startswith("Terms Clock wall clock")
    assert "Languages any language" in said
    assert "ticks" not in said + words("".join(entering.how_to_submit(league)))
    assert "A bot is a program in any language." in words("".join(entering.how_to_submit(league)))


def test_terms_say_whether_bots_are_published(tmp_path: Path) -> None:
    said = {
        words(entering.terms(league_of(tmp_path, terms)))
        for terms in (
            WALL,
            TICKS,
            structs.replace(TICKS, publish_bots=False),
            structs.replace(TICKS, languages={}),
        )
    }
    rows = {row.partition("Bots ")[2].partition(" Elo 0")[0] for row in said}
    assert len(rows) == 4


@pytest.mark.parametrize(
    ("terms", "lines"),
    [
        (WALL, ("pip install khiva-arena\n", "new python my-bot\n")),
        (TICKS, ("pip install 'khiva-arena[ticks]'\n", "new javascript my-bot\n")),
        (
            structs.replace(TICKS, languages={"python": "Python"}),
            ("[ticks]", "new python my-bot\n"),
        ),
        (
            structs.replace(TICKS, languages={}),
            ("pip install 'khiva-arena[modules]'\n", "new c my-bot --module\n"),
        ),
    ],
)
def test_the_way_in_depends_on_the_clock(
    tmp_path: Path, terms: PublicTerms, lines: tuple[str, ...]
) -> None:
    page = html.unescape("".join(entering.how_to_submit(league_of(tmp_path, terms))))
    assert all(line in page for line in lines)
    assert ("any language" in page) == (terms.clock == "wall")
    assert ("--agree" in page) == terms.publish_bots


def test_a_file_without_terms_is_read(tmp_path: Path) -> None:
    """As an unreleased version wrote it, until the player writes it anew."""
    league = structs.replace(league_of(tmp_path, WALL), terms=None)
    assert entering.terms(league) == ""
    assert "any language" in "".join(entering.how_to_submit(league))


@pytest.mark.slow
def test_a_server_tells_its_terms_and_takes_no_bot_without_agreement(tmp_path: Path) -> None:
    folder = league_folder(tmp_path / "spring")
    league = write_public(folder, terms=TICKS)
    with Queue(folder) as queue:
        token = queue.rotate(queue.add_author("ann").id)
    with league_server(folder, is_forked=True) as server:
        told = server.ask(TERMS).data
        assert (told["publish_bots"], told["link"], told["digest"]) == (
            True,
            league.link,
            league.digest,
        )
        assert server.ask("/queue").text.count("--agree") == 1
        assert "such a millisecond" in server.ask("/").text
        sent = {
            "body": one_of_its_own(),
            "authorization": f"Bearer {token}",
            "content_type": "application/octet-stream",
        }
        refused = server.ask("/api/submit?name=crane", "POST", **sent)
        assert (refused.status, refused.data["error"]) == (
            422,
            (
                "This league publishes its bots: send it with `khiva-arena submit "
                "--agree`, or POST /api/submit?name=NAME&agreed=1"
            ),
        )
        assert server.ask("/api/submit?name=crane&agreed=1", "POST", **sent).status == 202
    with Queue(folder) as queue:
        assert [entry.agreed for entry in queue.entries()] == [True]


@pytest.mark.slow
@pytest.mark.parametrize("publish_bots", [True, False])
def test_before_the_first_batch_the_settings_tell(tmp_path: Path, publish_bots: bool) -> None:
    new_tick_league(tmp_path / "spring", publish_bots=publish_bots)
    with league_server(tmp_path / "spring", is_forked=True) as server:
        assert server.ask(TERMS).data == {
            "publish_bots": publish_bots,
            "league": "",
            "link": None,
            "digest": None,
            "commitment": None,
        }
