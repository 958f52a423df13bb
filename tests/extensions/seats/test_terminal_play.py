"""``khiva-arena play --terminal``, on a terminal of its own."""

import re
from pathlib import Path

import pytest
from arena import C, arena, bots
from in_targets import soak_but_every
from own_games import changed
from stores import RANDOM, SEATS, bytes_in
from stores import games as games
from terminal import Terminal, answered
from wording import sentence

from khiva_arena.competition.events.find import match_of
from khiva_arena.games.emira.game import GAME as EMIRA
from khiva_arena.games.khiva.game import GAME as KHIVA
from khiva_arena.games.silk_road.game import GAME as SILK_ROAD
from khiva_arena.records.replay.record import Record
from khiva_arena.records.replay.seeds import run_secret, seed_secret
from khiva_arena.records.replay.verify import verify
from khiva_arena.records.store.db import Store

WORDS = ["play", "--terminal", "--seed", "demo", "--isolation", "trusted"]


@pytest.mark.soak
@pytest.mark.parametrize(
    ("game", "opponent"),
    [("khiva", C), ("emira", "shipped:python/random"), ("silk_road", "shipped:python/random")],
)
def test_a_whole_match_by_numbers(tmp_path: Path, game: str, opponent: str) -> None:
    run = Terminal(
        [*WORDS, "--game", game, *bots("person", opponent, opponent)],
        tmp_path,
        rows=50,
        columns=100,
        stdout=True,
    )
    asked = answered(run, b"1\n", "every choice replays")
    text = run.shown.text
    assert asked > 10
    assert {
        "khiva": "Choose " + sentence("games", "card-play-card-pass"),
        "emira": "What do you bid",
        "silk_road": "which caravan moves?",
    }[game] in text
    assert text.count(sentence("seats", "waiting-others")) == asked - text.count(
        ", and then?"
    )  # two steps of one choice
    end = text.index(sentence("seats", "match-over"))
    assert "The end (" in text[:end].rpartition("Waiting for")[2]  # the story goes on to the end
    assert (
        text.index(sentence("play", "every-choice-replays-digest") + " ") > end
    )  # and how it ended stands after it


@pytest.mark.slow
def test_a_whole_match_of_a_game_of_ones_own(tmp_path: Path) -> None:
    changed(tmp_path / "game.py")
    run = Terminal(
        [*WORDS, "--game", "game.py", *bots("person", RANDOM)],
        tmp_path,
        rows=50,
        columns=100,
        stdout=True,
    )
    assert run.until(lambda text: "and Enter:" in text)
    run.type(b"?\n")
    assert run.until(lambda text: sentence("seats", "no-hints-match") in text)
    assert answered(run, b"1\n", "every choice replays") >= 12
    text = run.shown.text
    assert "there are no hints: no bot that comes with the arena knows bidding" in text
    assert "? for a hint" not in text
    assert "hand" in text
    assert (
        "bids: prize "
        in text[: text.index(sentence("seats", "match-over"))].rpartition("Waiting for")[2]
    )


@pytest.mark.slow
def test_a_board_of_openspiels_is_shown_line_by_line(tmp_path: Path) -> None:
    game = ["--game", "openspiel", "--rule", "game=tic_tac_toe", "--rule", "shows=observation"]
    run = Terminal(
        [*WORDS, *game, *bots("person", RANDOM)], tmp_path, rows=50, columns=100, stdout=True
    )
    assert answered(run, b"1\n", "every choice replays") >= 2
    assert re.search(r"^text +x..$\n^ +...$", run.shown.text, re.MULTILINE)


def asked_again(run: Terminal, line: bytes) -> None:
    """Type a line at a question, and wait for the next one: what is typed before it
    stands there is shown in front of it.
    """
    before = run.shown.text.count("and Enter:")
    run.type(line + b"\n")
    assert run.until(lambda text: text.count("and Enter:") > before), line


@pytest.mark.slow
def test_what_is_typed_wrong_and_a_hint(tmp_path: Path) -> None:
    run = Terminal([*WORDS, *bots("person", C)], tmp_path, rows=50, columns=100, stdout=True)
    assert run.until(lambda text: "and Enter:" in text)
    for number, wrong in enumerate(
        (b"0\n", b"-1\n", b"x\n", b"999999999999\n", b"\xff\n", b"play\n", b"\n"), 2
    ):
        run.type(wrong)
        assert run.until(lambda text, n=number: text.count("and Enter:") >= n), (
            wrong
        )  # it asks again
    assert run.shown.text.count("There is no choice ") == number - 2
    assert "Nothing was typed." in run.shown.text
    asked_again(run, b"?")
    assert "search would choose " in run.shown.text
    first = re.search(r"^1  (play .*?)  ", run.shown.text, re.MULTILINE)
    assert first
    asked_again(
        run, first[1].lower().encode()
    )  # in words: the cards to play, and then those to pass
    assert f"{first[1]}, and then?" in run.shown.text
    asked_again(run, b"back")
    asked_again(run, b"1")
    assert run.shown.text.count(f"{first[1]}, and then?") > 1
    asked_again(run, b"rules")
    assert "\nK1  " + "All choose at once and in secret" in run.shown.text
    run.type(b"1\n")
    assert run.until(lambda text: sentence("seats", "waiting-others") in text)
    asked = run.shown.text.partition(sentence("seats", "waiting-others"))[0].count("and Enter:")
    run.type(b"\x04")
    assert run.until(lambda text: "That does not end the match; Ctrl-C does." in text)
    assert run.until(
        lambda text: text.count("and Enter:") > asked
    )  # else what is typed could stand within a colour
    run.type(b"1\n")
    told = 1 + 2  # so far: a choice was made, and a second step was asked for twice
    assert run.until(
        lambda text: (
            text.count(sentence("seats", "waiting-others")) + text.count(", and then?") > told
        )
    )  # it still reads
    run.type(b"\x03")
    assert run.end() == 130


