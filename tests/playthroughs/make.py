"""Golden playthroughs, one readable file for each: ``python tests/playthroughs/make.py [--write] [GAME ...]``.

Without ``--write`` it only says which files differ. A file holds a whole random match: each question, the choice as words, each
event, and the position at each turn. Add a line to ``MATCHES`` for a new game or variant.
"""

import json
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from khiva_arena.games import registry
from khiva_arena.rng import Stream

HERE = Path(__file__).parent
NAMES = ("Ada", "Ben", "Cem", "Dot", "Eve")


class Match(NamedTuple):
    """One playthrough: the file's name, seats, what differs from the default rules."""

    name: str
    seats: int
    rules: dict[str, Any]


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
        Match("2_seats_after_move", 2, {"compensation_time": "after_move"}),
        Match("5_seats_few_gems", 5, {"gem_supply": 6}),
        Match("3_seats_decline", 3, {"decline": "yes", "max_turns": 12}),
        Match("5_seats_failed_draw", 5, {"end_trigger": "failed_draw", "carpet_top": "colour"}),
        Match("5_seats_25_carpets", 5, {"carpets": 25, "gem_slots": [2, 2, 2, 1, 0]}),
    )
}


def playthrough(game_name: str, match: Match) -> str:
    """The text of one file."""
    return "\n".join(_lines(game_name, match)) + "\n"


def _lines(game_name: str, match: Match) -> Iterator[str]:
    game = registry.get(game_name)
    rules = game.rules(match.rules)
    secret = sha256(f"playthrough {game_name} {match.name}".encode()).digest()
    names = NAMES[: match.seats]
    yield f"{game.title}, rules version {game.rules_version}, {match.seats} seats: {', '.join(names)}"
    yield f"rules {json.dumps(rules)}"
    yield f"secret {secret.hex()}"
    stream = Stream(secret, "playthrough")
    state, events = game.new(match.seats, rules, secret)
    yield from (f"  {_to(event.to, names)}{game.narrate(event, names)}" for event in events)
    kinds: set[str] = set()
    while not state.is_over:
        pending = state.pending()
        if len(pending) > 1:
            yield ""
            yield game.sketch(state, names)
        for seat, decision in pending.items():
            if decision.kind not in kinds:  # the first question of each kind in full, as a bot gets it
                kinds.add(decision.kind)
                yield f"view of {names[seat]} {json.dumps(state.view(seat))}"
                yield f"legal {json.dumps(list(decision.legal))}"
        choices = {seat: stream.below(len(decision.legal)) for seat, decision in pending.items()}
        for seat, choice in choices.items():
            decision = pending[seat]
            yield f"> {names[seat]} {decision.kind} {choice} of {len(decision.legal)}: {json.dumps(decision.legal[choice])}"
        yield from (f"  {_to(event.to, names)}{game.narrate(event, names)}" for event in state.apply(choices))
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
