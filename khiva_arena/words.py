"""Small parts of messages: numbers with their nouns, and "did you mean"."""

from collections.abc import Iterable


def count(n: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun: "1 match", "2 matches". ``plural``: if that is not
    the noun with an s.
    """
    return f"{n} {noun if n == 1 else plural or noun + 's'}"


def an(noun: str) -> str:
    """Return a noun with its article: "an object", "a set"."""
    return f"{'an' if noun[:1].lower() in 'aeio' else 'a'} {noun}"


def spaced(name: object) -> str:
    """Return a name of the code as words: "no card" for no_card."""
    return str(name).replace("_", " ")


def ranges(numbers: Iterable[int], to: str = "-") -> str:
    """Return rising numbers in few words: "0-4, 7, 9-11"; "none" for none."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return (
        ", ".join(str(first) if first == last else f"{first}{to}{last}" for first, last in runs)
        or "none"
    )


def meant(word: object, known: Iterable[str]) -> str:
    """Return " (did you mean seats?)" if a word is nearly one that is known, else
    "".
    """
    from difflib import get_close_matches  # not above: few words are mistaken

    words = {one.casefold(): one for one in known}
    near = get_close_matches(word.casefold()[:100], words, n=1) if isinstance(word, str) else []
    return f" (did you mean {words[near[0]]}?)" if near else ""


def nearest(word: object, known: Iterable[str]) -> str:
    """Return "; near to it: seats, seeds" with the known words, three at most, that are
    most like an unknown one; "" if none is.
    """
    from difflib import get_close_matches  # not above: few words are mistaken

    words = {one.casefold(): one for one in known}
    text = word.casefold()[:100] if isinstance(word, str) else ""
    near = get_close_matches(text, words, n=3, cutoff=0.5) or [
        one for one in words if len(text) > 2 and (text in one)
    ]
    return f"; near to it: {', '.join(words[one] for one in near[:3])}" if near else ""
