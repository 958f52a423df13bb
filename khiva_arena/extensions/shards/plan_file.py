"""A plan: an event still to be played, in a file, for machines that know nothing of
each other.

It holds the run's secret, so only its owner may read it, and a seal over all of it,
which finds accidental edits. A person who edits it on purpose can seal it again. Then
the event has another id, and no merge takes it for this one.
"""

import json
import os
import stat
from hashlib import sha256
from pathlib import Path
from shlex import quote
from typing import Annotated, Any, Literal, NamedTuple

import msgspec

from khiva_arena.bots.sandbox import regular_files
from khiva_arena.competition.events import stored
from khiva_arena.errors import ConfigError, StoreError
from khiva_arena.records.replay import league_format, seeds
from khiva_arena.records.replay.record import canonical
from khiva_arena.records.store import private
from khiva_arena.records.store.new_file import new_file
from khiva_arena.records.store.rows import BotRow, EventRow

FORMAT = 1
_LONGEST = 16 * 2**20
_OTHERS = 0o077
_Hex = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]


class _Plan(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The content of the file.

    kind, format: of the file.
    engine: the version that wrote it.
    definition: all that defines the event.
    commitment: to be published before the first match.
    secret: the run's, in hex.
    bots: in the order of the definition, by the words that named them.
    seal: a hash over the rest.
    game: the word that names a game which does not come with the arena; left out
        otherwise.
    """

    kind: Literal["khiva-plan"]
    format: int
    engine: Annotated[str, msgspec.Meta(max_length=100)]
    definition: dict[str, Any]
    commitment: _Hex
    secret: _Hex
    bots: list[BotRow]
    seal: _Hex
    game: Annotated[str, msgspec.Meta(max_length=10_000)] = ""


class PlanRead(NamedTuple):
    """The content of a plan as it was read.

    event: without a number in any store.
    game: the word that names its game, "" for one that comes with the arena.
    """

    event: EventRow
    game: str = ""


def write_plan(path: Path, event: EventRow, game: str = "") -> bool:
    """Write an event as a plan, and the word for its ``game`` if that does not come
    with the arena.

    Returns False if that file has a plan of the same definition already, which stays.

    Raises ConfigError for a file with anything else, ArenaError if it cannot be
    written.
    """
    if os.path.lexists(path):
        try:
            existing = read_plan(path).event
        except ConfigError:
            existing = None
        seed = event.definition.seed
        if (
            existing is None
            or existing.text != event.text
            or (seed is not None and existing.secret != event.secret)
        ):
            raise ConfigError(
                f"--plan {path}: exists already with other contents, and is not changed; "
                "give another name"
            )
        return False
    plan = _Plan(
        "khiva-plan",
        FORMAT,
        event.engines[0],
        event.definition.plain(),
        event.commitment,
        event.secret.hex(),
        list(event.bots),
        "",
        game,
    )
    values = msgspec.to_builtins(msgspec.structs.replace(plan, seal=_seal(plan)))
    with new_file(path, mode=private.FILE) as file:
        file.write(json.dumps(values, indent=1).encode() + b"\n")
    return True


def read_plan(path: Path) -> PlanRead:
    """Return the content of a plan. Raises ConfigError for a file that is not as
    ``write_plan`` left it, or that others may read.
    """
    prefix = f"--from-plan {path}"
    try:
        with regular_files.open_file(path) as file:
            mode, text = (
                os.fstat(file.fileno()).st_mode,
                b"".join(regular_files.pieces(file, _LONGEST, path)),
            )
    except (OSError, ValueError) as error:
        raise ConfigError(
            f"{prefix}: cannot be read: {getattr(error, 'strerror', None) or error}"
        ) from None
    try:
        plan = msgspec.json.decode(text, type=_Plan)
    except (ValueError, RecursionError):
        raise ConfigError(
            f"{prefix}: not a plan as `khiva-arena run --plan FILE` writes it, or a damaged one"
        ) from None
    if mode & _OTHERS:
        raise ConfigError(
            f"{prefix}: others may read it (mode {stat.S_IMODE(mode):o}), and it reveals every "
            f"deal: if nobody has, `chmod 600 {quote(str(path))}`; else make a new plan"
        )
    if plan.format != FORMAT:
        raise ConfigError(
            f"{prefix}: a plan of format {plan.format}; this engine reads format {FORMAT}"
        )
    edited = (
        f"{prefix}: it was changed since it was written; take the plan as it was, or make a "
        "new one with `run --plan`"
    )
    if plan.seal != _seal(plan):
        raise ConfigError(edited)
    definition = canonical(plan.definition).decode()
    try:
        league_format.check_definition(plan.definition)
    except league_format.OtherFormat as error:
        raise ConfigError(f"{prefix}: {error}") from None
    if league_format.is_batch(plan.definition):
        league_format.check_installed(prefix)
    event = event_of(
        definition, plan.engine, plan.commitment, bytes.fromhex(plan.secret), tuple(plan.bots)
    )
    try:
        stored.check_stored(event)
    except StoreError as error:
        raise ConfigError(f"{edited} ({error})") from None
    if not event.opens(event.secret) or event.definition.seed not in (
        None,
        seeds.seed_digest(event.secret),
    ):
        raise ConfigError(f"{edited} (its secret is not the one that is committed to)")
    return PlanRead(event, plan.game)


def event_of(
    definition: str, engine: str, commitment: str, secret: bytes, bots: tuple[BotRow, ...]
) -> EventRow:
    """Return an event that is in no store. ``definition``: canonical JSON."""
    digest = sha256(definition.encode()).hexdigest()
    return EventRow(
        seeds.event_id(digest, commitment), 0, definition, (engine,), "", commitment, secret, bots
    )


def _seal(plan: _Plan) -> str:
    """Return the SHA-256 over all but the seal, 64 hex digits."""
    values = msgspec.to_builtins(plan)
    del values["seal"]
    return sha256(b"khiva-plan-1\0" + canonical(values)).hexdigest()
