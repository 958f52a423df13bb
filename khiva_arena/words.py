"""Small parts of messages: numbers with their nouns, and "did you mean"."""

from collections.abc import Iterable


def count(n: int, noun: str, plural: str = "") -> str:
    """ "1 match", "2 matches". ``plural``: if that is not the noun with an s."""
    return f"{n} {noun if n == 1 else plural or noun + 's'}"


def an(noun: str) -> str:
    """ "an object", "a set"."""
    return f"{'an' if noun[:1].lower() in 'aeio' else 'a'} {noun}"


def meant(word: object, known: Iterable[str]) -> str:
    """ " (did you mean seats?)" if a word is nearly one that is known, else ""."""
    from difflib import get_close_matches  # not above: few words are mistaken

    words = {one.casefold(): one for one in known}
    near = get_close_matches(word.casefold()[:100], words, n=1) if isinstance(word, str) else []
    return f" (did you mean {words[near[0]]}?)" if near else ""
