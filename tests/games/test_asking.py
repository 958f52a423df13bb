"""What a person is told of a question: in each game every kind of decision has a title
and answers that say what they do.
"""

import re
from collections import Counter
from itertools import pairwise

import pytest
from wording import sentence

from khiva_arena.games.asked import asking, numbers_of, second_person
from khiva_arena.games.base import Game
from khiva_arena.games.registry import GAMES
from khiva_arena.games.schema import shapes_of
from khiva_arena.rng import Stream

RARE = {
    "vermin_move",
    "place",
    "split",
    "abduct",
    "drop_status",
    "drop_appearance",
    "lay_out",
    "take_status",
    "take_appearance",
    "gift",
}
BARE = {
    "abduct",
    "lay_out",
    "sandstorm",
    "customs",
    "pay",
    "jewel",
    "caravan",
    "order",
    "good_looking",
    "vermin",
    "vermin_move",
    "play_pass",
}
"""Kinds whose answers are names of pieces alone, which the question explains."""


def _asked(game: Game, matches: int) -> dict[str, list[tuple[dict, list, list]]]:
    """Views, legal lists and names of each kind of decision in random matches."""
    found: dict[str, list[tuple[dict, list, list]]] = {}
    for number in range(matches):
        seats = game.seats[number % len(game.seats)]
        given = game.samples[number % len(game.samples)] if number % 3 == 2 and game.samples else {}
        state, _ = game.new(seats, game.rules(given), bytes([number] * 32))
        stream = Stream(bytes([number] * 32), "test")
        while pending := state.pending():
            for seat, decision in pending.items():
                names = [f"bot{other}" if other != seat else "you" for other in range(seats)]
                if len(found.setdefault(decision.kind, [])) < 30:
                    found[decision.kind].append((state.view(seat), list(decision.legal), names))
            state.apply(
                {seat: stream.below(len(decision.legal)) for seat, decision in pending.items()}
            )
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(GAMES))
def test_every_question_says_what_it_is_about_and_what_each_answer_does(name: str) -> None:
    game = GAMES[name]
    words = asking(game)
    assert len(words.legend) > 4
    asked = _asked(game, 12)
    assert set(shapes_of(game).decisions) - set(asked) <= RARE
    for kind, some in asked.items():
        for view, legal, names in some:
            question = words.question(kind, view, names)
            assert question.title.endswith("?") or question.title.startswith("Choose "), question
            assert not question.title.startswith("Your turn")
            assert question.about.endswith(".")
            assert question.rulings
            assert set(question.rulings) <= set(words.rulings)
            texts = [words.answer(kind, entry, view, names) for entry in legal]
            assert all(texts)
            assert kind == "order" or max(Counter(texts).values()) == 1, (
                kind,
                texts,
            )  # cards of one price are alike
            assert not any("_" in text for text in texts), texts
            assert kind in BARE or all(" " in text for text in texts), (kind, texts)


@pytest.mark.parametrize("name", sorted(GAMES))
def test_rules_that_a_ruling_names_are_in_the_panel_with_what_they_say(name: str) -> None:
    rulings = asking(GAMES[name]).rulings
    named = {"O1"} | {
        number for text in rulings.values() for number in re.findall(r"\b[EKOS]\d+\b", text)
    }
    assert named <= set(rulings)
    assert [number for number in named if len(rulings[number].split()) < 5] == []
    assert not [text for text in rulings.values() if "|" in text or "`" in text]


def test_what_can_be_bought_is_said_with_its_price() -> None:
    words = asking(GAMES["emira"])
    view = {
        "seat": 0,
        "princesses": [["Farah"]],
        "discount": [70],
        "board": {"appearance": ["dress"], "status": [700]},
    }
    assert [
        words.answer("action", [what], view, ["you"])
        for what in ("small_slow", "appearance", "status", "camel")
    ] == [
        "small slow caravan for 450 gold: 8 incomes of 150",
        "appearance: the counter on the board (dress) for 350 gold",
        "status: the card on the board for 700 gold",
        "camel for 50 gold: 70 off each later bid",
    ]


