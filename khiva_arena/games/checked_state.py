"""The checks of one state of a game by its contract."""

import marshal
from collections.abc import Callable, Mapping
from typing import Any

from khiva_arena.errors import IllegalChoice
from khiva_arena.games.base import Decision, Plain, State
from khiva_arena.games.checked_match import CONTAINERS, CheckedMatch, Choices, Picture, refuses
from khiva_arena.games.plain import check_plain, wrong_points
from khiva_arena.rng import Stream

Determinise = Callable[[Mapping[str, Plain], Mapping[str, Plain], Stream], State]


def check_state(
    match: CheckedMatch,
    state: State,
    picture: Picture,
    pieces: Mapping[str, int],
    determinise: Determinise | None,
) -> None:
    """Check a state on its own: its questions, plain views that the caller owns,
    pieces, standing.

    picture: of the state.
    """
    pending = state.pending()
    match.want(dict(state.pending()) == dict(pending), "pending() twice gives the same")
    match.want(state.is_over == (not pending), "a match is over exactly when nothing is pending")
    match.want(list(pending) == sorted(pending), "pending seats come in seat order")
    match.want(
        state.components() == pieces, f"no piece is lost or made: {state.components()} was {pieces}"
    )
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
            match.want(
                guess.view(seat) == again, "a determinised state has the view it was made from"
            )
            match.want(
                _exact(guess.public()) == public, "what is public does not depend on what is hidden"
            )
            match.want(guess.components() == pieces, "a determinised state has all pieces")
            asked = guess.pending()
            match.want(
                asked.get(seat) == pending.get(seat),
                "a determinised state asks the seat of its view the same",
            )
            same = [(s, asked[s].kind) for s in asked] == [(s, pending[s].kind) for s in pending]
            match.want(same, "a determinised state asks the same seats")
    _check_standing(match, state)


def _check_parts(match: CheckedMatch, state: State, seat: int, view: bytes) -> None:
    """Check that the public and the private part make the view, given as bytes, the
    order of its keys included.
    """
    public, private = state.public(), state.private(seat)
    match.want(
        all(public.get(key) is None for key in private),
        "a key of the private part is None in the public part",
    )
    whole = {**public, **private}
    match.want(_exact(whole) == view, "the private part laid over the public one is the view")
    _spoil(whole)
    again = _view_after_spoiling(match, state, seat)
    match.want(
        _exact(again) == view, "each part of a view belongs to its caller, who may change it"
    )


def _check_decision(match: CheckedMatch, decision: Decision) -> None:
    match.want(type(decision.kind) is str and bool(decision.kind), "a decision has a kind")
    match.want(len(decision.legal) >= 2, f"{decision.kind}: a choice of one is never asked")
    for entry in decision.legal:
        match.want(
            type(entry) is list and check_plain(entry) is None,
            f"{decision.kind}: an entry is a plain list",
        )
    match.want(
        len({repr(entry) for entry in decision.legal}) == len(decision.legal),
        f"{decision.kind}: entries differ",
    )


def _check_standing(match: CheckedMatch, state: State) -> None:
    scores, ranks = state.scores, state.ranks
    match.want(
        len(scores) == match.seats and all(type(score) is int for score in scores),
        "a score for each seat",
    )
    match.want(
        ranks == [1 + sum(other < rank for other in ranks) for rank in ranks],
        f"ranks are well formed: {ranks}",
    )
    by_source = state.points_by_source
    wrong = wrong_points(by_source, scores)
    match.want(not wrong, f"points by source: {wrong}")
    sources = [name for part in by_source[0] for name in part] if by_source else []
    match.want(
        match.sources in (None, sources),
        f"the sources of points are the same at every moment: {sources}",
    )
    match.sources = sources


def _exact(value: Plain) -> bytes:
    """Return bytes that are equal just for values equal in all, types and order of keys
    included; b"" if a value is not plain.
    """
    try:
        return marshal.dumps(
            value, 2
        )  # later versions tell apart equal values by how they are held
    except ValueError:
        return b""


def _check_own(match: CheckedMatch, text: bytes, view: Mapping[str, Plain]) -> None:
    """Check that a view is as it was, given as bytes, although an equal view of the
    same state has been changed.
    """
    if _exact(view) != text and (was := marshal.loads(text)) != view:
        lent = ", ".join(key for key in was if view.get(key) != was[key]) or "all of it"
        raise match.fail(
            f"a view belongs to its caller, who may change it: {lent} is the state's own"
        )


def _view_after_spoiling(match: CheckedMatch, state: State, seat: int) -> dict[str, Plain]:
    """Return a view after earlier views have been changed. A failure now comes from
    that change, whatever line it names.
    """
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


def check_refusals(match: CheckedMatch, state: State, choices: Choices, before: Picture) -> None:
    """Check that wrong seats and wrong indices are refused, and change nothing."""
    seat = next(iter(choices))
    size = len(state.pending()[seat].legal)
    others = {s: c for s, c in choices.items() if s != seat}
    spare = next((s for s in range(match.seats + 1) if s not in choices), match.seats)
    wrong: list[Mapping[Any, Any]] = [others, {**choices, spare: 0}, {**others, spare: 0}, {}]
    wrong += [{**choices, seat: bad} for bad in (-1, size, True, None, "0", 0.0)]
    for bad in wrong:
        refused = refuses(lambda bad=bad: state.apply(bad), IllegalChoice)  # type: ignore[misc]
        match.want(refused, f"the choices {bad} are refused: IllegalChoice is raised")
    match.want(match.picture(state) == before, "a refused choice changes nothing")
