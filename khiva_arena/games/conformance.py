"""The contract of every game, checked by playing it at random. Needs no test framework: ``check_game`` raises or returns.

from khiva_arena.games import conformance, registry
conformance.check_game(registry.get("khiva"), variants=[{}, {"overshoot": "bounce"}])
"""

import marshal
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from typing import Any, NamedTuple

from khiva_arena.errors import ConfigError, IllegalChoice, RulesError
from khiva_arena.games.base import Decision, Event, Game, Plain, State, seen_by
from khiva_arena.games.draws import difference, leak
from khiva_arena.games.plain import check_plain, wrong_points
from khiva_arena.rng import Stream
from khiva_arena.words import count

CONTAINERS = (list, dict)
MOST_STEPS = 20_000
"""Calls of ``apply`` that a match may take, at most."""

Determinise = Callable[[Mapping[str, Plain], Mapping[str, Plain], Stream], State]
Choices = dict[int, int]
Picture = tuple[Any, ...]
More = Callable[[float], bool]
"""A test whether less than a share of the time for a look is used up."""
OF_A_MATCH, OF_DRAWS, OF_ALL = 0.6, 0.8, 1.0
"""The shares of the time after which no more steps of a match, no more changed draws, and nothing at all is looked at."""


class Findings(NamedTuple):
    """The result of looking at a match.

    points: of the contract, that are broken.
    short: the parts that there was no time to look at as a whole, each with how far they were looked at.
    """

    points: list[str]
    short: list[str]


def _always(share: float) -> bool:
    return True


class NonConforming(AssertionError):
    """A game that breaks its contract.

    point: the broken point.
    where: the match that shows it.
    """

    def __init__(self, point: str, where: str) -> None:
        self.point, self.where = point, where
        super().__init__(f"{point} ({where})")


@dataclass
class _Match:
    """A match under check, and the words to print when a point fails.

    game: under check.
    seats: how many there are.
    rules: a whole rules map.
    secret: of the match, 32 bytes.
    """

    game: Game
    seats: int
    rules: dict[str, Plain]
    secret: bytes
    stream: Stream
    """The stream of the checker's own choices."""
    more: More = _always
    short: list[str] = field(default_factory=list)
    """The parts that were not looked at as a whole, see ``Findings``."""
    sources: list[str] | None = None
    """The sources of points, once a state has been looked at; none of a game that does not say."""

    def fail(self, point: str) -> NonConforming:
        where = f"{self.game.name}, {self.seats} seats, secret {self.secret.hex()}, rules {self.rules}"
        return NonConforming(point, where)

    def want(self, holds: bool, point: str) -> None:
        if not holds:
            raise self.fail(point)

    def new(self) -> tuple[State, list[Event]]:
        return self.game.new(self.seats, self.rules, self.secret)

    def random_choices(self, state: State) -> Choices:
        return {seat: self.stream.below(len(decision.legal)) for seat, decision in state.pending().items()}

    def picture(self, state: State) -> Picture:
        """Return everything of a state that can be seen from outside."""
        views = [state.view(seat) for seat in range(self.seats)]
        text = self.game.sketch(state, self.names)
        standing = state.is_over, state.scores, state.ranks, state.points_by_source
        return views, text, state.components(), dict(state.pending()), *standing

    @property
    def names(self) -> list[str]:
        return [f"Seat {seat}" for seat in range(self.seats)]


def check_game(
    game: Game,
    variants: Sequence[Mapping[str, Plain]] = ({},),
    matches: int = 2,
    seed: str = "conformance",
    determinise: Determinise | None = None,
) -> int:
    """Play ``matches`` random matches for each seat count and rules variant, checking the contract of ``games.base``.

    determinise: ``determinise(view, rules, stream)``, if the game has one, must give a state with that very view.

    Returns how many states were checked. Raises NonConforming at the first point that fails.
    """
    _check_front(game)
    states = 0
    for i, given in enumerate(variants):
        rules = game.rules(given)
        for seats in game.seats:
            for ordinal in range(matches):
                label = f"{seed} {game.name} {i} {seats} {ordinal}"
                secret = sha256(label.encode()).digest()
                match = _Match(game, seats, rules, secret, Stream(secret, "conformance"))
                states += _check_whole(match, determinise=determinise)
            _check_defaults(match)
    return states


