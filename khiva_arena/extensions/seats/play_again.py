"""The command that plays a person's match again."""

import shlex
from collections.abc import Sequence
from itertools import pairwise

from khiva_arena.competition.settings.one_match import OneMatch
from khiva_arena.entrants import guests


def way_again(setup: OneMatch, words: Sequence[str]) -> list[list[str]]:
    """Return the commands that play once more, each with its name: on another deal, and
    on this one in the next seat.

    words: of this command, after its name. A stored match that was played on has
        neither, and of several persons each would read what only one has typed.
    """
    if words[:1] != ["play"] or setup.then or sum(map(is_person, setup.words)) != 1:
        return []
    seed = (
        setup.random_secret.hex()
        if setup.random_secret is not None
        else _values(words, "--seed")[-1]
    )
    next_seat = [word for bot in (*setup.words[-1:], *setup.words[:-1]) for word in ("--bot", bot)]
    other, same = _without(words, "--seed"), _without(words, "--seed", "--bot")
    return [
        ["again", shlex.join(["khiva-arena", *other])],
        [
            "the same deal in another seat",
            shlex.join(["khiva-arena", *same, *next_seat, "--seed", seed]),
        ],
    ]


def _values(words: Sequence[str], flag: str) -> list[str]:
    """Return the values of a flag in a command, written as one word or as two."""
    after = [second for first, second in pairwise(words) if first == flag]
    return [
        *after,
        *(word.removeprefix(f"{flag}=") for word in words if word.startswith(f"{flag}=")),
    ]


def _without(words: Sequence[str], *flags: str) -> list[str]:
    """Return a command without some flags and their values."""
    firsts = ("", *words)
    return [
        word
        for before, word in zip(firsts, words, strict=False)
        if before not in flags and word.split("=")[0] not in flags
    ]


def is_person(word: str) -> bool:
    return guests.is_guest(word) and guests.guest_of(word).kind == guests.PERSON
