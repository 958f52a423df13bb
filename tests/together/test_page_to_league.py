"""A bot that is written in the page on its way to a league: the file that the page
saves, and both ways in.
"""

import json
from pathlib import Path

import pytest
from arena import arena
from cases import cases
from league_serving import league_server
from quick_leagues import new_quick_league
from signed_in import signed_in
from workbench_played import template, told

from khiva_arena.entrants.bots import load
from khiva_arena.entrants.packing import pack
from khiva_arena.extensions.league.submissions.queue import Queue
from khiva_arena.interface.api.verify import verify

TOML = "name = '{}'\ninterpreter = 'python main.py'\nfiles = ['main.py', 'words/*.txt']\n"


def saved_for_a_league(home: Path, files: dict[str, str]) -> tuple[str, bytes, str]:
    """The name, the bytes and the digest of what the page's own code saves for a
    league.
    """
    ((event, data),) = told(home, {"do": "pack", "files": files})
    assert event["kind"] == "packed", event
    return event["name"], data or b"", event["digest"]


BOTS = {
    "python": (template(), "my-bot.entry"),
    "javascript": (template("javascript"), "my-bot.entry"),
    "some of its files": (
        {"bot.toml": TOML.format("wren"), "main.py": "é\r\n", "words/a.txt": "", "notes.txt": "x"},
        "wren.entry",
    ),
    "a name for no file": (
        {"bot.toml": TOML.format("../<b> $(id)"), "main.py": "", "words/a.txt": ""},
        "b- -id.entry",
    ),
}


@cases("name", BOTS)
def test_the_page_saves_the_bytes_that_submit_sends(tmp_path: Path, name: str) -> None:
    files, wanted = BOTS[name]
    for path, text in files.items():
        (tmp_path / "bot" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "bot" / path).write_bytes(text.encode())
    file, data, _ = saved_for_a_league(tmp_path / "page", files)
    assert (file, data) == (wanted, pack(load(str(tmp_path / "bot"))))


@cases(
    ("files", "why"),
    [
        ({"bot.toml": "name = 'b'\n"}, "my-bot/bot.toml: run is missing"),
        ({"bot.toml": TOML.format("b"), "main.py": "", "../x": ""}, "letters"),
        ({"bot.toml": TOML.format("b")}, "main.py"),
    ],
)
def test_what_submit_refuses_is_not_saved(tmp_path: Path, files: dict[str, str], why: str) -> None:
    ((event, data),) = told(tmp_path, {"do": "pack", "files": files})
    assert (event["kind"], event["of"], data) == ("refused", "pack", None)
    assert why in event["why"]
    assert str(tmp_path) not in json.dumps(event)


@pytest.mark.soak
@pytest.mark.usefixtures("confined")
def test_both_ways_lead_into_a_league_that_verifies(tmp_path: Path) -> None:
    new_quick_league(tmp_path)
    settings = tmp_path / "spring" / "league.toml"
    settings.write_text(
        settings.read_text().replace("uploads_by_form = false", "uploads_by_form = true")
    )
    saved = {
        name: saved_for_a_league(
            tmp_path / "page", template() | {"main.py": f"{template()['main.py']}# {name}\n"}
        )[1:]
        for name in ("crow", "wren")
    }
    with Queue(tmp_path / "spring") as queue, league_server(tmp_path / "spring") as server:
        ann = signed_in(server, queue, "ann")
        data, digest = saved["crow"]
        assert ann.choose(data).status == 204
        assert digest in ann.get("/author/entry").text
        assert ann.send(data).status == 303
        (tmp_path / "wren.entry").write_bytes(saved["wren"][0])
        env = {
            "KHIVA_ARENA_TOKEN": queue.rotate(queue.add_author("bob").id),
            "XDG_STATE_HOME": str(tmp_path / "state"),
        }
        arena(
            "submit", "wren.entry", "--name", "wren", "--to", server.origin, cwd=tmp_path, env=env
        )
    arena("league", "play", "spring", "--batches", "1", cwd=tmp_path)
    with Queue(tmp_path / "spring") as queue:
        entries = queue.entries()
    assert [(entry.family_name, entry.state) for entry in entries] == [
        ("crow", "entered"),
        ("wren", "entered"),
    ], entries
    result = verify(tmp_path / "spring")
    assert result.sound, result.problems
    table = json.loads(arena("standings", "spring", "--json", cwd=tmp_path).stdout)
    played = {row["name"]: row["matches"] for row in table["standings"][0]["rows"]}
    assert min(played["crow v1"], played["wren v1"]) > 0