def found_in(game: Game, seats: int, rules: Mapping[str, Plain], steps: int, seed: str, more: More = _always) -> Findings:
    """Return the points that a game breaks in a random match. The first broken point of a match hides those behind it.

    steps: how many of its steps are looked at, or fewer if there is no ``more`` time.
    """
    found: list[str] = []
    secret = sha256(f"{seed} {game.name} {seats}".encode()).digest()
    match = _Match(game, seats, dict(rules), secret, Stream(secret, "conformance"), more)
    for check in (lambda: _check_front(game), lambda: _check_whole(match, steps), lambda: _check_defaults(match, steps)):
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
        "a game has a name, a title and a rules version": all((game.name, game.title, game.rules_version)),
        "seat counts rise": list(game.seats) == sorted(set(game.seats)) and bool(game.seats),
        "a canonical rules map is its own canonical map": game.rules(rules) == rules,
        "a rules map is plain": check_plain(rules) is None,
        "a sample of the rules is not the default": all(game.rules(sample) != rules for sample in game.samples),
        "an unknown rule is refused": _refuses(lambda: game.rules({"no such rule": 1}), RulesError),
        "too few seats are refused": _refuses(lambda: game.new(game.seats[0] - 1, rules, bytes(32)), ConfigError),
        "too many seats are refused": _refuses(lambda: game.new(game.seats[-1] + 1, rules, bytes(32)), ConfigError),
    }
    for point, holds in points.items():
        if not holds:
            raise NonConforming(point, game.name)


def _refuses(call: Callable[[], object], error: type[Exception]) -> bool:
    """Tell whether a call raises just this error. Any other error comes from a fault that was not looked for."""
    try:
        call()
    except error:
        return True
    except Exception:
        return False
    return False


def _check_whole(match: _Match, most: int = MOST_STEPS, determinise: Determinise | None = None) -> int:
    states = _check_match(match, determinise, most)
    _check_draws(match, states - 1 if match.short else most)
    return states


def _check_match(match: _Match, determinise: Determinise | None, most: int) -> int:
    """Check every state of a random match, or of its first ``most`` steps, and return how many states there were."""
    state, events = match.new()
    _check_events(match, events)
    pieces = state.components()
    record: list[Choices] = []
    history: list[list[Event]] = [events]
    picture = match.picture(state)
    while True:
        _check_state(match, state, picture, pieces, determinise)
        if state.is_over or len(record) == most < MOST_STEPS:
            break
        if not match.more(OF_A_MATCH):
            match.short.append(f"the first {count(len(record), 'step')}")
            break
        match.want(len(record) < MOST_STEPS, f"a match ends within {MOST_STEPS} steps")
        choices = match.random_choices(state)
        _check_refusals(match, state, choices, picture)
        _check_twins(match, state, choices, len(record) + 1)
        picture, events = _check_step(match, state, choices, picture)
        _check_events(match, events)
        record.append(choices)
        history.append(events)
    _check_replay(match, state, record, history)
    return len(history)


