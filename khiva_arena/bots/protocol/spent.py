"""The capability ``spent``: totals that a bot reports beside its choices. They are cut
out of an act before it is decoded.

So nothing that a bot writes there is a breach: totals that are no totals are dropped
and counted.
"""

import msgspec

from khiva_arena.bots.protocol import codec
from khiva_arena.bots.protocol.messages import SPENT, Act
from khiva_arena.common.result import CURRENCY_MOST, Spent, Totals, is_shown

_KEYS = {head + b"spent" for head in (b"\xa5", b"\xd9\5", b"\xda\0\5", b"\xdb\0\0\0\5")}
"""The four encodings of the key."""
_totals = msgspec.msgpack.Decoder(Totals)


class _Offer(msgspec.Struct, frozen=True):
    """The fields of a bot's hello that answer the offer. Its other fields were checked
    before.
    """

    caps: list[object] = []
    currency: object = ""


_offer = msgspec.msgpack.Decoder(_Offer)


class SpentReports:
    """The reports of one conversation. Totals run since the hello, so each replaces the
    last.
    """

    def __init__(self) -> None:
        """Begin before the bot's hello, which may decline."""
        self._is_taken_up = False
        self._currency = ""
        self._totals: dict[str, int] = {}
        self._dropped = 0
        self._req = -1

    def greet(self, payload: bytes) -> None:
        """Read from a hello that was accepted whether the bot takes the capability up,
        and the currency that it names.
        """
        try:
            offer = _offer.decode(payload)
        except ValueError:  # of capabilities that are no list: nothing is taken up
            return
        self._is_taken_up = SPENT in offer.caps
        currency = offer.currency
        if not self._is_taken_up or currency == "":
            return
        if isinstance(currency, str) and len(currency) <= CURRENCY_MOST and is_shown(currency):
            self._currency = currency
        else:
            self._dropped += 1

    def act(self, payload: bytes) -> Act:
        """Decode an act, and take over the totals beside it. Raises RemoteProtocolError
        with the first breach elsewhere in it.
        """
        if not self._is_taken_up:
            return codec.decode_act(payload)
        rest, spent = without_spent(payload)
        act = codec.decode_act(rest)
        if spent is not None:
            try:
                totals = _totals.decode(spent)
                if not all(map(is_shown, totals)):
                    raise ValueError(totals)
                self._totals, self._req = totals, act.req
            except (ValueError, RecursionError):  # of msgspec, too, and of text that is not UTF-8
                self._dropped += 1
        return act

    def so_far(self, decisions: int, last: int) -> Spent:
        """Return the last totals. ``decisions``: that the seat was asked for. ``last``:
        the number of its last request.
        """
        return Spent(self._totals, decisions, self._req == last >= 0, self._dropped, self._currency)


def without_spent(payload: bytes) -> tuple[bytes, bytes | None]:
    """Return a payload without its key ``spent``, and the last value of that key, None
    without one. A payload that is no whole map is returned as it is.
    """
    try:
        count, at = _map_head(payload)
        pairs, spent = [], None
        for _ in range(count):
            value_at = _end(payload, at)
            end = _end(payload, value_at)
            if payload[at:value_at] in _KEYS:
                spent = payload[value_at:end]
            else:
                pairs.append(payload[at:end])
            at = end
    except IndexError:
        return payload, None
    if spent is None:
        return payload, None
    return b"".join([b"\xdf", len(pairs).to_bytes(4, "big"), *pairs, payload[at:]]), spent


def _map_head(payload: bytes) -> tuple[int, int]:
    """Return how many pairs a map has, and where the first begins. Raises IndexError
    for another value.
    """
    head = payload[0]
    if 0x80 <= head <= 0x8F:
        return head & 15, 1
    if head not in (0xDE, 0xDF):
        raise IndexError
    after = 3 if head == 0xDE else 5
    return int.from_bytes(payload[1:after], "big"), after


_LENGTHS = {0xC4: 1, 0xC5: 2, 0xC6: 4, 0xC7: 1, 0xC8: 2, 0xC9: 4, 0xD9: 1, 0xDA: 2, 0xDB: 4}
"""Of bin, ext and str, the bytes of their length."""
_SIZES = {0xCA: 4, 0xCB: 8, 0xCC: 1, 0xCD: 2, 0xCE: 4, 0xCF: 8, 0xD0: 1, 0xD1: 2, 0xD2: 4, 0xD3: 8}
_SIZES |= {0xD4: 2, 0xD5: 3, 0xD6: 5, 0xD7: 9, 0xD8: 17}
"""Of numbers and of short ext, the bytes behind the first."""
_ITEMS = {0xDC: (2, 1), 0xDD: (4, 1), 0xDE: (2, 2), 0xDF: (4, 2)}
"""Of arrays and maps, the bytes of their length, and the values for each."""


def _end(data: bytes, at: int) -> int:
    """Return where the value at a place ends, however deep it nests. Raises IndexError
    if the data end before.
    """
    left = 1
    while left:
        head, left, at = data[at], left - 1, at + 1
        if head <= 0x7F or head >= 0xE0 or head in (0xC0, 0xC1, 0xC2, 0xC3):
            continue
        if head <= 0x8F:
            left += 2 * (head & 15)
        elif head <= 0x9F:
            left += head & 15
        elif head <= 0xBF:
            at += head & 31
        elif head in _SIZES:
            at += _SIZES[head]
        elif head in _LENGTHS:
            size = _LENGTHS[head]
            at += size + int.from_bytes(data[at : at + size], "big") + (0xC7 <= head <= 0xC9)
        else:
            size, each = _ITEMS[head]
            left += each * int.from_bytes(data[at : at + size], "big")
            at += size
    if at > len(data):
        raise IndexError
    return at
