"""Replay of a record through the rules, with a comparison of the results to those in
the record.

A match is a function of its secret and its choices, so the rules alone tell its scores
and ranks. Faults are not replayed: they are the arbiter's word. But a fault, its
default choice, the strikes and a forfeit have to agree with each other and with the
policy.
"""

from collections.abc import Callable, Sequence

from khiva_arena.common.result import (
    FAULTS,
    STRIKES_TO_FORFEIT,
    STRIKING,
    Policy,
    Verdict,
    final_ranks,
)
from khiva_arena.errors import ArenaError, GameFault, RecordError
from khiva_arena.games.base import Event, State
from khiva_arena.games.registry import get
from khiva_arena.games.rules_map import NOT_CHECKED, file_in_rules
from khiva_arena.records.replay import seeds
from khiva_arena.records.replay.record import FORFEITED, Choice, Record

StepWatcher = Callable[[int, State, Sequence[Event]], None]
BLAMED_AT_A_STEP = frozenset(FAULTS) - {Verdict.START_FAILED}
# A seat that is not asked cannot be late or choose wrongly; neither can one that has
# not yet greeted.
BLAMED_UNASKED = BLAMED_AT_A_STEP - frozenset(STRIKING)
BLAMED_AT_THE_START = BLAMED_UNASKED | {Verdict.START_FAILED}


def verify(record: Record, secret: bytes, watch: StepWatcher | None = None) -> State:
    """Replay ``record`` with the seed's 32-byte ``secret``, and return the state at the
    end.

    ``watch(step, state, events)`` sees each step, 0 the opening.

    Raises RecordError naming the place where the record first differs from the results
    of the rules, the commitment and the faults. Raises GameFault if its game cannot be
    played.
    """
    _check_header(record, secret)
    header, count = record.header, len(record.header.seats)
    if file_in_rules(header.game, header.rules):
        raise RecordError(NOT_CHECKED)
    try:
        game = get(header.game, header.rules_version)
        if game.rules_version != header.rules_version:
            raise RecordError(
                f"played by rules version {header.rules_version}; this engine has "
                f"{game.rules_version}"
            )
        state, events = game.new(count, game.rules(header.rules), secret)
    except (GameFault, RecordError):
        raise
    except ArenaError as error:
        raise RecordError(f"the header cannot be played: {error}") from None
    _replay(record, state, events, watch)
    return state


def check_unplayed(record: Record, secret: bytes) -> None:
    """Check a record as far as possible without playing it: the secret opens it, and a
    match can have its result.

    Raises RecordError.
    """
    _check_header(record, secret)
    _check_verdicts(record)
    if list(record.ranks) != [
        1 + sum(better < rank for better in record.ranks) for rank in record.ranks
    ]:
        raise RecordError(f"{list(record.ranks)} are not ranks")


def _check_header(record: Record, secret: bytes) -> None:
    header = record.header
    count = len(header.seats)
    if seeds.commitment(header.match, secret) != header.commit:
        raise RecordError("the secret does not open the commitment")
    for seat, player in enumerate(header.seats):
        if seeds.seat_number(secret, header.match, seat) != player.number:
            raise RecordError(f"seat {seat}'s number does not follow from the secret")
    for name in ("verdicts", "forfeited_at", "ranks", "scores"):
        if len(getattr(record, name)) != count:
            raise RecordError(f"{name} are not one for each of {count} seats")
    if record.ticks is not None:
        # not above: most records are by the wall clock
        from khiva_arena.records.replay.ticks import check_ticks

        check_ticks(record, record.ticks)


def faults_of(record: Record) -> list[list[tuple[str, int]]]:
    """Return by seat the verdict and step of every fault in a record, strikes included,
    in order.
    """
    found: list[list[tuple[str, int]]] = [[] for _ in record.header.seats]
    for number, step in enumerate(record.steps, 1):
        for seat, _, why in step:
            if why and why != FORFEITED:
                found[seat].append((why, number))
    for faults, verdict, at in zip(found, record.verdicts, record.forfeited_at, strict=True):
        if at is not None and at not in [
            step for _, step in faults
        ]:  # the seat forfeited at the start, or unasked
            faults.append((str(verdict), at))
    return found