def _check_state(
    match: _Match, state: State, picture: Picture, pieces: Mapping[str, int], determinise: Determinise | None
) -> None:
    """Check a state on its own: its questions, plain views that the caller owns, pieces, standing.

    picture: of the state.
    """
    pending = state.pending()
    match.want(dict(state.pending()) == dict(pending), "pending() twice gives the same")
    match.want(state.is_over == (not pending), "a match is over exactly when nothing is pending")
    match.want(list(pending) == sorted(pending), "pending seats come in seat order")
    match.want(state.components() == pieces, f"no piece is lost or made: {state.components()} was {pieces}")
    wrong = check_plain(state.public())
    match.want(wrong is None, f"what is public is plain: {wrong}")
    public = _exact(state.public())
    has_parts = type(state).public is not State.public or type(state).private is not State.private
    for decision in pending.values():
        _check_decision(match, decision)
    for seat in range(match.seats):
        view = state.view(seat)
        wrong = check_plain(view)
        match.want(type(view) is dict and wrong is None, f"a view is plain: {wrong}")
        text = _exact(view)
        _spoil(view)
        _check_own(match, text, picture[0][seat])
        _check_own(match, text, _view_after_spoiling(match, state, seat))
        if has_parts:  # else both parts come from view(), as State has it
            _check_parts(match, state, seat, text)
        if determinise and pending:
            again = marshal.loads(text)
            guess = determinise(again, match.rules, match.stream)
            match.want(guess.view(seat) == again, "a determinised state has the view it was made from")
            match.want(_exact(guess.public()) == public, "what is public does not depend on what is hidden")
            match.want(guess.components() == pieces, "a determinised state has all pieces")
            asked = guess.pending()
            match.want(asked.get(seat) == pending.get(seat), "a determinised state asks the seat of its view the same")
            same = [(s, asked[s].kind) for s in asked] == [(s, pending[s].kind) for s in pending]
            match.want(same, "a determinised state asks the same seats")
    _check_standing(match, state)


def _check_parts(match: _Match, state: State, seat: int, view: bytes) -> None:
    """Check that the public and the private part make the view, given as bytes, the order of its keys included."""
    public, private = state.public(), state.private(seat)
    match.want(all(public.get(key) is None for key in private), "a key of the private part is None in the public part")
    whole = {**public, **private}
    match.want(_exact(whole) == view, "the private part laid over the public one is the view")
    _spoil(whole)
    again = _view_after_spoiling(match, state, seat)
    match.want(_exact(again) == view, "each part of a view belongs to its caller, who may change it")


def _check_decision(match: _Match, decision: Decision) -> None:
    match.want(type(decision.kind) is str and bool(decision.kind), "a decision has a kind")
    match.want(len(decision.legal) >= 2, f"{decision.kind}: a choice of one is never asked")
    for entry in decision.legal:
        match.want(type(entry) is list and check_plain(entry) is None, f"{decision.kind}: an entry is a plain list")
    match.want(len({repr(entry) for entry in decision.legal}) == len(decision.legal), f"{decision.kind}: entries differ")


def _check_standing(match: _Match, state: State) -> None:
    scores, ranks = state.scores, state.ranks
    match.want(len(scores) == match.seats and all(type(score) is int for score in scores), "a score for each seat")
    match.want(ranks == [1 + sum(other < rank for other in ranks) for rank in ranks], f"ranks are well formed: {ranks}")
    by_source = state.points_by_source
    wrong = wrong_points(by_source, scores)
    match.want(not wrong, f"points by source: {wrong}")
    sources = [name for part in by_source[0] for name in part] if by_source else []
    match.want(match.sources in (None, sources), f"the sources of points are the same at every moment: {sources}")
    match.sources = sources


def _exact(value: Plain) -> bytes:
    """Return bytes that are equal just for values equal in all, types and order of keys included; b"" if a value is not plain."""
    try:
        return marshal.dumps(value, 2)  # later versions tell apart equal values by how they are held
    except ValueError:
        return b""


def _check_own(match: _Match, text: bytes, view: Mapping[str, Plain]) -> None:
    """Check that a view is as it was, given as bytes, although an equal view of the same state has been changed."""
    if _exact(view) != text and (was := marshal.loads(text)) != view:
        lent = ", ".join(key for key in was if view.get(key) != was[key]) or "all of it"
        raise match.fail(f"a view belongs to its caller, who may change it: {lent} is the state's own")


