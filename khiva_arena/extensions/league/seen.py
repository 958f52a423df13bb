"""The links of a chain as others have seen them: receipts in files that somebody
outside of the league kept.

Any text can name a link, and proves that it was there. A time proves something only if
an outsider noted it: so times are read from files alone that hold nothing but receipts
as ``submissions/receipts.py`` keeps them. A page was written by the organiser.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

from khiva_arena.competition.events.in_bundle import opened_bundle
from khiva_arena.errors import ConfigError, RecordError, StoreError
from khiva_arena.extensions.league.chain.links import AnyLink, read_link
from khiva_arena.extensions.league.folder import has_store
from khiva_arena.records.replay.league_format import OtherFormat
from khiva_arena.records.replay.record import canonical
from khiva_arena.records.store import bundle
from khiva_arena.records.store.db import Store

RECEIPT = re.compile(
    r"link (\d{1,9}) ([0-9a-f]{64}) commitment (?:-|[0-9a-f]{64}) at ([0-9T:+-]{16,32}) from \S+",
    re.ASCII,
)
"""A whole line, as whoever was told of a link keeps it with the time."""
NAMED = re.compile(r"\blink (\d{1,9}) ([0-9a-f]{64})\b", re.ASCII)
"""A link as pages, feeds, badges and answers to ``submit`` name it."""
IN_JSON = re.compile(r'"link": ?(\d{1,9}), ?"digest": ?"([0-9a-f]{64})"', re.ASCII)
"""A link as the data of a league's pages name it."""
MOST_SEEN = 64 * 2**20  # bytes of a file with receipts


class Receipt(NamedTuple):
    """A link of a chain, as somebody was told of it.

    number: of the link.
    digest: of the link, 64 hex digits.
    file: that holds it.
    at: when, by the clock of whoever kept it; None if that was not noted by an
        outsider.
    """

    number: int
    digest: str
    file: Path
    at: datetime | None = None


class Sightings:
    """The times at which others had links. ``receipts``: that fit the chain."""

    def __init__(self, receipts: Sequence[Receipt]) -> None:
        times = sorted((receipt.at, receipt.number) for receipt in receipts if receipt.at)
        self._times = [at for at, _ in times]
        self._newest = [-1, *accumulate((number for _, number in times), max)]

    def newest_before(self, moment: datetime) -> int:
        """Return the newest link that somebody had before a moment, and so all links
        before it; -1 for none.
        """
        return self._newest[bisect_left(self._times, moment)]


def receipts_in(file: Path) -> list[Receipt]:
    """Return the receipts in a file: a bundle of the league, a copy of its chain, or
    any text that names links.

    Raises ConfigError if the file cannot be read, or has none, StoreError if it is of a
    league of another format.
    """
    try:
        with file.open("rb") as opened:
            data = opened.read(MOST_SEEN + 1)
    except OSError as error:
        raise ConfigError(f"--seen {file}: {error.strerror or error}") from None
    if len(data) > MOST_SEEN and not data.startswith(b"\x1f\x8b"):
        raise ConfigError(f"--seen {file}: it has more than {MOST_SEEN:,} bytes")
    if data.startswith(b"\x1f\x8b"):
        links: Iterator[AnyLink] = _links_of_bundle(file)
        receipts = [Receipt(link.number, link.digest, file) for link in links]
    else:
        text = data.decode(errors="replace")
        receipts = [Receipt(int(number), digest, file) for number, digest in IN_JSON.findall(text)]
        named = [Receipt(int(number), digest, file) for number, digest in NAMED.findall(text)]
        receipts += _with_times(text, file) or named
        try:
            receipts += [Receipt(link.number, link.digest, file) for link in _links_of_text(text)]
        except OtherFormat as error:
            raise StoreError(f"--seen {file}: {error}") from None
    if not receipts:
        raise ConfigError(
            f"--seen {file}: it names no link; give a bundle, a saved feed or page, or "
            "what `submit` was told"
        )
    return receipts


def _with_times(text: str, file: Path) -> list[Receipt]:
    """Return the receipts of a text with their times; none if a line of it is anything
    else than a receipt.
    """
    lines = [RECEIPT.fullmatch(line.strip()) for line in text.split("\n") if line.strip()]
    return (
        [Receipt(int(line[1]), line[2], file, _moment(line[3])) for line in lines if line]
        if all(lines)
        else []
    )


def _moment(text: str) -> datetime | None:
    """Return the time that a receipt names, None if it names none."""
    with suppress(ValueError):
        at = datetime.fromisoformat(text)
        return at if at.tzinfo else None
    return None


def _links_of_bundle(file: Path) -> Iterator[AnyLink]:
    with opened_bundle(file) as reader:
        for line in reader.lines():
            if not isinstance(line, bundle.LinkLine):
                return
            yield read_link(canonical(line.link))


def _links_of_text(text: str) -> Iterator[AnyLink]:
    for line in text.splitlines():
        if line.startswith('{"') and '"kind":' in line:
            try:
                yield read_link(line)
            except RecordError:
                continue  # a line of something else


def receipt_of(league: Path) -> str:
    """Return the newest link of the league in a folder, as `verify --seen` finds it; ""
    if none was made.
    """
    if not has_store(league):
        return ""
    with Store.read(league) as store:
        newest = store.newest_link()
    return f"link {newest.number} {read_link(newest.text).digest}" if newest else ""
