"""The public pages of a league, asked from a server as it runs: what they say, what
they are not, and that they grow.
"""

import html
import re
import signal
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path

import pytest
from league_serving import LeagueServer, league_server
from public_league import ANN, LINK, league_folder, write_public
from waiting import until
from wording import sentence

from khiva_arena.extensions.league.folder import PUBLIC
from khiva_arena.extensions.league.public_state import STATE
from khiva_arena.extensions.league.seen import NAMED, receipts_in
from khiva_arena.extensions.league.submissions.queue import Queue

pytestmark = pytest.mark.slow

PAGES = (
    "/",
    "/batches",
    "/batches/3",
    "/bots/crow%20v2",
    f"/families/{ANN}f",
    "/queue",
    "/seasons",
    "/rules",
    "/author",
)
OTHERS = ("/feed.xml", "/badge.svg", "/bots/crow%20v2/badge.svg")
NOT_THERE = (
    "/nothing",
    "/bots/nobody",
    "/batches/99",
    "/batches/99.html",
    "/finals/2.html",
    "/api/nothing",
)
ATOM = "{http://www.w3.org/2005/Atom}"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = league_folder(tmp_path_factory.mktemp("league") / "spring")
    write_public(made)
    with Queue(made) as queue:
        author = queue.add_author("ann")
        queue.add_entry(author.id, "magpie", "f" * 64, b"files")
    return made


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[LeagueServer]:
    with league_server(folder) as one:
        yield one


def words(page: str) -> str:
    """The text of a page without its tags."""
    return html.unescape(re.sub(r"<(style|script)>.*?</\1>|<[^>]*>", " ", page, flags=re.DOTALL))


@pytest.mark.parametrize("path", [*PAGES, *OTHERS, *NOT_THERE])
def test_everything_that_is_kept_is_a_receipt(
    server: LeagueServer, path: str, tmp_path: Path
) -> None:
    answer = server.ask(path)
    assert answer.status == (404 if path in NOT_THERE else 200)
    kept = tmp_path / "kept"
    kept.write_bytes(answer.body)
    assert (LINK, f"e{LINK:063x}") in [
        (receipt.number, receipt.digest) for receipt in receipts_in(kept)
    ]
    assert f"c{12:063x}" in answer.text  # the commitment of the batch that is played
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_the_standings_name_bots_intervals_and_what_is_played(server: LeagueServer) -> None:
    said = words(server.ask("/").text)
    assert "120 ± 35" in said
    assert "2026-03-13 06:00:00 UTC" in said
    assert "4 timeout" in said
    assert (
        "A table that is looked at day by day names somebody first by luck again and again" in said
    )
    assert "Who is best is decided by the final" in said
    assert re.search(
        r"Final 2\s+it is played; decided on 2026-04-02 06:00:00 UTC, among\s+crow "
        r"v3\s+,\s+heron v1\s+; c",
        said,
    )
    assert f"{2:063x}" in said
    assert re.search(r"Final 1\s+table and matches\s+; decided on 2026-04-01", said)


def test_a_final_that_is_over_has_its_matches(server: LeagueServer) -> None:
    page = server.ask("/").text
    assert 'href="/finals/1.html"' in page
    assert "/finals/2.html" not in page
    answer = server.ask("/finals/1.html")
    assert "final one" in answer.text
    assert "default-src 'none'" in answer.headers["content-security-policy"]


def test_a_batch_says_how_often_each_bot_was_set_aside(server: LeagueServer) -> None:
    said = words(server.ask("/batches/3").text)
    assert re.search(r"crow v2\s+2\s+anchor\s+2\s+heron v1\s+1\s+crow v3\s+1", said)
    assert f"link 6 {3:064x}" in said
    assert 'href="/batches/3.html"' in server.ask("/batches/3").text
    assert '.html"' not in server.ask("/batches/12").text.partition("<main")[2]  # it is played


def test_a_bot_has_a_line_and_meets_all_others(server: LeagueServer) -> None:
    page = server.ask("/bots/crow%20v2").text
    assert re.search(r'<polyline points="\S+,\S+ \S+,\S+', page)
    assert words(page).count("61 (52-69)") == 4


def test_a_family_has_one_line_and_a_mark_a_version(server: LeagueServer) -> None:
    page = server.ask(f"/families/{ANN}f").text
    assert page.count('class="line"') == 2  # one for a screen, one for a telephone
    assert re.findall(r">(v\d)</text>", page) == ["v1", "v2", "v3"] * 2


def test_the_queue_tells_names_and_states_alone(server: LeagueServer) -> None:
    page = until(
        lambda: next((text for text in [server.ask("/queue").text] if "magpie" in text), "")
    )
    assert re.search(r"magpie\s+waits", words(page))
    assert "ann" not in words(page).split()


def test_the_feed_has_an_entry_a_batch_with_its_link_and_commitment(server: LeagueServer) -> None:
    feed = ElementTree.fromstring(server.ask("/feed.xml").text)
    entries = feed.findall(f"{ATOM}entry")
    assert [entry.findtext(f"{ATOM}title") for entry in entries[:2]] == [
        "Batch 12 is drawn",
        "Batch 11 is over",
    ]
    contents = [entry.findtext(f"{ATOM}content") or "" for entry in entries]
    assert all(NAMED.search(text) for text in contents)
    assert f"c{11:063x}" in contents[1]
    ids = [entry.findtext(f"{ATOM}id") for entry in entries]
    assert len(set(ids)) == 12


