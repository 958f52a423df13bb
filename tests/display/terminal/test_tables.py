"""What a person on a terminal sees of the table, and what a typed line means."""

import io
import random
from collections.abc import Iterator
from typing import Any

import pytest
from in_targets import soak_but_every
from rich.cells import cell_len
from rich.console import Console

from khiva_arena.display.terminal import game_table
from khiva_arena.display.terminal.game_table import (
    choice_meant,
    choices,
    drawing_of,
    meant_by_words,
    table,
    typable,
)
from khiva_arena.games.base import State
from khiva_arena.games.khiva.notation import LETTERS
from khiva_arena.games.registry import GAMES
from khiva_arena.games.sheet import Block, Flow, PaintedText

NAMES = ["ann", "bob", "a-name-of-quite-some-length"]
SEAT_HAS = {"khiva": "your hand", "emira": "your goal", "silk_road": "your hand"}


def played(game: str, rules: dict[str, Any]) -> Iterator[tuple[State, int, Any]]:
    """A match by lot: each position, with a seat that is asked and what."""
    chance = random.Random(game)
    state, _ = GAMES[game].new(3, GAMES[game].rules(rules), bytes(32))
    while asked := state.pending():
        yield state, *next(iter(asked.items()))
        state.apply(
            {seat: chance.randrange(len(decision.legal)) for seat, decision in asked.items()}
        )


def shown(what: Any, width: int, *, colours: bool = False) -> str:
    out = io.StringIO()
    Console(
        file=out,
        width=width,
        force_terminal=colours,
        color_system="256" if colours else None,
        highlight=False,
    ).print(what)
    return out.getvalue()


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("changed", soak_but_every([False, True], 2))
def test_every_position_has_a_table_that_fits(game: str, changed: bool) -> None:
    """At every width of a terminal, under the default rules and under others, whatever
    the seat is asked.
    """
    rules = dict(next(iter(GAMES[game].samples), {})) if changed else {}
    all_rules = GAMES[game].rules(rules)
    draw = drawing_of(game)
    kinds = set()
    for number, (state, seat, decision) in enumerate(played(game, rules)):
        view = state.view(seat)
        blocks = draw(view, NAMES, all_rules)
        if decision.kind in kinds and number % 40:
            continue
        kinds.add(decision.kind)
        texts = [GAMES[game].choice(decision.kind, entry, view) for entry in decision.legal]
        assert len(set(texts)) == len(texts), (decision.kind, texts)
        for width in (40, 80, 120):
            text = shown(table(blocks), width)
            lines = text.splitlines() + shown(choices(texts), width).splitlines()
            assert max(map(cell_len, lines)) <= width, f"{number=} {seat=} {width=}"
        assert SEAT_HAS[game] in text
        assert "…" not in text
        assert all(name in text for name in NAMES)
    assert len(kinds) > 2


@pytest.mark.parametrize("game", GAMES)
def test_points_are_told_from_a_view_where_the_rules_let_all_know_them(game: str) -> None:
    """By each seat, and they are those of the engine. Emira's hang on goals that nobody
    else knows: nothing is said.
    """
    told = 0
    for state, _, _ in played(game, {}):
        for seat in range(3):
            points = GAMES[game].points(state.view(seat))
            assert points in (None, list(state.scores)), f"{seat=}"
            told += points is not None
    assert (told == 0) == (game == "emira")


def test_pieces_are_told_apart_by_their_letters_and_can_be_read_on_light_and_dark_ground() -> None:
    blocks = drawing_of("khiva")(
        GAMES["khiva"].new(3, GAMES["khiva"].rules({}), bytes(32))[0].view(0), NAMES, {}
    )
    plain, coloured = shown(table(blocks), 80), shown(table(blocks), 80, colours=True)
    assert "\x1b" not in plain
    assert all(
        len(ink.split(" on ")) == 2 for ink in game_table.INKS.values()
    )  # each has its own ground
    assert coloured.count("48;5;") >= 5 + 5  # the hand, the camels


def test_each_camel_stands_at_one_place_of_the_table() -> None:
    """On a path or in the tents, which may hold some of them or none, in every position
    of a match.
    """
    in_tents = set()
    for state, seat, _ in played("khiva", {}):
        paths, _, rest, _ = (
            block
            for block in drawing_of("khiva")(state.view(seat), NAMES, {})
            if isinstance(block, Block)
        )
        tents = next(cells for title, *cells in rest.rows if title == "in tents")
        cells = [*tents, *(cell for row in paths.rows for cell in row[1:])]
        camels = [
            part.text
            for cell in cells
            if not isinstance(cell, str)
            for part in cell
            if isinstance(part, PaintedText)
        ]
        assert sorted(camels) == sorted(LETTERS), state.view(seat)["camels"]
        in_tents.add(len([part for part in tents[0] if isinstance(part, PaintedText)]))
    assert len(in_tents) > 2