def _view_after_spoiling(match: _Match, state: State, seat: int) -> dict[str, Plain]:
    """Return a view after earlier views have been changed. A failure now comes from that change, whatever line it names."""
    try:
        return state.view(seat)
    except Exception as error:
        raise match.fail(
            "a view belongs to its caller, who may change it: once what view() gave is changed, "
            f"view() raises {type(error).__name__}"
        ) from error


def _spoil(value: Any) -> None:
    """Change a list or a dict everywhere, in place."""
    for item in value.values() if isinstance(value, dict) else value:
        if isinstance(item, CONTAINERS):
            _spoil(item)
    if isinstance(value, dict):
        value["spoilt"] = True
    else:
        value.append("spoilt")


def _check_refusals(match: _Match, state: State, choices: Choices, before: Picture) -> None:
    """Check that wrong seats and wrong indices are refused, and change nothing."""
    seat = next(iter(choices))
    size = len(state.pending()[seat].legal)
    others = {s: c for s, c in choices.items() if s != seat}
    spare = next((s for s in range(match.seats + 1) if s not in choices), match.seats)
    wrong: list[Mapping[Any, Any]] = [others, {**choices, spare: 0}, {**others, spare: 0}, {}]
    wrong += [{**choices, seat: bad} for bad in (-1, size, True, None, "0", 0.0)]
    for bad in wrong:
        refused = _refuses(lambda bad=bad: state.apply(bad), IllegalChoice)  # type: ignore[misc]
        match.want(refused, f"the choices {bad} are refused: IllegalChoice is raised")
    match.want(match.picture(state) == before, "a refused choice changes nothing")


def _check_step(match: _Match, state: State, choices: Choices, before: Picture) -> tuple[Picture, list[Event]]:
    """Apply the choices to a state and to its clone: both behave equally, and neither touches the other.

    Returns how the state looks now, and the events.
    """
    twin = state.clone()
    match.want(match.picture(twin) == before, "a clone looks like its original, which the moves of other clones leave alone")
    events = twin.apply(choices)
    match.want(match.picture(state) == before, "a clone's moves leave the original alone")
    match.want(state.apply(choices) == events, "a clone behaves like its original")
    after = match.picture(state)
    match.want(match.picture(twin) == after, "a clone stays like its original")
    return after, events


def _check_twins(match: _Match, state: State, choices: Choices, step: int) -> None:
    """Check that equal observations give equal views and equal legal lists.

    One seat chooses differently; then both matches continue with the same choices. As long as another seat sees the same events,
    it must see the same state.
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
        other = {s: min(choice, len(theirs.pending()[s].legal) - 1) for s, choice in choices.items()}


def _check_draws(match: _Match, most: int) -> None:
    """Check that a draw which no event has told a seat of changes nothing for that seat."""
    # A secret of the check's own: a game may have kept draws of the match, which must not be in use here.
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


def _check_events(match: _Match, events: Sequence[Event]) -> None:
    for event in events:
        wrong = check_plain(event.data)
        match.want(wrong is None and type(event.data.get("type")) is str, f"an event is plain and has a type: {event} {wrong}")
        seats = event.to if event.to is not None else ()
        match.want(type(seats) is tuple and all(0 <= s < match.seats for s in seats), f"an event goes to seats: {event}")
        line = match.game.narrate(event, match.names)
        match.want(type(line) is str and "\n" not in line, f"an event is described in one line: {event}")


def _check_replay(match: _Match, end: State, record: Sequence[Choices], history: Sequence[list[Event]]) -> None:
    """Check that the recorded choices give the same match again."""
    state, events = match.new()
    match.want(events == history[0], "the same secret opens the same way")
    for choices, expected in zip(record, history[1:], strict=True):
        match.want(state.apply(choices) == expected, "a replay gives the same events")
    match.want(match.picture(state) == match.picture(end), "a replay ends the same")
    match.want(_refuses(lambda: state.apply({}), IllegalChoice), "nothing is played after the end")


def _check_defaults(match: _Match, most: int = MOST_STEPS) -> None:
    """Check that index 0 can always be played, and that a match of defaults ends, within the first ``most`` steps."""
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
