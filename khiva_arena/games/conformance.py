"""The contract of every game, checked by playing it at random. Needs no test framework:
``check_game`` raises or returns.

from khiva_arena.games import conformance, registry
conformance.check_game(registry.get("khiva"), variants=[{}, {"overshoot": "bounce"}])
"""

from collections.abc import Mapping, Sequence
from functools import partial
from hashlib import sha256
from typing import NamedTuple

from khiva_arena.errors import ConfigError, IllegalChoice, RulesError
from khiva_arena.games.base import Event, Game, Plain, State, seen_by
from khiva_arena.games.checked_match import (
    MOST_STEPS,
    CheckedMatch,
    Choices,
    More,
    NonConforming,
    Picture,
    always,
    refuses,
)
from khiva_arena.games.checked_state import Determinise, check_refusals, check_state
from khiva_arena.games.draws import difference, leak
from khiva_arena.games.plain import check_plain
from khiva_arena.rng import Stream
from khiva_arena.words import count

OF_A_MATCH, OF_DRAWS, OF_ALL = 0.6, 0.8, 1.0
"""The shares of the time after which no more steps of a match, no more changed draws,
and nothing at all is looked at.
"""


class Findings(NamedTuple):
    """The result of looking at a match.

    points: of the contract, that are broken.
    short: the parts that there was no time to look at as a whole, each with how far
        they were looked at.
    """

    points: list[str]
    short: list[str]


def check_game(
    game: Game,
    variants: Sequence[Mapping[str, Plain]] = ({},),
    matches: int = 2,
    seed: str = "conformance",
    determinise: Determinise | None = None,
) -> int:
    """Play ``matches`` random matches for each seat count and rules variant, checking
    the contract of ``games.base``.

    determinise: ``determinise(view, rules, stream)``, if the game has one, must give a
        state with that very view.

    Returns how many states were checked. Raises NonConforming at the first point that
    fails.
    """
    _check_front(game)
    states = 0
    for i, given in enumerate(variants):
        rules = game.rules(given)
        for seats in game.seats:
            for ordinal in range(matches):
                label = f"{seed} {game.name} {i} {seats} {ordinal}"
                secret = sha256(label.encode()).digest()
                match = CheckedMatch(game, seats, rules, secret, Stream(secret, "conformance"))
                states += _check_whole(match, determinise=determinise)
            _check_defaults(match)
    return states


def found_in(
    game: Game, seats: int, rules: Mapping[str, Plain], steps: int, seed: str, more: More = always
) -> Findings:
    """Return the points that a game breaks in a random match. The first broken point of
    a match hides those behind it.

    steps: how many of its steps are looked at, or fewer if there is no ``more`` time.
    """
    found: list[str] = []
    secret = sha256(f"{seed} {game.name} {seats}".encode()).digest()
    match = CheckedMatch(game, seats, dict(rules), secret, Stream(secret, "conformance"), more)
    for check in (
        lambda: _check_front(game),
        lambda: _check_whole(match, steps),
        lambda: _check_defaults(match, steps),
    ):
        try:
            check()
        except NonConforming as error:
            found.append(error.point)
    return Findings(found, match.short)


# --- the points ---


def _check_front(game: Game) -> None:
    """Check the name, the seat counts, the rules map and the refusals of a game."""
    rules = game.rules({})
    points = {
        "a game has a name, a title and a rules version": all(
            (game.name, game.title, game.rules_version)
        ),
        "seat counts rise": list(game.seats) == sorted(set(game.seats)) and bool(game.seats),
        "a canonical rules map is its own canonical map": game.rules(rules) == rules,
        "a rules map is plain": check_plain(rules) is None,
        "a sample of the rules is not the default": all(
            game.rules(sample) != rules for sample in game.samples
        ),
        "an unknown rule is refused": refuses(lambda: game.rules({"no such rule": 1}), RulesError),
        "too few seats are refused": refuses(
            lambda: game.new(game.seats[0] - 1, rules, bytes(32)), ConfigError
        ),
        "too many seats are refused": refuses(
            lambda: game.new(game.seats[-1] + 1, rules, bytes(32)), ConfigError
        ),
    }
    for point, holds in points.items():
        if not holds:
            raise NonConforming(point, game.name)


def _check_whole(
    match: CheckedMatch, most: int = MOST_STEPS, determinise: Determinise | None = None
) -> int:
    states = _check_match(match, determinise, most)
    _check_draws(match, states - 1 if match.short else most)
    return states