def test_emira_says_what_holds_this_round_and_whose_it_is() -> None:
    """Also where it is the first seat's, whose number is 0."""
    view = GAMES["emira"].new(3, GAMES["emira"].rules({}), bytes(32))[0].view(1)

    def said(**effects: Any) -> Any:
        blocks = drawing_of("emira")(
            {**view, "effects": {**view["effects"], **effects}}, ["ann", "you", "cem"], {}
        )
        return [
            row[1]
            for block in blocks
            if isinstance(block, Block)
            for row in block.rows
            if row[0] == "this round"
        ]

    assert said() == []
    assert said(bazaar=0, noble=1) == ["bazaar of ann, your noble"]
    assert said(golden=2, sick=True, larger="even") == [
        "golden, sick, more Emiras in the even round"
    ]


def test_a_game_without_a_drawing_shows_what_its_seat_knows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(game_table, "find_spec", lambda _name: None)
    draw = drawing_of("khiva")
    text = shown(
        table(draw({"open_cards": [1, 2], "name": "\x1b[31mred", "long": "x" * 900}, NAMES, {})), 80
    )
    assert "open cards  [1, 2]" in text
    assert "\x1b" not in text
    assert "x ..." in " ".join(text.split())


def test_names_of_strangers_do_no_harm() -> None:
    text = shown(
        table([Block([["\x1b[2J", PaintedText("\x1b[1m")]], ("a",)), Flow(["\x07"], "b")]),
        80,
        colours=True,
    )
    assert "\x1b[2J" not in text
    assert "\x07" not in text


def test_a_long_row_of_numbers_is_one_choice_to_read() -> None:
    texts = ["pass", "grant", *(f"bid {amount}" for amount in range(10, 300, 10))]
    assert " ".join(shown(choices(texts), 80).split()) == "1 pass 2 grant 3-31 bid 10, 20, ..., 290"
    few = ["1 gem", "2 gems", "bid 5", "bid 6", "bid 9"]  # not all begin with a number
    assert " ".join(shown(choices(few), 80).split()) == "1 1 gem 2 2 gems 3 bid 5 4 bid 6 5 bid 9"


@pytest.mark.parametrize(
    ("typed", "choice"),
    [
        ("1", 0),
        ("4", 3),
        ("0", -1),
        ("5", -1),
        ("-1", -1),
        ("pass", 0),
        ("PASS", 0),
        ("p", 0),
        ("bid 1", 1),
        ("bid 10", 2),
        ("bid", -1),
        ("", -1),
        ("x", -1),
        ("9" * 99, -1),
        ("²", -1),
        ("g", 3),
    ],
)
def test_what_a_line_means(typed: str, choice: int) -> None:
    assert choice_meant(typed, ["pass", "bid 1", "bid 10", "grant"]) == choice


@pytest.mark.parametrize(
    ("typed", "text"),
    [("0", "no gem: your shop 2"), ("2", "2 gems: your shop 4"), ("3", None)],
)
def test_the_number_of_a_number_is_itself(typed: str, text: str | None) -> None:
    texts = ["no gem: your shop 2", "1 gem: your shop 3", "2 gems: your shop 4"]
    choice = choice_meant(typed, texts)
    assert (texts[choice] if choice >= 0 else None) == text
    assert (
        " ".join(shown(choices(texts), 80).split())
        == "0 no gem: your shop 2 1 1 gem: your shop 3 2 2 gems: your shop 4"
    )
    assert " ".join(shown(choices(["4", "3", "2", "1", "0"]), 80).split()) == "4-0 4, 3, ..., 0"


def test_many_choices_are_asked_in_two_steps() -> None:
    """Two seats of Khiva have 420 choices in the first turn: 28 pairs to play, then 15
    to pass.
    """
    texts = [
        f"play {one} {two}, pass {three} {four}"
        for one in "ABCD"
        for two in "EFGH"
        for three in "IJK"
        for four in "LM"
    ]
    first = typable(texts)
    assert [one.text for one in first[:3]] == ["play A E", "play A F", "play A G"]
    assert {one.choice for one in first} == {-1}
    inside = typable(texts, "play A F")
    assert [one.text for one in inside] == [
        f"pass {three} {four}" for three in "IJK" for four in "LM"
    ]
    assert [texts[one.choice] for one in inside] == [f"play A F, {one.text}" for one in inside]
    assert [one.choice for one in typable(texts[:12])] == list(range(12))
    assert [one.choice for one in typable([f"bid {ten}0" for ten in range(1, 40)])] == list(
        range(39)
    )
    alone = typable([*texts, "nothing at all"])
    assert alone[-1] == ("nothing at all", len(texts))
    assert meant_by_words("play A F, pass I M", texts) == texts.index("play A F, pass I M")
