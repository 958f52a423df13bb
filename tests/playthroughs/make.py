"""Golden playthroughs, one readable file for each: ``python tests/playthroughs/make.py [--write] [GAME ...]``.

Without ``--write`` it only says which files differ. A file holds a whole random match: each question, the choice as words, each
event, and the position whenever several seats choose at once, else after ``STEPS`` questions. Add a line to ``MATCHES`` for a
new game or variant.
"""

import json
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from khiva_arena.games import registry
from khiva_arena.games.base import Event, State
from khiva_arena.rng import Stream

HERE = Path(__file__).parent
NAMES = ("Ada", "Ben", "Cem", "Dot", "Eve")
STEPS = 25


class Match(NamedTuple):
    """One playthrough: the file's name, seats, what differs from the default rules."""

    name: str
    seats: int
    rules: dict[str, Any]


STAR: dict[str, Any] = {
    "name": "star",
    "cities": ["Ash", "Birch", "Cedar", "Dogwood", "Elm", "Fir"],
    "starts": ["Ash", "Birch", "Cedar"],
    "targets": ["Dogwood", "Elm", "Fir"],
    "villages": ["hub", "a", "b", "c", "d", "e", "f"],
    "two_way": [["Ash", "a"], ["Birch", "b"], ["Cedar", "c"], ["Dogwood", "d"], ["Elm", "e"], ["Fir", "f"]]
    + [["hub", village] for village in "abcdef"],
}
"""A map of Silk Road that is not the default one; its printed targets are not those that counting would give."""

RICH: dict[str, Any] = {"mode": "advanced", "bazaar_noble": "extra", "symbols": "none", "zahrah_card": "removed"}
"""With so much gold that random sheiks of Emira buy what leads to its rarer questions."""

MATCHES: dict[str, tuple[Match, ...]] = {
    "khiva": (
        Match("2_seats", 2, {}),
        Match("3_seats", 3, {}),
        Match("4_seats", 4, {}),
        Match("5_seats", 5, {}),
        Match("3_seats_own_tent", 3, {"khiva_spaces": "own_tent"}),
        Match("5_seats_own_tent", 5, {"khiva_spaces": "own_tent"}),
        Match("3_seats_no_move", 3, {"overshoot": "no_move"}),
        Match("4_seats_bounce", 4, {"overshoot": "bounce"}),
        Match("2_seats_per_player_turn", 2, {"compensation": "per_player_turn"}),
        Match("2_seats_per_rejected_player", 2, {"compensation": "per_rejected_player"}),
        Match("2_seats_after_move", 2, {"compensation_time": "after_move"}),
        Match("5_seats_few_gems", 5, {"gem_supply": 6}),
        Match("3_seats_decline", 3, {"decline": "yes", "max_turns": 12}),
        Match("5_seats_failed_draw", 5, {"end_trigger": "failed_draw", "carpet_top": "colour"}),
        Match("5_seats_25_carpets", 5, {"carpets": 25, "gem_slots": [2, 2, 2, 1, 0]}),
        Match("4_seats_other_teapots", 4, {"teapot_counts": [4, 4, 4, 4, 3, 3], "salt_tie_break": "sum_bags"}),
    ),
    "emira": (
        Match("3_seats", 3, {}),
        Match("4_seats", 4, {}),
        Match("5_seats", 5, {}),
        Match(
            "3_seats_advanced",
            3,
            {"mode": "advanced", "event_buy_3p": "never", "appearance_return_3p": "even", "max_rounds": 16},
        ),
        Match("4_seats_hidden_gold", 4, {"gold": "hidden", "undecided": "always", "max_rounds": 14}),
        Match("5_seats_extra_items", 5, {**RICH, "max_rounds": 10}),
        Match(
            "4_seats_larger_income",
            4,
            {
                "base_income": [200, 250],
                "grant_timing": "serving",
                "xenia_room": "no",
                "hind_round": "undecided",
                "max_rounds": 20,
            },
        ),
        Match(
            "3_seats_few_counters",
            3,
            {"bonus_counters": "twelve", "good_looking": "own", "symbols": "by_name", "max_rounds": 16},
        ),
        Match("3_seats_least_income", 3, {"base_income": [0, 50], "max_rounds": 6}),
        Match("4_seats_small_income", 4, {"base_income": [50, 100], "max_rounds": 6}),
        # Xenia moves to another sheik, who pays her gift: a name for which it happens.
        Match("5_seats_xenia_changes_hands", 5, {"mode": "advanced", "base_income": [150, 200], "max_rounds": 10}),
        Match("4_seats_rich", 4, {**RICH, "base_income": [4000, 4000], "max_rounds": 9}),
        Match("3_seats_extra_items_rich", 3, {**RICH, "base_income": [5000, 5000], "max_rounds": 25}),
    ),
    "silk_road": (
        Match("2_seats", 2, {}),
        Match("3_seats", 3, {}),
        Match("4_seats", 4, {}),
        Match("5_seats", 5, {}),
        Match("3_seats_fixed_layout", 3, {"layout": "fixed", "most_cards": 2}),
        Match("4_seats_tiles_c", 4, {"tiles": "C", "extra_draws": "mandatory"}),
        Match("4_seats_original_tie", 4, {"tied_decline": "original_tie"}),
        Match("5_seats_capped_supply", 5, {"supply": "capped", "tiles": {"black_market": 12, "bazaar": 10}}),
        Match("2_seats_optional_baksheesh", 2, {"baksheesh": "optional", "hand_dump": "all"}),
        Match("5_seats_when_needed", 5, {"reshuffle": "when_needed", "discard_order": "canonical"}),
        Match("5_seats_short_of_cards", 5, {"tiles": {"camels_3": 22}}),
        Match("3_seats_stalled", 3, {"max_turns": 12}),
        Match(
            "2_seats_other_end",
            2,
            {"camels_at_end": "back", "lay_out_order": "active_last", "empty_hand": "up_to_two"},
        ),
        Match(
            "3_seats_star",
            3,
            {
                "map": STAR,
                "tiles": {"bazaar": 3, "robber": 2, "customs": 1, "baksheesh": 1},
                "first_targets": "counted",
            },
        ),
    ),
}


