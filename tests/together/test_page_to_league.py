"""A bot that is written in the page on its way to a league: the file that the page saves, and both ways in."""

import json
from pathlib import Path

from cases import cases
from workbench_played import template, told

from khiva_arena.entrants.bots import load
from khiva_arena.entrants.packing import pack

TOML = "name = '{}'\ninterpreter = 'python main.py'\nfiles = ['main.py', 'words/*.txt']\n"


def saved_for_a_league(home: Path, files: dict[str, str]) -> tuple[str, bytes, str]:
    """The name, the bytes and the digest of what the page's own code saves for a league."""
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
    "a name for no file": ({"bot.toml": TOML.format("../<b> $(id)"), "main.py": "", "words/a.txt": ""}, "b- -id.entry"),
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
