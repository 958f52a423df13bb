"""The meaning of a model's answer: one legal choice, or none. An answer that can mean two is asked again and not guessed."""

import json
import re

MOST_READ = 100_000
"""Characters, counted from the end: that is where an answer stands."""
MOST_LINE = 300
"""Characters of a line or a value that may be an answer; a longer one is prose."""
THOUGHT = re.compile("</?(?:think|thinking|thought|reasoning)>")
KEY = re.compile(r"""["']choice["']\s*:\s*""")
WHOLE = re.compile(r"\s*[,}]")
"""What stands behind a value that is not cut off."""
BETWEEN = re.compile(r"""[\s\[\](){}"'`*_:=,;!#>\\]+""")
"""What parts words: space, and the signs of JSON and Markdown. A sign that changes a number is none of them."""
NUMBER = re.compile("-?[0-9]{1,9}")
FILLERS = re.compile(
    "a|answer|best|boxed|choice|choose|final|i|is|it|json|ll|move|my|number|option|pick|play|select|so|take|the|therefore|will"
)
"""Words that may stand before an answer and change nothing, as in "My choice is 3"."""
MOST_SHOWN = 40


def choice(text: str, refusal: str, legal: list, listed: bool) -> tuple[int | None, str]:
    """The number of a choice, or None and what was wrong. ``listed``: the model was shown the choices with their numbers."""
    if refusal:
        return None, f"a refusal: {refusal}"
    text = text[-MOST_READ:]
    if tags := THOUGHT.findall(text):
        if "/" not in tags[-1]:
            return None, "its thought does not end"
        text = text.rpartition(tags[-1])[2]
    if not text.strip():
        return None, "it is empty"
    meanings = _Meanings(legal, listed)
    found: set[int] = set()
    keys = list(KEY.finditer(text))
    for key in keys:
        value, said, problem = _value(text, key.end())
        meant = set() if problem else meanings.of_value(value, said)
        if not meant:
            return None, problem or f"{' '.join(said.split())[:MOST_SHOWN]} is no legal choice"
        found |= meant
    for line in () if keys else text.splitlines():
        if len(line) <= MOST_LINE:
            found |= meanings.of_words(words(line))
    if len(found) != 1:
        return None, "it can mean several choices" if found else "it names no choice"
    (number,) = found
    if not 0 <= number < len(legal):
        return None, f"{str(number)[:MOST_SHOWN]} is not from 0 to {len(legal) - 1}"
    return number, ""


def words(text: str) -> list[str]:
    """The words and numbers of a text, without the signs around them."""
    return [word.rstrip(".") for word in BETWEEN.split(text.casefold()) if word.strip(".-")]


def _value(text: str, at: int) -> tuple[object, str, str]:
    """The JSON value that begins at a place, its text, and what is wrong with it."""
    try:
        value, end = json.JSONDecoder().raw_decode(text, at)
    except (ValueError, RecursionError):
        return None, "", "its object is no JSON that can be read"
    return value, text[at:end], "" if WHOLE.match(text, end) else "its object is cut off"


class _Meanings:
    """What words and numbers mean among these legal choices."""

    def __init__(self, legal: list, listed: bool) -> None:
        self._entries = [words(json.dumps(entry, ensure_ascii=False)) for entry in legal]
        self._listed = listed
        self._by_words: dict[tuple[str, ...], set[int]] = {}
        for number, entry in enumerate(self._entries):
            self._by_words.setdefault(tuple(entry), set()).add(number)

    def of_value(self, value: object, said: str) -> set[int]:
        """The choices that the value of an object may mean, legal or not. ``said``: its text."""
        if type(value) is int and self._listed:
            return {value}
        known = type(value) in (int, str, list) and len(said) <= MOST_LINE
        return self.of_words(words(said), in_list=type(value) is list) if known else set()

    def of_words(self, said: list[str], in_list: bool = False) -> set[int]:
        """The choices that words may mean, with and without the fillers before them. Where numbers are asked for, a number alone
        is that of a choice, and only in a list may it be a choice by its words, too."""
        found: set[int] = set()
        for at in range(len(said)):
            rest = said[at:]
            if not self._listed or in_list or any(map(str.isalpha, "".join(rest))):
                found |= self._by_words.get(tuple(rest), set())
            if self._listed and NUMBER.fullmatch(rest[0]) and (not rest[1:] or rest[1:] == self._named(int(rest[0]))):
                found.add(int(rest[0]))
            if not FILLERS.fullmatch(rest[0]):
                break
        return found

    def _named(self, number: int) -> list[str] | None:
        """The words of a choice that can stand behind its number; None if they are numbers themselves."""
        entry = self._entries[number] if 0 <= number < len(self._entries) else []
        return entry if any(map(str.isalpha, "".join(entry))) else None
