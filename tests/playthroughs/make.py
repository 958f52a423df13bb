"""Golden playthroughs, one readable file for each: ``python tests/playthroughs/make.py
[--write] [GAME ...]``.

Without ``--write`` it only says which files differ. A file holds a whole random match:
each question, the choice as words, each event, and the position whenever several seats
choose at once, else after ``STEPS`` questions. Add a line to ``MATCHES`` for a new game
or variant. A game's ``person.txt`` has what a person is told in these matches.
"""

import io
import json
import re
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console

from khiva_arena.display.terminal.game_table import drawing_of, table
from khiva_arena.games import registry
from khiva_arena.games.asked import YOU, asking, second_person
from khiva_arena.games.base import Event, State
from khiva_arena.rng import Stream

HERE = Path(__file__).parent
NAMES = ("Ada", "Ben", "Cem", "Dot", "Eve")
STEPS = 25
WIDTH = 110
"""Columns of a person's terminal."""


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
    "two_way": [
        ["Ash", "a"],
        ["Birch", "b"],
        ["Cedar", "c"],
        ["Dogwood", "d"],
        ["Elm", "e"],
        ["Fir", "f"],
    ]
    + [["hub", village] for village in "abcdef"],
}
"""A map of Silk Road that is not the default one; its printed targets are not those
that counting would give.
"""