@pytest.mark.slow
@pytest.mark.parametrize("event", soak_but_every(range(1, 1 + len(SEATS)), 3))
def test_a_seat_of_a_stored_match_is_taken_over(games: Path, event: int) -> None:
    """At its last decision: what came before is told, and both ends stand beside each
    other.
    """
    with Store.read(games / "out") as store:
        record = match_of(store, f"{event}/1").row.parsed()
    seat = record.steps[-1][0].seat
    before = bytes_in(games / "out")
    words = [
        "play",
        "--terminal",
        "--from",
        "out",
        f"{event}/1",
        "--step",
        str(len(record.steps)),
        "--seat",
        str(seat),
    ]
    run = Terminal([*words, "--no-hints"], games, rows=50, columns=100, stdout=True)
    last = sentence("match", "this-deal").split("; ")[0]
    answered(run, b"1\n", last)
    text = run.shown.text
    assert sentence("match", "sent-again").split(": ")[0] in text
    lines = text.splitlines()
    heads = next(at for at, line in enumerate(lines) if re.fullmatch(" +then +now", line))
    ends = lines[heads + 1 :][: len(record.ranks)]
    for at, line in enumerate(ends):
        name = record.header.seats[at].name
        assert line.startswith(f"{name}#{at}, now person  " if at == seat else f"{name}#{at}  ")
        assert f"  {record.scores[at]} point" in line
    assert bytes_in(games / "out") == before


def test_without_a_terminal_or_for_several(tmp_path: Path) -> None:
    assert "no terminal" in arena(*WORDS, *bots("person", C), cwd=tmp_path, code=2).stderr
    said = arena(*WORDS, *bots("person:ann", "person:bob"), cwd=tmp_path, code=2).stderr
    assert "--terminal: one person sits at a terminal; leave it out for a page each" in said


def test_choices_are_told_in_words() -> None:
    view = {"hand": [[0, 1], [4, 5], [2, 2], [1, 3]]}
    assert KHIVA.choice("play_pass", [1, 0], view) == "play K5, pass W1"
    assert KHIVA.choice("play_pass", [1, 2, 0, 3], view) == "play K5 G2, pass W1 B3"
    assert [KHIVA.choice("boost", [n], view) for n in (0, 1, 2)] == ["no gem", "1 gem", "2 gems"]
    tiles = {"tiles": {"r0": "tea_market"}}
    assert (
        SILK_ROAD.choice("move", [2, 1, 3, "r0"], tiles)
        == "1 porcelain, caravan 3 to ring 0 (tea market)"
    )
    assert (
        SILK_ROAD.choice("move", [2, 1, 3, "Byzanz"], tiles)
        == "1 porcelain, caravan 3 to Byzantium"
    )
    assert SILK_ROAD.choice("lay_out", [3], {}) == "3"
    assert [EMIRA.choice("bid", [word], {}) for word in ("pass", "grant", 120)] == [
        "pass",
        "grant",
        "bid 120",
    ]
    assert (
        EMIRA.choice("order", [2, 0, 1], {"ask": {"cards": ["Noor", "Hind", "Layla"]}})
        == "Layla, Noor, Hind"
    )
    assert [EMIRA.choice("buy", [many], {}) for many in (0, 2)] == ["none", "look at 2 cards"]
    assert SILK_ROAD.choice("jewel", [1], {}) == "yellow"
    assert SILK_ROAD.choice("robber", [2, 4], {}) == "tea of seat 2"
    assert SILK_ROAD.choice("draw", ["pile"], {}) == "pile"
    assert SILK_ROAD.choice("draw", [0], {}) == "ivory"


@pytest.mark.slow
def test_the_record_is_that_of_any_match(tmp_path: Path) -> None:
    run = Terminal(
        [*WORDS, "--json", "--no-hints", "--turn", "10m", "--bank", "0s", *bots("person", C)],
        tmp_path,
        rows=50,
        columns=100,
        stdout=True,
    )
    answered(run, b"1\n", '"digest"')
    assert "? for a hint" not in run.shown.text
    assert "You have 600 s." in run.shown.text
    line = next(line for line in run.raw.decode().splitlines() if line.startswith('{"'))
    record = Record.from_json(line)
    verify(record, seed_secret(run_secret("demo"), 0))
    assert record.header.seats[0].name == "person"
