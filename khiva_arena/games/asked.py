"""The words of a question to a person: its subject, the effect of each answer, and the
rulings behind it.

A game that words its questions has an ``asking.py`` in its folder, found by its name,
with::

    AIM: Sequence[str]                what the game is about and what gives points,
                                      three sentences
    LEGEND: Sequence[tuple[str, str]] each sign drawn on its table, and the meaning
    def question(kind, view, names) -> PersonsQuestion
                                      the open decision in words
    def answer(kind, entry, view, names) -> str
                                      an entry of ``legal``, with its effect

``names`` are by seat, the asked seat's own is "you". Rulings are those of the game's
RULES.md.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import import_module
from importlib.resources import files
from importlib.util import find_spec
from typing import Any, NamedTuple

from khiva_arena.games.base import Game

YOU = "you"
View = Mapping[str, Any]
Names = Sequence[str]
_BEGINNING = re.compile(r"[0-9]{1,9}\b")
_ROW = re.compile(r"^\| ([A-Z]\d+[a-z]?) \| (.*) \|$", re.MULTILINE)


class PersonsQuestion(NamedTuple):
    """A decision in words.

    title: the question, in a line.
    about: the consequence of an answer, one or two sentences.
    rulings: numbers of RULES.md.
    """

    title: str
    about: str = ""
    rulings: tuple[str, ...] = ()


class Asking(NamedTuple):
    """The functions and texts with which one game words its questions. A game without
    ``asking.py`` uses its ``choice``.
    """

    question: Callable[[str, View, Names], PersonsQuestion]
    answer: Callable[[str, Sequence[Any], View, Names], str]
    legend: Sequence[tuple[str, str]]
    rulings: Mapping[str, str]
    aim: Sequence[str] = ()


@cache
def asking(game: Game) -> Asking:
    """Return the functions and texts with which a game words its questions."""
    name = f"khiva_arena.games.{game.name}.asking"
    if game.outside or find_spec(name) is None:
        return Asking(
            _plain_question,
            lambda kind, entry, view, names: game.choice(kind, list(entry), dict(view)),
            (),
            {},
        )
    module = import_module(name)
    return Asking(module.question, module.answer, module.LEGEND, _rulings(game.name), module.AIM)


def numbers_of(texts: Sequence[str]) -> list[int]:
    """Return the number that a person types for each choice: the one that its words
    begin with, where all begin with different ones and "no" is 0; else 1, 2, 3 and so
    on.
    """
    begun = [
        0 if text.startswith("no ") else int(match[0]) if (match := _BEGINNING.match(text)) else -1
        for text in texts
    ]
    return (
        begun if -1 not in begun and len(set(begun)) == len(begun) else [*range(1, len(texts) + 1)]
    )


def _plain_question(kind: str, view: View, names: Names) -> PersonsQuestion:
    return PersonsQuestion(f"Your turn: {kind.replace('_', ' ')}")


def _rulings(game: str) -> dict[str, str]:
    """Return the rulings of a game's RULES.md by number, then its open points, which
    rulings name, without marks of Markdown.
    """
    text = (files("khiva_arena.games") / game / "RULES.md").read_text("utf-8")
    found: dict[str, str] = {}
    for number, row in _ROW.findall(re.sub(r"`|\*\*|\[([^\]]*)\]\([^)]*\)", r"\1", text)):
        ruling, *more = re.split(r" *\| *", row)
        if number.startswith("O"):
            values, meaning = more
            ruling = f"{ruling}, default first: {values}. {meaning}" if values else meaning
        found[number] = (
            f"{found[number]}; {ruling}" if number in found else ruling.removesuffix(". ")
        )
    return found


def of(name: str, thing: str) -> str:
    """Return a thing with its owner, as "your shop 2" or "shop 2 of naive"."""
    return f"your {thing}" if name == YOU else f"{thing} of {name}"


_IRREGULAR = {"is": "are", "has": "have", "does": "do", "was": "were"}
_VERB = re.compile(r"(^|[.:;,] |\band )(you) (\w+)")
_MORE = re.compile(r"^(you \w+ [^:;,]* and )(leaves|puts|swaps)\b")
"""A second verb of the same person, as in "you look at the top card and puts it back";
any other word may be a bot's name.
"""
_OWN = re.compile(r"\b(?:[Tt]he )?(shop \d|outpost|palace track) of you\b")


def second_person(text: str, names: Names) -> str:
    """Return a line in which one name is "you" with its verbs and things in the second
    person: "You move" and "your shop 2".

    names: of all at the table. If another name has the word "you" in it, nothing is
        changed.
    """
    if list(names).count(YOU) != 1 or any(YOU in name for name in names if name != YOU):
        return text
    text = re.sub(r"\bof you\b", "of yours", _OWN.sub(r"your \1", text))
    text = _VERB.sub(lambda match: f"{match[1]}{match[2]} {_verb(match[3])}", text)
    text = _MORE.sub(lambda match: f"{match[1]}{_verb(match[2])}", text)
    return text[:1].upper() + text[1:] if text.startswith((YOU, "your ")) else text


def _verb(word: str) -> str:
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if word.endswith(("sses", "shes", "ches", "xes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") and word.islower() else word
