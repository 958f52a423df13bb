"""What a model is told, by the texts of a prompt file: once what the game is, and for each decision what the seat sees."""

import importlib.util
import json
import os
import re
from string import Template

HERE = os.path.dirname(os.path.abspath(__file__))
LEFT_OUT = ("The deal", "Sanity numbers")
"""Sections of a rules page that say nothing to a player."""
MOST_EVENTS = 20_000
"""Characters; what came before is told by the view."""
PART = re.compile(r"^=== (question|again) ===[ \t]*(?:\n|\Z)", re.MULTILINE)


class Prompt:
    """The texts of a file in the folder prompts. Words such as $view in them stand for what the match says.

    text: the whole file.
    """

    def __init__(self, name: str, usual: str) -> None:
        """Read a prompt by its name. ``usual``: the one that has the parts which it leaves out."""
        self.text = _read(name)
        system, *rest = PART.split(self.text)
        _, *others = PART.split(_read(usual))
        parts = {"system": system, **_pairs(others), **_pairs(rest)}
        self._parts = {part: Template(text.removesuffix("\n")) for part, text in parts.items()}

    def system(self, match: dict) -> str:
        """The system text: equal in all matches of an event, so that an API can keep what it has read of it."""
        game = str(match["game"])
        page = rules_page(game) or "There is no page of rules: go by the view and the decisions."
        return self._parts["system"].safe_substitute(game=game, rules=_compact(match["rules"]), page=page)

    def question(self, decide: dict, match: dict) -> str:
        """The text of one decision."""
        events = "\n".join(_compact(event) for event in decide["events"])
        if len(events) > MOST_EVENTS:
            events = "(earlier ones left out)\n" + events[-MOST_EVENTS:].partition("\n")[2]
        return self._parts["question"].safe_substitute(
            seat=match["seat"],
            seats=match["seats"],
            view=_compact(decide["view"]),
            events=events or "(none)",
            kind=decide["kind"],
            choices="\n".join(f"{number}: {_compact(entry)}" for number, entry in enumerate(decide["legal"])),
            most=len(decide["legal"]) - 1,
        )

    def again(self, problem: str, decide: dict) -> str:
        """What a model is told after an answer that is no choice."""
        most = len(decide["legal"]) - 1
        return self._parts["again"].safe_substitute(problem=problem, kind=decide["kind"], most=most)


def _read(name: str) -> str:
    with open(os.path.join(HERE, "prompts", f"{name}.md"), encoding="utf-8") as file:
        return file.read()


def _pairs(parts: list[str]) -> dict[str, str]:
    return dict(zip(parts[::2], parts[1::2], strict=True))


def rules_page(game: str) -> str:
    """The page of the rules: GAME.md beside this file if there is one, else that of the folder rules or of the arena that runs
    the bot; or ""."""
    if not re.fullmatch("[a-z0-9_]+", game):
        return ""
    arena = importlib.util.find_spec("khiva_arena")  # which does not load it
    homes = list(arena.submodule_search_locations or ()) if arena else []
    own = os.path.join(HERE, f"{game}.md")
    pages = (os.path.join(HERE, "rules", f"{game}.md"), *(os.path.join(home, "games", game, "RULES.md") for home in homes))
    for path in (own, *pages):
        try:
            with open(path, encoding="utf-8") as file:
                return file.read() if path == own else without(file.read(), LEFT_OUT)
        except OSError:
            continue  # a game of somebody's own has no page here
    return ""


def without(page: str, titles: tuple[str, ...]) -> str:
    """A page without the sections of these titles."""
    sections = re.split(r"^(?=## )", page, flags=re.MULTILINE)
    return "".join(section for section in sections if section.partition("\n")[0][3:].strip() not in titles).strip()


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