def _replay(record: Record, state: State, events: list[Event], watch: StepWatcher | None) -> None:
    strikes = [0] * len(record.header.seats)
    out = _out_at_the_start(record)
    steps = [{seat: choice for seat, choice, _ in step} for step in record.steps]
    if watch:
        watch(0, state, events)
    else:
        state.expect(steps)
    for number, (step, choices) in enumerate(zip(record.steps, steps, strict=True), 1):
        pending = state.pending()
        if list(choices) != list(pending) or len(choices) < len(
            step
        ):  # a seat may stand there twice
            raise RecordError(f"step {number} has choices of other seats than {list(pending)}")
        for choice in step:
            if choice[2] or out[choice[0]] is not None:  # few choices need the check
                _check_choice(record, number, choice, out, strikes)
        if number in record.forfeited_at:
            _check_forfeits(record, number, list(choices), out)
        try:
            events = state.apply(choices)
        except GameFault:
            raise
        except ArenaError as error:
            raise RecordError(f"step {number} is not legal: {error}") from None
        if watch:
            watch(number, state, events)
    _check_end(record, state, out)


def _out_at_the_start(record: Record) -> list[int | None]:
    for seat, at in enumerate(record.forfeited_at):
        if at == 0 and record.verdicts[seat] not in BLAMED_AT_THE_START:
            raise RecordError(
                f"seat {seat}: {record.verdicts[seat]} cannot be a fault at the start"
            )
    return [0 if at == 0 else None for at in record.forfeited_at]


def _check_choice(
    record: Record, number: int, choice: Choice, out: list[int | None], strikes: list[int]
) -> None:
    """Check that a default is played if the record has a fault or a forfeit there, and
    only then. Raises RecordError.
    """
    seat, index, why = choice
    place = f"step {number}, seat {seat}"
    if why and index != 0:
        raise RecordError(f"{place}: a default is choice 0, not {index}")
    if (why == FORFEITED) != (out[seat] is not None):
        raise RecordError(
            f"{place}: {'plays on after' if out[seat] is not None else 'is out without'} a forfeit"
        )
    if not why or why == FORFEITED:
        return
    if why not in BLAMED_AT_A_STEP:
        raise RecordError(f"{place}: {why!r} is not a fault")
    fault = Verdict(why)
    strikes[seat] += fault in STRIKING
    forfeits = (
        fault not in STRIKING or strikes[seat] >= STRIKES_TO_FORFEIT[Policy(record.header.policy)]
    )
    if forfeits != (record.forfeited_at[seat] == number) or (
        forfeits and record.verdicts[seat] != fault
    ):
        raise RecordError(
            f"{place}: the policy and the fault {fault} do not give the forfeit that is recorded"
        )
    if forfeits:
        out[seat] = number


def _check_forfeits(
    record: Record, number: int, choosers: list[int], out: list[int | None]
) -> None:
    """Check that a seat which was asked forfeits only by a fault in its choice. Raises
    RecordError.

    A seat that was not asked may still break the protocol.
    """
    for seat, at in enumerate(record.forfeited_at):
        if at == number and out[seat] is None:
            if seat in choosers or record.verdicts[seat] not in BLAMED_UNASKED:
                raise RecordError(f"step {number}, seat {seat}: forfeited without a fault")
            out[seat] = number


def _check_verdicts(record: Record) -> None:
    for seat, at in enumerate(record.forfeited_at):
        if (at is None) != (record.verdicts[seat] is Verdict.OK):
            raise RecordError(
                f"seat {seat}: verdict {record.verdicts[seat]} and forfeit {at} do not go together"
            )


def _check_end(record: Record, state: State, out: list[int | None]) -> None:
    _check_verdicts(record)
    for seat, at in enumerate(record.forfeited_at):
        if at is not None and out[seat] is None:
            raise RecordError(f"seat {seat} forfeited at step {at} of {len(record.steps)}")
    playing = sum(at is None for at in out)
    if record.reason != ("over" if state.is_over else "forfeits"):
        raise RecordError(
            f"ended for the reason {record.reason!r}, but the rules say "
            f"{'over' if state.is_over else 'not over'}"
        )
    if not state.is_over and playing > 1:
        raise RecordError(f"the record stops with {playing} seats left in")
    if list(record.scores) != state.scores:
        raise RecordError(f"scores are {list(record.scores)}, the rules give {state.scores}")
    ranks = final_ranks(state.ranks, out)
    if list(record.ranks) != ranks:
        raise RecordError(f"ranks are {list(record.ranks)}, the rules give {ranks}")