def playthrough(game_name: str, match: Match) -> str:
    """The text of one file."""
    return "\n".join(_lines(game_name, match)) + "\n"


class Step(NamedTuple):
    """What just happened, the state as it now stands, and the choices made next (none when the match is over)."""

    events: list[Event]
    state: State
    choices: dict[int, int]


def steps(game_name: str, match: Match) -> Iterator[Step]:
    """The whole match. The state is changed from step to step."""
    game = registry.get(game_name)
    secret = _secret(game_name, match)
    stream = Stream(secret, "playthrough")
    state, events = game.new(match.seats, game.rules(match.rules), secret)
    while True:
        choices = {seat: stream.below(len(decision.legal)) for seat, decision in state.pending().items()}
        yield Step(events, state, choices)
        if state.is_over:
            return
        events = state.apply(choices)


def _secret(game_name: str, match: Match) -> bytes:
    return sha256(f"playthrough {game_name} {match.name}".encode()).digest()


def _lines(game_name: str, match: Match) -> Iterator[str]:
    game = registry.get(game_name)
    names = NAMES[: match.seats]
    yield f"{game.title}, rules version {game.rules_version}, {match.seats} seats: {', '.join(names)}"
    yield f"rules {json.dumps(game.rules(match.rules))}"
    yield f"secret {_secret(game_name, match).hex()}"
    kinds: set[str] = set()
    shown = 0
    for number, (events, state, choices) in enumerate(steps(game_name, match)):
        yield from (f"  {_to(event.to, names)}{game.narrate(event, names)}" for event in events)
        pending = state.pending()
        if len(pending) > 1 or number == shown + STEPS:
            shown = number
            yield ""
            yield game.sketch(state, names)
        for seat, decision in pending.items():
            if decision.kind not in kinds:  # the first question of each kind in full, as a bot gets it
                kinds.add(decision.kind)
                yield f"view of {names[seat]} {json.dumps(state.view(seat))}"
                yield f"legal {json.dumps(list(decision.legal))}"
        for seat, choice in choices.items():
            decision = pending[seat]
            yield f"> {names[seat]} {decision.kind} {choice} of {len(decision.legal)}: {json.dumps(decision.legal[choice])}"
    yield ""
    yield game.sketch(state, names)
    yield f"scores {state.scores} ranks {state.ranks}"


def _to(seats: tuple[int, ...] | None, names: tuple[str, ...]) -> str:
    return "" if seats is None else f"(to {', '.join(names[seat] for seat in seats)}) "


def files(games: list[str]) -> dict[Path, str]:
    """Every file that there should be, with its text."""
    return {HERE / game / f"{match.name}.txt": playthrough(game, match) for game in games for match in MATCHES.get(game, ())}


def main(arguments: list[str]) -> int:
    write = "--write" in arguments
    games = [a for a in arguments if a != "--write"] or list(MATCHES)
    stale = {path: text for path, text in files(games).items() if not path.is_file() or path.read_text("utf-8") != text}
    for path, text in stale.items():
        if write:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, "utf-8")
        print(f"{'wrote' if write else 'differs:'} {path.relative_to(HERE)}")
    return 1 if stale and not write else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
