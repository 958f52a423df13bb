"""The bot and the seat that a next step names."""

from wording import sentence

from khiva_arena.interface.commands.next_step import ask_stronger, lost_seat


def test_the_seat_of_a_bot_of_ones_own_that_lost_is_named_before_others() -> None:
    ranks, mine = [2, 1, 3, 3], "my-bot"
    assert lost_seat("khiva", ranks, ["shipped:python/greedy", mine, mine, mine]) == 2
    assert (
        lost_seat(
            "khiva", ranks, ["shipped:python/search", mine, "shipped:c/random", "shipped:c/random"]
        )
        == 2
    )
    assert (
        lost_seat("khiva", [1, 1, 1, 2], [mine, mine, mine, "shipped:python/search"]) is None
    )  # no stronger one is known
    assert lost_seat("emira", [1, 2], [mine, mine]) == 1
    assert lost_seat("emira", [1, 1], [mine, mine]) is None


def test_a_bot_that_knows_the_game_is_asked() -> None:
    command = "khiva-arena replay 'my games' 1/0 --seat 2"
    assert (
        ask_stronger("emira", "my games", "1/0", 2)
        == f"{command} --bot shipped:python/greedy_emira"
    )
    flag = " --game my_game.py"
    assert ask_stronger(
        "bidding", "my games", "1/0", 2, game_flag=flag
    ) == command + flag + sentence("show", "stronger", what="bot")
    assert (
        ask_stronger("khiva", "my games", "1/0", 2, in_ticks=True)
        == f"{command} --bot shipped:python/search"
    )
    said = ask_stronger("bidding", "my games", "1/0", 2, in_ticks=True)
    assert said == command + sentence("show", "stronger", what="module")
