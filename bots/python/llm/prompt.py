"""What a model is told: once what the game is, and for each decision what the seat sees and may do."""

import importlib.util
import json
import os
import re

LEFT_OUT = ("The deal", "Sanity numbers")
"""Sections of a rules page that say nothing to a player."""
MOST_EVENTS = 20_000
"""Characters; what came before is told by the view."""
FORM = '{"choice": n}'
TASK = f"""You play one seat of the game GAME, and you play to win.
Each message shows the view (all that your seat knows, as JSON), the events since you were last asked, and the legal choices, \
each with its number. Answer with one JSON object and nothing else: {FORM}, n being the number of your choice.
Seats, players and choices are counted from 0."""


def system(match: dict) -> str:
    """The system text: equal in all matches of an event, so that an API can keep what it has read of it."""
    game = str(match["game"])
    parts = [TASK.replace("GAME", game), f"The rules map of this match: {_compact(match['rules'])}"]
    parts.append(rules_page(game) or "There is no page of rules: go by the view and the choices.")
    return "\n\n".join(parts)


def rules_page(game: str) -> str:
    """The page of the rules: GAME.md beside this file if there is one, else that of the arena that runs the bot; or ""."""
    if not re.fullmatch("[a-z0-9_]+", game):
        return ""
    arena = importlib.util.find_spec("khiva_arena")  # which does not load it
    homes = list(arena.submodule_search_locations or ()) if arena else []
    own = os.path.join(os.path.dirname(os.path.abspath(__file__)), f"{game}.md")
    for path in (own, *(os.path.join(home, "games", game, "RULES.md") for home in homes)):
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


def question(decide: dict, match: dict) -> str:
    """The text of one decision."""
    events = "\n".join(_compact(event) for event in decide["events"])
    if len(events) > MOST_EVENTS:
        events = "(earlier ones left out)\n" + events[-MOST_EVENTS:].partition("\n")[2]
    choices = "\n".join(f"{number}: {_compact(entry)}" for number, entry in enumerate(decide["legal"]))
    return (
        f"You are seat {match['seat']} of {match['seats']}.\nView: {_compact(decide['view'])}\nEvents:\n{events or '(none)'}\n"
        f"Decision: {decide['kind']}\nChoices:\n{choices}\n"
        f"Answer with {FORM}, n from 0 to {len(decide['legal']) - 1}."
    )


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