def test_where_a_camel_goes_is_said_with_what_it_brings() -> None:
    words = asking(GAMES["khiva"])
    view = {
        "seat": 0,
        "seats": 3,
        "gems": [2, 1, 0],
        "salts_left": [10],
        "carpets": [[[3, 4]], [], []],
        "camels": [[-1, 0, 5], [0, 3, 2], [1, 2, 7], [0, 4, 7], [-1, 0, 5]],
        "ask": {
            "kind": "boost",
            "seat": 0,
            "camel": 3,
            "card": [3, 1],
            "lands": [[1, 1], [0, 2], [0, 5]],
        },
    }
    names = ["you", "greedy", "naive"]
    assert (
        words.question("boost", view, names).title
        == "You won the pink camel with P1: where does it go?"
    )
    assert [words.answer("boost", [gems], view, names) for gems in range(3)] == [
        "no gem: shop 1 of greedy (1 gem)",
        "1 gem: your shop 2 (a carpet)",
        "2 gems: your outpost (teapot 7, 1 carpet delivered)",
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "you moves the black camel from shop 1 of naive to shop 4 of you",
            "You move the black camel from shop 1 of naive to your shop 4",
        ),
        ("you passes B5 to naive", "You pass B5 to naive"),
        ("Turn 3: you W4, naive B5", "Turn 3: you W4, naive B5"),
        ("you is dealt W1", "You are dealt W1"),
        (
            "naive wins the pink camel with P1; rejected: you P4",
            "naive wins the pink camel with P1; rejected: you P4",
        ),
        ("you does not sell for silk 10", "You do not sell for silk 10"),
        (
            sentence("games", "cannot-pay-gift", who="you"),
            sentence("games", "cannot-pay-gift", who="You"),
        ),
        (
            sentence("games", "put-top-order", names="you", d="Farah"),
            "You have " + sentence("games", "put-top-order-2", d="Farah"),
        ),
        ("you will give silk", "You will give silk"),
        (
            "A small slow caravan of you now has 3 incomes left",
            "A small slow caravan of yours now has 3 incomes left",
        ),
        ("naive robs you of silk", "naive robs you of silk"),
        ("you looks at Farah and puts her back", "You look at Farah and put her back"),
        ("naive looks at Farah and puts her back", "naive looks at Farah and puts her back"),
        ("you trades with naive and bots", "You trade with naive and bots"),
        ("The outpost of you", "Your outpost"),
    ],
)
def test_what_happened_is_told_to_you(text: str, said: str) -> None:
    assert second_person(text, ["you", "naive"]) == said
    assert second_person(text, ["ann", "naive"]) == text
    assert second_person(text, ["you", "young"]) == text


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(GAMES))
def test_nobody_reads_you_moves(name: str) -> None:
    game = GAMES[name]
    state, _ = game.new(3, game.rules({}), bytes(32))
    stream = Stream(bytes(32), "test")
    names = ["you", "bot1", "bot2"]
    while pending := state.pending():
        for event in state.apply(
            {seat: stream.below(len(decision.legal)) for seat, decision in pending.items()}
        ):
            text = second_person(game.narrate(event, names), names)
            words = text.casefold().replace(":", " ").replace(",", " ").split()
            after = {second for first, second in pairwise(words) if first == "you"}
            assert not after & {
                "moves",
                "is",
                "has",
                "gets",
                "wins",
                "passes",
                "plays",
                "takes",
                "pays",
                "draws",
                "bids",
                "sells",
            }, text


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_three_lines_say_what_a_game_is_about_and_the_last_what_gives_points(game: Game) -> None:
    lines = asking(game).aim
    assert len(lines) == 3
    assert "points" in lines[-1].lower()
    for line in lines:
        assert all(len(sentence_of_it.split()) <= 30 for sentence_of_it in line.split(". "))


@pytest.mark.parametrize(
    ("texts", "numbers"),
    [
        (["1", "0"], [1, 0]),
        (["no gem: stay", "1 gem: go", "2 gems: go"], [0, 1, 2]),
        (["1 card of tea", "1 card of silk"], [1, 2]),
        (["bid 10", "bid 20", "pass"], [1, 2, 3]),
        (["2 of all", "none"], [1, 2]),
        (["10th", "20"], [1, 2]),
    ],
)
def test_the_number_of_a_choice_is_the_one_that_it_begins_with_where_all_do(
    texts: list[str], numbers: list[int]
) -> None:
    assert numbers_of(texts) == numbers
