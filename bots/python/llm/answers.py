"""The meaning of a model's answer: one legal choice, or none. An answer that can mean two is asked again and not guessed."""

import json
import re

MOST_READ = 100_000
"""Characters, counted from the end: that is where an answer stands."""
MOST_LINE = 300
"""Characters of a line or a value that may be an answer; a longer one is prose."""
THOUGHT = re.compile("</?(?:think|thinking|thought|reasoning)>")
KEY = re.compile(r"""["']choice["']\s*:\s*""", re.IGNORECASE)
WHOLE = re.compile(r"\s*[,}]")
"""What stands behind a value that is not cut off."""
MEMBERS = re.compile(r'(?:"(?:[^"\\]|\\.)*+"|[^{}"])*+\}', re.DOTALL)
"""The rest of an object, up to its brace."""
HEADING = re.compile(r"\s*#+\s")
NEGATION = re.compile(r"\b(?:avoid|bad|neither|never|no|nor|not|reject|than|worse|wrong)\b|n['\u2019]t\b", re.IGNORECASE)
"""Words before an object that may turn it into its opposite."""
DOUBT = re.compile(NEGATION.pattern + r"|\b(?:better|or|prefer)\b", re.IGNORECASE)
"""Words behind an object that change it if they stand beside another number."""
CHANGE = re.compile(
    r"\b(?:actually|correction|hmm|instead|mistake|oops|rather|reconsider|scratch|sorry|wait|wrong)\b", re.IGNORECASE
)
"""Words behind an object by which a model may take it back."""
NAMED = re.compile(r"\b(?:answer|choice|choose|move|number|option|pick|play|select|take)(?: is)?\W*(\d{1,9})\b", re.IGNORECASE)
"""A choice by its number in prose."""
BETWEEN = re.compile(r"""[\s\[\](){}"'`*_:=,;!#>\\]+""")
"""What parts words: space, and the signs of JSON and Markdown. A sign that changes a number is none of them."""
NUMBER = re.compile("[0-9]{1,9}|-[1-9][0-9]{0,8}")
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
    found, problem = _by_object(text, meanings) if KEY.search(text) else (_by_line(text, meanings), "")
    if problem:
        return None, problem
    if len(found) != 1:
        return None, "it can mean several choices" if found else "it names no choice"
    (number,) = found
    if not 0 <= number < len(legal):
        return None, f"{str(number)[:MOST_SHOWN]} is not from 0 to {len(legal) - 1}"
    return number, ""


def _by_object(text: str, meanings: "_Meanings") -> tuple[set[int], str]:
    """The choices that the objects of a text and the words around them may mean, or what is wrong with an object."""
    found: set[int] = set()
    around, end = "", 0
    for key in KEY.finditer(text):
        value, said, problem = _value(text, key.end())
        meant = set() if problem else meanings.of_value(value, said)
        if not meant:
            return set(), problem or f"{' '.join(said.split())[:MOST_SHOWN]} is no legal choice"
        between = text[end : key.start()]
        before = between[: between.rfind("{")] if "{" in between else between
        if NEGATION.search(before.rpartition("\n")[2]):
            return set(), "words before its object deny it"
        found |= meant
        around += f"\n{before}\n"
        end = _end_of_object(text, key.end() + len(said))
    behind = text[end:]
    if CHANGE.search(behind):
        return set(), "words behind its object may change it"
    if meanings.listed:
        named = re.compile(r"\b\d{1,9}\b") if DOUBT.search(behind) else NAMED
        found |= {int(number) for number in named.findall(behind) if int(number) < meanings.count}
    for line in (around + behind).splitlines():
        found |= {number for number in meanings.of_line(line) if 0 <= number < meanings.count}
    return found, ""


def _end_of_object(text: str, at: int) -> int:
    """Where an object ends whose value of the choice ends at a place; the end of the text if it is cut off."""
    rest = MEMBERS.match(text, at)
    return rest.end() if rest else text.rfind("}", at) + 1 or len(text)


def _by_line(text: str, meanings: "_Meanings") -> set[int]:
    """The choices that lines may mean, if the last line with words means one: what stands before prose is a heading of it."""
    lines = [line for line in text.splitlines() if words(line)]
    if not lines or HEADING.match(lines[-1]) or lines[-1].rstrip(" *_").endswith(":") or not meanings.of_line(lines[-1]):
        return set()
    return set().union(*map(meanings.of_line, lines))


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
        self.listed, self.count = listed, len(legal)
        self._by_words: dict[tuple[str, ...], set[int]] = {}
        for number, entry in enumerate(self._entries):
            self._by_words.setdefault(tuple(entry), set()).add(number)

    def of_value(self, value: object, said: str) -> set[int]:
        """The choices that the value of an object may mean, legal or not. ``said``: its text."""
        if type(value) is int and self.listed:
            return set() if said == "-0" else {value}
        known = type(value) in (int, str, list) and len(said) <= MOST_LINE
        return self.of_words(words(said), in_list=type(value) is list) if known else set()

    def of_line(self, line: str) -> set[int]:
        """The choices that a line may mean, legal or not."""
        return self.of_words(words(line)) if len(line) <= MOST_LINE else set()

    def of_words(self, said: list[str], in_list: bool = False) -> set[int]:
        """The choices that words may mean, with and without the fillers before them. Where numbers are asked for, a number alone
        is that of a choice, and only in a list may it be a choice by its words, too."""
        found: set[int] = set()
        for at in range(len(said)):
            rest = said[at:]
            if not self.listed or in_list or any(map(str.isalpha, "".join(rest))):
                found |= self._by_words.get(tuple(rest), set())
            if self.listed and NUMBER.fullmatch(rest[0]) and (not rest[1:] or rest[1:] == self._named(int(rest[0]))):
                found.add(int(rest[0]))
            if not FILLERS.fullmatch(rest[0]):
                break
        return found

    def _named(self, number: int) -> list[str] | None:
        """The words of a choice that can stand behind its number; None if they are numbers themselves."""
        entry = self._entries[number] if 0 <= number < len(self._entries) else []
        return entry if any(map(str.isalpha, "".join(entry))) else None
