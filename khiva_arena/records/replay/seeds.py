"""Secrets, commitments, ids and numbers of a run, each derived one way from the one
before. Normative text: SPEC.md.

Definition and run secret give the commitment, it gives the event id, and that gives the
match ids and the key of the schedule's draws. The run secret gives the secret of seed
k, and that (by match id) the req start and each seat's own number.

Nothing that a bot is sent lets it compute backwards. A public text, if there is one, is
mixed into the schedule and into the secrets of seeds, and into no id.
"""

import re
from hashlib import sha256

SECRET_BYTES = 32
NUMBER_BITS = 53
ID_LENGTH = 16
_HEX_64 = re.compile(r"[0-9a-fA-F]{64}")


def run_secret(text: str) -> bytes:
    """Return the 32 bytes that ``--seed TEXT`` stands for: 64 hex digits are the bytes
    themselves, any other text is hashed.
    """
    if is_secret(text):
        return bytes.fromhex(text)
    return sha256(b"khiva-run-1\0" + text.encode()).digest()


def stage_secret(competition: bytes, stage: int) -> bytes:
    """Return the run's secret of a stage of a competition, 32 bytes.

    competition: the competition's own secret, which is never revealed.
    stage: counted from 1.
    """
    return sha256(b"khiva-stage-1\0" + competition + stage.to_bytes(8, "big")).digest()


def is_secret(text: str) -> bool:
    """Tell whether ``--seed TEXT`` is the secret itself, and not a text from which it
    is made.
    """
    return _HEX_64.fullmatch(text) is not None


def extension_secret(text: str, event: str) -> bytes:
    """Return the run's secret of an event that extends another one, 32 bytes.

    text: the text of ``--seed``, since the secret that this text stands for is
        revealed.
    extended: the id of the other event.
    """
    return sha256(b"khiva-extension-1\0" + event.encode() + text.encode()).digest()


def seed_secret(run: bytes, k: int, public: str | None = None) -> bytes:
    """Return the secret of seed k of a run, 32 bytes.

    public: the event's public text, None if it has none.
    """
    if public is None:
        return sha256(b"khiva-seed-1\0" + run + k.to_bytes(8, "big")).digest()
    return sha256(b"khiva-seed-2\0" + run + _beacon(public) + k.to_bytes(8, "big")).digest()


def seed_digest(run: bytes) -> str:
    """Return the hash by which a definition names a seed that was given, 64 hex digits,
    without giving away the run's secret.
    """
    return sha256(b"khiva-event-seed-1\0" + run).hexdigest()


def schedule_key(event: str, public: str | None = None) -> bytes:
    """Return the key that line-ups and seatings are drawn with, 32 bytes: public, so
    that anyone can compute the schedule again.
    """
    if public is None:
        return sha256(b"khiva-schedule-1\0" + event.encode()).digest()
    return sha256(b"khiva-schedule-2\0" + event.encode() + _beacon(public)).digest()


def _beacon(text: str) -> bytes:
    return sha256(b"khiva-beacon-1\0" + text.encode()).digest()


def commitment(bound_to: str, secret: bytes) -> str:
    """Return the commitment that is published before the first match, 64 hex digits.

    bound_to: the match id; for a run the hash of the event's definition (its id if
        version 0.1.0 began it).
    """
    return sha256(b"khiva-commit-1\0" + bound_to.encode() + secret).hexdigest()


def event_id(definition: str, commitment: str) -> str:
    """Return the id of an event, 16 hex digits.

    definition: the hash of its definition, 64 hex digits, as its commitment has.
    """
    return sha256(f"khiva-event-2\0{definition}{commitment}".encode()).hexdigest()[:ID_LENGTH]


def match_id(event: str, ordinal: int) -> str:
    """Return the id of a match, 16 hex digits, by its place in the schedule."""
    return sha256(f"khiva-match-1\0{event}\0{ordinal}".encode()).hexdigest()[:ID_LENGTH]


def seat_number(secret: bytes, match: str, seat: int) -> int:
    """Return a seat's own number, 0 to 2**53 - 1, for bots that draw lots.

    secret: the seed's.
    """
    return _number(b"khiva-seat-1\0", secret, match, seat)


def req_start(secret: bytes, match: str) -> int:
    """Return the first ``req`` of a match, 1 to 2**31: a bot that answers before it is
    asked cannot guess it.
    """
    return 1 + _number(b"khiva-req-1\0", secret, match, 0) % 2**31


def _number(purpose: bytes, secret: bytes, match: str, seat: int) -> int:
    block = sha256(purpose + secret + seat.to_bytes(4, "big") + match.encode()).digest()
    return int.from_bytes(block[:8], "big") >> (64 - NUMBER_BITS)
