"""Matches of a bundle, found by the words that name them in a store."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from khiva_arena.errors import ConfigError, RecordError, StoreError
from khiva_arena.events.find import begins, names_event
from khiva_arena.protocol.messages import INT_MOST
from khiva_arena.replay import seeds
from khiva_arena.replay.record import Record, canonical
from khiva_arena.result import Policy
from khiva_arena.store import bundle


class BundledMatch(NamedTuple):
    """A match of a bundle.

    record: its record.
    secret: the secret of its seed, 32 bytes.
    """

    record: Record
    secret: bytes


def bundled_match(path: Path, word: str) -> BundledMatch:
    """Return the match that ``word`` names in a bundle, as in a store.

    Raises ConfigError for a word that fits none or several or a file that cannot be read, StoreError if it is not a bundle,
    RecordError if it is damaged.
    """
    with opened_bundle(path) as reader:
        fits, secrets = _fits_in_bundle(reader, word)
    if len(fits) != 1:
        number = "no match" if not fits else "several matches"
        raise ConfigError(f"{number} {word!r} in {path}; name one as EVENT/ORDINAL, or by its id")
    event, raw = fits[0]
    record = _sound(Record.from_json(canonical(raw).decode()))
    for secret in secrets[event]:
        if seeds.commitment(record.header.match, secret) == record.header.commit:
            return BundledMatch(record, secret)
    raise RecordError(f"{path}: no secret in it opens the commitment of match {word!r}")


def bundled_matches(path: Path) -> Iterator[tuple[int, int, int, Record, bytes]]:
    """Yield each match of a bundle as it is read: the number of its event, its ordinal, its seed, its record, and the seed's
    secret, 32 bytes.

    Only the record's chain and its commitment are checked; ``verify`` checks the rest.

    Raises ConfigError for a file that cannot be read, StoreError if it is no bundle, RecordError if it is damaged.
    """
    number = at = 0
    secrets: list[tuple[int, bytes]] = []
    with opened_bundle(path) as reader:
        for line in reader.lines():
            if isinstance(line, bundle.EventLine):
                number, at, secrets = number + 1, 0, []
            elif isinstance(line, bundle.RevealLine):
                secrets.append((line.seed, bytes.fromhex(line.secret)))
            elif isinstance(line, bundle.MatchLine):
                record = _sound(Record.from_json(canonical(line.record).decode()))
                at = _opening(record, secrets, at)
                yield number, line.ordinal, secrets[at][0], record, secrets[at][1]


@contextmanager
def opened_bundle(path: Path) -> Iterator[bundle.Reader]:
    """Open a bundle; errors begin with its path."""
    try:
        with path.open("rb") as file:
            yield bundle.Reader(file)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror or error}") from None
    except StoreError as error:
        raise StoreError(f"{path}: {error}") from None
    except RecordError as error:
        raise RecordError(f"{path}: {error}") from None


def _opening(record: Record, secrets: Sequence[tuple[int, bytes]], at: int) -> int:
    """Return the index of the secret that opens a record's commitment. Raises RecordError if there is none.

    at: the index for the match before, tried first, since the matches of a seed stand together.
    """
    for index in chain(range(at, len(secrets)), range(at)):
        if seeds.commitment(record.header.match, secrets[index][1]) == record.header.commit:
            return index
    raise RecordError(f"no secret in it opens the commitment of match {record.header.match!r}")


def _sound(record: Record) -> Record:
    """Return the record. Raises RecordError if its header holds values that no arena writes and ``replay.verify`` does not
    check."""
    header = record.header
    if header.policy not in list(Policy):
        raise RecordError(f"there is no policy {header.policy[:40]!r}")
    if set(header.time) != {"startup_ms", "turn_ms", "bank_ms"} or not all(0 <= ms <= INT_MOST for ms in header.time.values()):
        raise RecordError("its header lacks a limit, or has one that is not valid")
    if not all(seat.name.isprintable() for seat in header.seats):
        raise RecordError("a bot's name in it has unprintable characters")
    return record


def _fits_in_bundle(reader: bundle.Reader, word: str) -> tuple[list[tuple[int, dict[str, Any]]], dict[int, list[bytes]]]:
    """Return at most two of the records that a word fits, with the number of their event; and each event's secrets."""
    event, _, name = word.rpartition("/")
    by_ordinal: list[tuple[int, dict[str, Any]]] = []
    by_id: list[tuple[int, dict[str, Any]]] = []
    secrets: dict[int, list[bytes]] = {}
    number, in_event = 0, False
    for line in reader.lines():
        if isinstance(line, bundle.EventLine):
            number += 1
            in_event = not event or names_event(event, number, line.id)
            secrets[number] = []
        elif isinstance(line, bundle.RevealLine):
            secrets.setdefault(number, []).append(bytes.fromhex(line.secret))
        elif isinstance(line, bundle.MatchLine) and in_event:
            header = line.record.get("header")
            into = by_ordinal if str(line.ordinal) == name else by_id
            if len(into) < 2 and (into is by_ordinal or (isinstance(header, dict) and begins(str(header.get("match")), name))):
                into.append((number, line.record))
    return (by_ordinal if by_ordinal and (event or number == 1) else by_id), secrets