def test_badges_may_stand_on_pages_of_others(server: LeagueServer) -> None:
    for path in ("/badge.svg", "/bots/heron%20v1/badge.svg"):
        answer = server.ask(path)
        assert answer.headers["cross-origin-resource-policy"] == "cross-origin"
        ElementTree.fromstring(answer.text)
    assert "Elo -40 ± 35" in server.ask("/bots/heron%20v1/badge.svg").text


def test_files_are_served_as_they_are(server: LeagueServer, folder: Path) -> None:
    assert server.ask("/chain.jsonl").body == (folder / PUBLIC / "chain.jsonl").read_bytes()
    assert server.ask("/api/league.json").body == (folder / PUBLIC / STATE).read_bytes()


def test_a_page_of_results_brings_its_policy_and_no_other_page_is_served(
    server: LeagueServer,
) -> None:
    answer = server.ask("/batches/3.html")
    assert answer.text.endswith("<main>batch three</main>")
    assert re.search(
        r"script-src 'sha256-\S+'; style-src 'sha256-", answer.headers["content-security-policy"]
    )
    for path in (
        "/batches/4.html",
        "/batches/12.html",
    ):  # the first one could run any script here, the other is not revealed
        refused = server.ask(path)
        assert refused.status == 404
        assert "These matches have no page: their deals are not public" in words(refused.text)


def test_a_page_that_is_not_there_any_more_is_asked_of_the_player(
    server: LeagueServer, folder: Path
) -> None:
    answer = server.ask("/batches/5.html")
    assert (answer.status, answer.headers["retry-after"]) == (503, "60")
    assert (
        "Pages of older matches are made on demand: the player makes this one soon, if it "
        "is at work." in words(answer.text)
    )
    with Queue(folder) as queue:
        assert [queue.take_wish(), queue.take_wish()] == [5, None]


@pytest.mark.parametrize(
    "path",
    [
        *(
            "/nothing",
            "/batches/99",
            "/batches/99.html",
            "/bots/nobody",
            "/families/none",
            "/bots/nobody/badge.svg",
            "/batches/-1",
        ),
        *(
            "/batches/../league.json.html",
            "/batches/%2e%2e%2fleague.json.html",
            "/..%2fqueue.db",
            "/%2e%2e/league.toml",
        ),
        *(
            "/batches/99999999999999999999",
            "/families/%00",
            "/bots/%ff%fe",
            "/public/league.json",
            "/batches?before=x/../..",
        ),
    ],
)
def test_what_is_not_there_is_said_to_be_not_there(server: LeagueServer, path: str) -> None:
    answer = server.ask(path)
    assert answer.status == (200 if "?" in path else 404)
    assert "Traceback" not in answer.text


def test_a_reader_that_has_a_page_already_is_not_sent_it_again(server: LeagueServer) -> None:
    for path in ("/", "/chain.jsonl", "/batches/3.html", "/feed.xml"):
        first = server.ask(path)
        again = server.ask(path, If_None_Match=first.headers["etag"])
        assert (again.status, again.body) == (304, b"")
        assert server.ask(path, If_None_Match='"another"').body == first.body


def test_head_is_answered_without_a_body(server: LeagueServer) -> None:
    for path in ("/", "/chain.jsonl"):
        whole, head = server.ask(path), server.ask(path, "HEAD")
        assert (head.status, head.body, head.headers["content-length"]) == (
            200,
            b"",
            str(len(whole.body)),
        )


def test_pages_grow_as_the_player_writes(tmp_path: Path) -> None:
    made = league_folder(tmp_path / "spring")
    with league_server(made) as one:
        assert "This league has not begun: its first batch founds it." in one.ask("/").text
        assert one.ask("/badge.svg").status == 404
        assert one.ask("/api/league.json").status == 404
        write_public(made, batches=2, link=4)
        assert f"link 4 e{4:063x}" in one.ask("/").text
        write_public(made, batches=3, link=7)
        assert f"link 7 e{7:063x}" in one.ask("/").text
        assert "batch 3" in words(one.ask("/").text)
        (made / PUBLIC / STATE).write_text('{"name": 1}')
        broken = one.ask("/")
        assert (broken.status, broken.headers["retry-after"]) == (503, "60")
        assert one.ask("/chain.jsonl").status == 200
        write_public(made, batches=4, link=9)
        assert f"link 9 e{9:063x}" in one.ask("/").text


def test_a_league_of_many_batches_is_listed_in_parts(tmp_path: Path) -> None:
    made = league_folder(tmp_path / "spring")
    write_public(made, batches=450)
    with league_server(made) as one:
        newest = one.ask("/batches").text
        assert newest.count("<tr") == 201
        assert 'href="/batches?before=251"' in newest
        last = one.ask("/batches?before=51").text
        assert last.count("<tr") == 51
        assert "?before=" not in last.partition("<main")[2]
        assert one.ask("/feed.xml").text.count("<entry>") == 60


def test_ctrl_c_is_how_it_ends(folder: Path) -> None:
    with league_server(folder) as one:
        assert one.ask("/").status == 200
        one.process.send_signal(signal.SIGINT)
        assert one.process.stderr
        assert sentence("league_serve", "closed") in one.process.stderr.read()
        assert one.process.wait() == 0


@pytest.mark.slow
def test_each_season_has_its_table(server: LeagueServer) -> None:
    text = server.ask("/seasons").text
    assert text.index("The table of spring, so far") < text.index(
        "The table of winter, which is over"
    )
