"""Matches of a bundle, found by the words that name them in a store."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import msgspec

from khiva_arena.bots.protocol.messages import INT_MOST
from khiva_arena.bots.sandbox import regular_files
from khiva_arena.common.result import Policy
from khiva_arena.competition.events.find import begins, names_event
from khiva_arena.competition.events.watching import UNWATCHED, MatchWatch
from khiva_arena.errors import ConfigError, RecordError, StoreError
from khiva_arena.records.replay import league_format, seeds
from khiva_arena.records.replay.record import Record, canonical
from khiva_arena.records.store import bundle, bundle_text


class BundledMatch(NamedTuple):
    """A match of a bundle.

    record: its record.
    secret: the secret of its seed, 32 bytes.
    """

    record: Record
    secret: bytes


def bundled_match(path: Path, word: str) -> BundledMatch:
    """Return the match that ``word`` names in a bundle, as in a store.

    Raises ConfigError for a word that fits none or several or a file that cannot be
    read, StoreError if it is not a bundle, RecordError if it is damaged.
    """
    with opened_bundle(path) as reader:
        return match_in(reader, word, path)


def match_in(reader: bundle.Reader, word: str, path: Path) -> BundledMatch:
    """Return the match that ``word`` names in a bundle that is read from its beginning.
    Raises as ``bundled_match``.
    """
    event, _, name = word.rpartition("/")
    by_ordinal: list[_Line] = []
    by_id: list[_Line] = []
    events = 0
    for line in _lines(reader):
        events = line.number
        header = line.record.get("header")
        if not event or names_event(event, line.number, line.event):
            into = by_ordinal if str(line.ordinal) == name else by_id
            if into is by_ordinal or (
                isinstance(header, dict) and begins(str(header.get("match")), name)
            ):
                into[2:] = [line]  # three are as good as two
    fits = by_ordinal if by_ordinal and (event or events == 1) else by_id
    if len(fits) != 1:
        number = "no match" if not fits else "several matches"
        raise ConfigError(f"{number} {word!r} in {path}; name one as EVENT/ORDINAL, or by its id")
    record = _sound(fits[0].record)
    return BundledMatch(record, fits[0].secrets[_opening(record, fits[0].secrets, 0)][1])


def bundled_matches(path: Path) -> Iterator["WholeMatch"]:
    """Yield each match of a bundle as it is read.

    Only the record's chain and its commitment are checked; ``verify`` checks the rest.

    Raises ConfigError for a file that cannot be read, StoreError if it is no bundle,
    RecordError if it is damaged.
    """
    at = 0
    with opened_bundle(path) as reader:
        for line in _lines(reader):
            record = _sound(line.record)
            at = _opening(record, line.secrets, at)
            seed, secret = line.secrets[at]
            yield WholeMatch(line.number, line.ordinal, seed, record, secret, line.transcripts)


class WholeMatch(NamedTuple):
    """A match of a bundle, with its place.

    number: of its event.
    ordinal, seed: its place in the schedule, and its deal.
    record: its record.
    secret: that of its seed, 32 bytes.
    transcripts: by seat; () for none.
    """

    number: int
    ordinal: int
    seed: int
    record: Record
    secret: bytes
    transcripts: tuple[bundle.TranscriptEntry | None, ...] = ()


class _Line(NamedTuple):
    """A match of a bundle as it stands there.

    number, event: of its event, and the id.
    ordinal: its place in the schedule.
    record: plain values.
    secrets: what its event reveals, by seed.
    """

    number: int
    event: str
    ordinal: int
    record: dict[str, Any]
    secrets: list[tuple[int, bytes]]
    transcripts: tuple[bundle.TranscriptEntry | None, ...] = ()


def _lines(reader: bundle.Reader) -> Iterator[_Line]:
    number, event = 0, ""
    secrets: list[tuple[int, bytes]] = []
    for line in reader.lines():
        if isinstance(line, bundle.EventLine):
            number, event, secrets = number + 1, line.id, []
        elif isinstance(line, bundle.RevealLine):
            secrets.append((line.seed, bytes.fromhex(line.secret)))
        elif isinstance(line, bundle.MatchLine):
            transcripts = () if line.transcripts is msgspec.UNSET else line.transcripts
            yield _Line(number, event, line.ordinal, line.record, secrets, transcripts)


PIECE = 1 << 14
"""Bytes of a bundle that are read at once, which hold some dozens of matches."""


@contextmanager
def opened_bundle(path: Path, watch: MatchWatch = UNWATCHED) -> Iterator[bundle.Reader]:
    """Open a bundle; errors begin with its path. ``watch``: sees how far it is read.
    Reading raises ConfigError at a line of a league if the extension that knows leagues
    is not installed.
    """
    try:
        with regular_files.open_file(path) as file:
            yield _Reader(_Watched(file, path, watch), path)
    except OSError as error:
        raise _unreadable(path, error) from None
    except bundle.NoBundle as error:
        from khiva_arena.records.store.meant import no_bundle  # not above: few files are mistaken

        try:
            raise StoreError(f"{path}: {error}{no_bundle(path)}") from None
        except OSError as changed:  # since it was read
            raise _unreadable(path, changed) from None
    except StoreError as error:
        raise StoreError(f"{path}: {error}") from None
    except RecordError as error:
        raise RecordError(f"{path}: {error}") from None


def _unreadable(path: Path, error: OSError) -> ConfigError:
    return ConfigError(f"{path}: cannot be read: {error.strerror or error}")


class _Reader(bundle.Reader):
    """A reader that refuses the bundle of a league if no extension knows leagues."""

    def __init__(self, file: bundle_text.Readable, path: Path) -> None:
        super().__init__(file)
        self._path = path

    def lines(self) -> Iterator[bundle.BundleLine]:
        for line in super().lines():
            if isinstance(line, bundle.LinkLine) or (
                isinstance(line, bundle.EventLine) and league_format.is_batch(line.definition)
            ):
                league_format.check_installed(self._path)
            yield line


class _Watched:
    """A bundle's file that tells how far it is read, in small pieces."""

    def __init__(self, file: BinaryIO, path: Path, watch: MatchWatch) -> None:
        self._file, self._watch, self._what = file, watch, path.name
        self._done, self._size = 0, os.fstat(file.fileno()).st_size

    def read(self, size: int) -> bytes:
        self._watch.far(self._what, self._done >> 10, max(self._done, self._size) >> 10, "kB")
        data = self._file.read(min(size, PIECE))
        self._done += len(data)
        if not data:
            self._watch.over()
        return data


def _opening(record: Record, secrets: Sequence[tuple[int, bytes]], at: int) -> int:
    """Return the index of the secret that opens a record's commitment. Raises
    RecordError if there is none.

    at: the index for the match before, tried first, since the matches of a seed stand
        together.
    """
    for index in chain(range(at, len(secrets)), range(min(at, len(secrets)))):
        if seeds.commitment(record.header.match, secrets[index][1]) == record.header.commit:
            return index
    raise RecordError(f"no secret in it opens the commitment of match {record.header.match!r}")


def _sound(plain: dict[str, Any]) -> Record:
    """Return a record from its plain values. Raises RecordError if its header holds
    values that no arena writes and ``records.replay.verify`` does not check.
    """
    record = Record.from_json(canonical(plain).decode())
    header = record.header
    if header.policy not in list(Policy):
        raise RecordError(f"there is no policy {header.policy[:40]!r}")
    if set(header.time) != {"startup_ms", "turn_ms", "bank_ms"} or not all(
        0 <= ms <= INT_MOST for ms in header.time.values()
    ):
        raise RecordError("its header lacks a limit, or has one that is not valid")
    if not all(seat.name.isprintable() for seat in header.seats):
        raise RecordError("a bot's name in it has unprintable characters")
    return record