RICH: dict[str, Any] = {
    "mode": "advanced",
    "bazaar_noble": "extra",
    "symbols": "none",
    "zahrah_card": "removed",
}
"""With so much gold that random sheiks of Emira buy what leads to its rarer
questions.
"""

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
        Match(
            "4_seats_other_teapots",
            4,
            {"teapot_counts": [4, 4, 4, 4, 3, 3], "salt_tie_break": "sum_bags"},
        ),
    ),
    "emira": (
        Match("3_seats", 3, {}),
        Match("4_seats", 4, {}),
        Match("5_seats", 5, {}),
        Match(
            "3_seats_advanced",
            3,
            {
                "mode": "advanced",
                "event_buy_3p": "never",
                "appearance_return_3p": "even",
                "max_rounds": 16,
            },
        ),
        Match(
            "4_seats_hidden_gold", 4, {"gold": "hidden", "undecided": "always", "max_rounds": 14}
        ),
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
            {
                "bonus_counters": "twelve",
                "good_looking": "own",
                "symbols": "by_name",
                "max_rounds": 16,
            },
        ),
        Match("3_seats_least_income", 3, {"base_income": [0, 50], "max_rounds": 6}),
        Match("4_seats_small_income", 4, {"base_income": [50, 100], "max_rounds": 6}),
        # Xenia moves to another sheik, who pays her gift: a name for which it happens.
        Match(
            "5_seats_xenia_changes_hands",
            5,
            {"mode": "advanced", "base_income": [150, 200], "max_rounds": 10},
        ),
        Match("4_seats_rich", 4, {**RICH, "base_income": [4000, 4000], "max_rounds": 9}),
        Match(
            "3_seats_extra_items_rich", 3, {**RICH, "base_income": [5000, 5000], "max_rounds": 25}
        ),
    ),
    "silk_road": (
        Match("2_seats", 2, {}),
        Match("3_seats", 3, {}),
        Match("4_seats", 4, {}),
        Match("5_seats", 5, {}),
        Match("3_seats_fixed_layout", 3, {"layout": "fixed", "most_cards": 2}),
        Match("4_seats_tiles_c", 4, {"tiles": "C", "extra_draws": "mandatory"}),
        Match("4_seats_original_tie", 4, {"tied_decline": "original_tie"}),
        Match(
            "5_seats_capped_supply",
            5,
            {"supply": "capped", "tiles": {"black_market": 12, "bazaar": 10}},
        ),
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
    """What just happened, the state as it now stands, and the choices made next (none
    when the match is over).
    """

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
        choices = {
            seat: stream.below(len(decision.legal)) for seat, decision in state.pending().items()
        }
        yield Step(events, state, choices)
        if state.is_over:
            return
        events = state.apply(choices)


def _secret(game_name: str, match: Match) -> bytes:
    return sha256(f"playthrough {game_name} {match.name}".encode()).digest()


def _lines(game_name: str, match: Match) -> Iterator[str]:
    game = registry.get(game_name)
    names = NAMES[: match.seats]
    yield (
        f"{game.title}, rules version {game.rules_version}, {match.seats} seats: {', '.join(names)}"
    )
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
            if (
                decision.kind not in kinds
            ):  # the first question of each kind in full, as a bot gets it
                kinds.add(decision.kind)
                yield f"view of {names[seat]} {json.dumps(state.view(seat))}"
                yield f"legal {json.dumps(list(decision.legal))}"
        for seat, choice in choices.items():
            decision = pending[seat]
            yield (
                f"> {names[seat]} {decision.kind} {choice} of {len(decision.legal)}: "
                f"{json.dumps(decision.legal[choice])}"
            )
    yield ""
    yield game.sketch(state, names)
    yield f"scores {state.scores} ranks {state.ranks}"


def _to(seats: tuple[int, ...] | None, names: tuple[str, ...]) -> str:
    return "" if seats is None else f"(to {', '.join(names[seat] for seat in seats)}) "


def person(game_name: str) -> str:
    """Return what persons are told in a game's matches.

    First the events, as whoever they are about reads them, and the answers, some of
    each kind; then, by match, the first question of each kind and the last table.
    """
    game = registry.get(game_name)
    words, events, answers, matches = asking(game), Texts({}), Texts({}), list[str]()
    for match in MATCHES[game_name]:
        matches += ["", match.name]
        kinds: set[str] = set()
        for step in steps(game_name, match):
            for event in step.events:
                read_by = _names(event.data.get("seat", 0), match.seats)
                events.add(event.data["type"], second_person(game.narrate(event, read_by), read_by))
            for seat, choice in step.choices.items():
                decision, view = step.state.pending()[seat], step.state.view(seat)
                names = _names(seat, match.seats)
                for entry in (
                    *decision.legal[:3],
                    decision.legal[choice],
                ):  # passing and paying nothing come first
                    answers.add(decision.kind, words.answer(decision.kind, entry, view, names))
                if decision.kind not in kinds:
                    kinds.add(decision.kind)
                    title, about, rulings = words.question(decision.kind, view, names)
                    chosen = words.answer(decision.kind, decision.legal[choice], view, names)
                    matches += [
                        f"  {NAMES[seat]}: {title}",
                        f"    {about} {' '.join(rulings)}",
                        f"    > {chosen}",
                    ]
        matches += ["", *_screen(game_name, match, view, names)]
    return "\n".join([*events.some(3), "", *answers.some(24), *matches]) + "\n"


class Texts(NamedTuple):
    """Texts by kind and by form, which is the text without its numbers and names: the
    first of each form.
    """

    by_kind: dict[str, dict[str, str]]

    def add(self, kind: str, text: str) -> None:
        self.by_kind.setdefault(kind, {}).setdefault(re.sub(r"\d+|\b[A-Z]\w+", "#", text), text)

    def some(self, most: int) -> list[str]:
        """Return each kind, and below it up to ``most`` of its texts, spread over their
        alphabet.
        """
        lines = []
        for kind, forms in self.by_kind.items():
            lines += [
                f"{kind}:",
                *(f"  {text}" for text in sorted(forms.values())[:: -(-len(forms) // most)]),
            ]
        return lines


def _names(person: int, seats: int) -> list[str]:
    """Return the names at the table as the person at one seat reads them."""
    return [YOU if seat == person else name for seat, name in enumerate(NAMES[:seats])]


def _screen(game_name: str, match: Match, view: dict[str, Any], names: list[str]) -> list[str]:
    """Return the lines of the table that a person sees on a terminal."""
    out, rules = io.StringIO(), registry.get(game_name).rules(match.rules)
    console = Console(
        file=out, width=WIDTH, force_terminal=False, color_system=None, highlight=False
    )
    console.print(table(drawing_of(game_name)(view, names, rules)))
    return [f"  {line}".rstrip() for line in out.getvalue().splitlines()][:-1]


def files(games: list[str]) -> dict[Path, str]:
    """Every file that there should be, with its text."""
    matches = {
        HERE / game / f"{match.name}.txt": playthrough(game, match)
        for game in games
        for match in MATCHES.get(game, ())
    }
    return matches | {HERE / game / "person.txt": person(game) for game in games if game in MATCHES}


def main(arguments: list[str]) -> int:
    write = "--write" in arguments
    games = [a for a in arguments if a != "--write"] or list(MATCHES)
    stale = {
        path: text
        for path, text in files(games).items()
        if not path.is_file() or path.read_text("utf-8") != text
    }
    for path, text in stale.items():
        if write:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, "utf-8")
        print(f"{'wrote' if write else 'differs:'} {path.relative_to(HERE)}")
    return 1 if stale and not write else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