def _check_match(match: CheckedMatch, determinise: Determinise | None, most: int) -> int:
    """Check every state of a random match, or of its first ``most`` steps, and return
    how many states there were.
    """
    state, events = match.new()
    _check_events(match, events)
    pieces = state.components()
    record: list[Choices] = []
    history: list[list[Event]] = [events]
    picture = match.picture(state)
    while True:
        check_state(match, state, picture, pieces, determinise)
        if state.is_over or len(record) == most < MOST_STEPS:
            break
        if not match.more(OF_A_MATCH):
            match.short.append(f"the first {count(len(record), 'step')}")
            break
        match.want(len(record) < MOST_STEPS, f"a match ends within {MOST_STEPS} steps")
        choices = match.random_choices(state)
        check_refusals(match, state, choices, picture)
        _check_twins(match, state, choices, len(record) + 1)
        picture, events = _check_step(match, state, choices, picture)
        _check_events(match, events)
        record.append(choices)
        history.append(events)
    _check_replay(match, state, record, history)
    return len(history)


def _check_step(
    match: CheckedMatch, state: State, choices: Choices, before: Picture
) -> tuple[Picture, list[Event]]:
    """Apply the choices to a state and to its clone: both behave equally, and neither
    touches the other.

    Returns how the state looks now, and the events.
    """
    twin = state.clone()
    match.want(
        match.picture(twin) == before,
        "a clone looks like its original, which the moves of other clones leave alone",
    )
    events = twin.apply(choices)
    match.want(match.picture(state) == before, "a clone's moves leave the original alone")
    match.want(state.apply(choices) == events, "a clone behaves like its original")
    after = match.picture(state)
    match.want(match.picture(twin) == after, "a clone stays like its original")
    return after, events


def _check_twins(match: CheckedMatch, state: State, choices: Choices, step: int) -> None:
    """Check that equal observations give equal views and equal legal lists.

    One seat chooses differently; then both matches continue with the same choices. As
    long as another seat sees the same events, it must see the same state.
    """
    pending = state.pending()
    seats = sorted(choices)
    actor = seats[match.stream.below(len(seats))]
    ours, theirs = state.clone(), state.clone()
    other = {**choices, actor: match.stream.below(len(pending[actor].legal))}
    blind = {s for s in range(match.seats) if s != actor}
    for now in range(step, step + 8):
        mine, yours = ours.apply(choices), theirs.apply(other)
        blind = {s for s in blind if seen_by(mine, s) == seen_by(yours, s)}
        for seat in sorted(blind):
            if seen := difference(now, seat, ours, theirs):
                raise match.fail(seen.point("a choice"))
        if not blind or ours.is_over or theirs.is_over:
            return
        choices = match.random_choices(ours)
        if list(choices) != list(theirs.pending()):
            return
        other = {
            s: min(choice, len(theirs.pending()[s].legal) - 1) for s, choice in choices.items()
        }


def _check_draws(match: CheckedMatch, most: int) -> None:
    """Check that a draw which no event has told a seat of changes nothing for that
    seat.
    """
    # A secret of the check's own: a game may have kept draws of the match, which must
    # not be in use here.
    secret = sha256(b"draws" + match.secret).digest()
    left: list[bool] = []

    def more() -> bool:
        left.append(match.more(OF_DRAWS))
        return left[-1]

    deal = partial(match.game.new, match.seats, match.rules, secret)
    if point := leak(deal, match.seats, match.stream, most, more):
        raise match.fail(point)
    if left[-1:] == [False]:
        match.short.append(count(len(left) - 1, "changed draw"))


def _check_events(match: CheckedMatch, events: Sequence[Event]) -> None:
    for event in events:
        wrong = check_plain(event.data)
        match.want(
            wrong is None and type(event.data.get("type")) is str,
            f"an event is plain and has a type: {event} {wrong}",
        )
        seats = event.to if event.to is not None else ()
        match.want(
            type(seats) is tuple and all(0 <= s < match.seats for s in seats),
            f"an event goes to seats: {event}",
        )
        line = match.game.narrate(event, match.names)
        match.want(
            type(line) is str and "\n" not in line, f"an event is described in one line: {event}"
        )


def _check_replay(
    match: CheckedMatch, end: State, record: Sequence[Choices], history: Sequence[list[Event]]
) -> None:
    """Check that the recorded choices give the same match again."""
    state, events = match.new()
    match.want(events == history[0], "the same secret opens the same way")
    for choices, expected in zip(record, history[1:], strict=True):
        match.want(state.apply(choices) == expected, "a replay gives the same events")
    match.want(match.picture(state) == match.picture(end), "a replay ends the same")
    match.want(refuses(lambda: state.apply({}), IllegalChoice), "nothing is played after the end")


def _check_defaults(match: CheckedMatch, most: int = MOST_STEPS) -> None:
    """Check that index 0 can always be played, and that a match of defaults ends,
    within the first ``most`` steps.
    """
    state, _ = match.new()
    for step in range(most):
        if state.is_over:
            return
        if not match.more(OF_ALL):
            match.short.append(f"the first {count(step, 'step')} of first choices")
            return
        state.apply(dict.fromkeys(state.pending(), 0))
    if most < MOST_STEPS:
        return
    raise match.fail(f"a match of defaults ends within {MOST_STEPS} steps")
