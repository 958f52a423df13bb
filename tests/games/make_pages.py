"""Writes protocol/games/*.md, a page for each game's bot writers: ``python
tests/games/make_pages.py [--write]``.

The tables come from the game's RULES.md and, of cards, from tests/games/<game>/cards.py
if there is one, the examples from the matches of tests/playthroughs, all else from
tests/games/<game>/page.md: what the game is about, a decision that is explained, and
for each kind which parts of the view its example shows and what an entry of ``legal``
means. Without ``--write`` it only says which pages differ.
"""

import json
import re
import runpy
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from khiva_arena.games import registry, schema
from khiva_arena.games.base import Game

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "protocol" / "games"
PLAYTHROUGHS = runpy.run_path(str(ROOT / "tests" / "playthroughs" / "make.py"))
ENTRIES = 8
"""As many entries of a legal list are shown."""


def page(game: Game) -> str:
    """The text of one page."""
    name = game.name
    rules = (ROOT / "khiva_arena" / "games" / name / "RULES.md").read_text("utf-8")
    decisions, events = _examples(game)
    about, lists, words = told(game)
    if set(words) != set(decisions):
        raise LookupError(
            f"{name}: the lines under Kinds in its page.md are not for {', '.join(decisions)}"
        )
    seats = f"{game.seats[0]} to {game.seats[-1]} seats"
    first = next(iter(decisions.values()))
    parts = [
        f"# {game.title}: what a bot is asked and told",
        f'This is the game `"{name}"` of the [wire protocol](../SPEC.md), {seats}, rules '
        f"version {game.rules_version}. "
        f"[RULES.md](../../khiva_arena/games/{name}/RULES.md) has its rules, ruling by "
        "ruling, and its variants; the tables here "
        f"are taken from there. JSON Schemas: [view](../schema/{name}/view.json), "
        f"[decision](../schema/{name}/decision.json), "
        f"[event](../schema/{name}/event.json). Whole deals from a secret: "
        f"[vectors](../vectors/deals/{name}.json). "
        f"A whole match as frames: [vectors](../vectors/matches/{name}.json). "
        "The examples are from real matches between players who choose at random. Made by "
        "tests/games/make_pages.py.",
        marks(name, rules),
        about,
        "## Pieces\n\n" + section(rules, "Pieces"),
        *cards(name),
        "## The view\n\n" + section(rules, "The view"),
        "## Lists, numbers and rules\n\n" + small_print(game, lists),
        f"The first view of a match at {first[1]['seats']} seats:",
        _block(first[1]),
        "## Decisions\n\n" + section(rules, "Decisions"),
        *(_decision(kind, words, *example) for kind, example in decisions.items()),
        "## Events\n\n" + section(rules, "Events"),
        "This is one event of each type, with its meaning:",
        "```json\n"
        + "\n".join(json.dumps(data, ensure_ascii=False) for data, _ in events.values())
        + "\n```",
        "| type | in words |\n|---|---|\n"
        + "\n".join(f"| `{kind}` | {words} |" for kind, (_, words) in events.items()),
    ]
    return "\n\n".join(parts) + "\n"


def cards(name: str) -> list[str]:
    """The tables of a game's cards that its ``cards.py`` makes from the engine's own
    tables, if it has one.
    """
    path = ROOT / "tests" / "games" / name / "cards.py"
    return [runpy.run_path(str(path))["text"]()] if path.is_file() else []


Words = dict[str, tuple[list[str], str]]
"""By kind of decision: keys of the view, and what an entry of ``legal`` means."""


def told(game: Game) -> tuple[str, str, Words]:
    """What is said by hand: of the game; behind the heading "Lists" a table; behind
    "Kinds" a line for each kind.
    """
    path = ROOT / "tests" / "games" / game.name / "page.md"
    if not path.is_file():
        raise LookupError(
            f"{path} is missing: the game in short, a decision that is explained, and a "
            "line for each kind"
        )
    about, _, kinds = path.read_text("utf-8").partition("\n## Kinds\n")
    about, _, lists = about.partition("\n## Lists\n")
    lines = re.findall(r"^- `(\w+)` \(([\w ]*)\): (.+)$", kinds, re.MULTILINE)
    return (
        about.strip("\n"),
        lists.strip("\n"),
        {kind: (keys.split(), words) for kind, keys, words in lines},
    )


def small_print(game: Game, lists: str) -> str:
    """What holds for all values of a game: where its rules are, which integers may be
    negative, the order of each list.
    """
    rules = f"../../khiva_arena/games/{game.name}/RULES.md#open-points-the-rules-map"
    signed = negative(game)
    numbers = (
        f"Integers are 0 or more, but {signed} may be negative."
        if signed
        else "No integer is ever negative."
    )
    return (
        "`rules` come in `hello`, once, and no view repeats them. They are the [rules "
        f"map]({rules}) of the match; a bot has to "
        f"read it if it is to play variants. {later_rules(game)}{numbers} The order of "
        f"each list of the view:\n\n{lists}\n\n"
        "The order of `legal` is in the table of decisions; the keys of a map have none."
    )


def later_rules(game: Game) -> str:
    """The rules that a map leaves out where they have their default, and what that is,
    in a sentence; "" if there are none.
    """
    default = game.rules({})
    later = {key: value for key, value in game.every_rule(default).items() if key not in default}
    words = ", ".join(f"`{key}` (`{value}`)" for key, value in later.items())
    return f"These are in it only if they do not have their default: {words}. " if later else ""


def negative(game: Game) -> str:
    """The integers that the schemas allow to be negative, as words."""
    made = schema.of_game(game)
    view = [f"`{path}`" for path in dict.fromkeys(_signed(made["view"], made["view"]["$defs"]))]
    events = [
        f"`{path}`"
        for kind, part in made["event"]["$defs"].items()
        for path in dict.fromkeys(_signed(part, {}, kind))
    ]
    rooms = [
        f"{', '.join(paths)} of the {room}"
        for room, paths in (("view", view), ("events", events))
        if paths
    ]
    return " and ".join(rooms)


def _signed(part: dict[str, Any], defs: dict[str, Any], path: str = "") -> Iterator[str]:
    """Paths to integers of a schema that need not be 0 or more."""
    part = defs.get(part.get("$ref", "").rpartition("/")[2], part)
    if (part.get("type") == "integer" and part.get("minimum", -1) < 0) or any(
        type(value) is int and value < 0 for value in part.get("enum", ())
    ):
        yield path
    items = part.get("items")
    for inner in (
        *part.get("anyOf", ()),
        *part.get("prefixItems", ()),
        *([items] if isinstance(items, dict) else ()),
    ):
        yield from _signed(inner, defs, path)
    for key, inner in part.get("properties", {}).items():
        yield from _signed(inner, defs, f"{path}.{key}" if path else key)


def marks(name: str, rules: str) -> str:
    """Where the letters and numbers of the tables are explained."""
    sources = ", ".join(re.findall(r"\*\*([A-Z])\*\*", rules.partition("\n## ")[0]))
    (ruling,) = set(re.findall(r"^\| ([A-Z])1 \|", section(rules, "Rulings"), re.MULTILINE))
    last = re.findall(r"^\| O(\d+) \|", section(rules, "Open points: the rules map"), re.MULTILINE)[
        -1
    ]
    path = f"../../khiva_arena/games/{name}/RULES.md"
    return (
        f"[The head of RULES.md]({path}) explains {sources} in columns named source. {ruling}1, "
        f"{ruling}2, ... are its [rulings]({path}#rulings). O1 to O{last} are its [open "
        f"points]({path}#open-points-the-rules-map), keys of the rules map."
    )


def section(rules: str, title: str) -> str:
    """The text under a heading of a RULES.md."""
    return rules.split(f"\n## {title}\n", 1)[1].split("\n## ", 1)[0].strip("\n")


Example = tuple[str, dict[str, Any], list[Any], list[Any]]
"""Where it is from, view, events since the seat's last decision, legal."""


def _examples(game: Game) -> tuple[dict[str, Example], dict[str, tuple[Any, str]]]:
    """The first request of each kind and the first event of each type, told in words,
    too, in the order of the shapes.
    """
    requests: dict[str, Example] = {}
    heard_of: dict[str, tuple[Any, str]] = {}
    for match in PLAYTHROUGHS["MATCHES"].get(game.name, ()):
        where = f"{match.seats} seats" + "".join(
            f", {key} {json.dumps(value)}" for key, value in match.rules.items()
        )
        heard: list[list[Any]] = [[] for _ in range(match.seats)]
        for events, state, _ in PLAYTHROUGHS["steps"](game.name, match):
            for event in events:
                if event.data["type"] not in heard_of:
                    heard_of[event.data["type"]] = (
                        event.data,
                        game.narrate(event, [f"seat {n}" for n in range(match.seats)]),
                    )
                for seat in range(match.seats) if event.to is None else event.to:
                    heard[seat].append(event.data)
            for seat, decision in state.pending().items():
                if decision.kind not in requests:
                    requests[decision.kind] = (
                        where,
                        state.view(seat),
                        heard[seat][:],
                        list(decision.legal),
                    )
                heard[seat].clear()
    shapes = schema.shapes_of(game)
    types = [shape.__annotations__["type"].__args__[0] for shape in shapes.events]
    lacking = [kind for kind in shapes.decisions if kind not in requests] + [
        kind for kind in types if kind not in heard_of
    ]
    if lacking:
        raise LookupError(
            f"{game.name}: no playthrough has {', '.join(lacking)}; add one to "
            "tests/playthroughs/make.py"
        )
    return {kind: requests[kind] for kind in shapes.decisions}, {
        kind: heard_of[kind] for kind in types
    }


def _decision(
    kind: str, words: Words, where: str, view: dict[str, Any], events: list[Any], legal: list[Any]
) -> str:
    keys, said = words[kind]
    part = {
        key: view[key] for key in ("seat", *keys, "ask") if key in keys or view[key] is not None
    }
    shown = {"kind": kind, "view": part, "events": events, "legal": legal[:ENTRIES]}
    more = f"; the first {ENTRIES} of {len(legal)} choices" if len(legal) > ENTRIES else ""
    return (
        f"### `{kind}`\nAt {where}, most of the view left out{more}.\n\n{_block(shown)}\n\n{said}"
    )


def _block(value: dict[str, Any]) -> str:
    return "```json\n{\n" + ",\n".join(_rows(value)) + "\n}\n```"


def _rows(value: dict[str, Any]) -> Iterator[str]:
    """One key a line; the items of an array of maps, too."""
    for key, item in value.items():
        if isinstance(item, list) and item and all(isinstance(part, dict) for part in item):
            yield (
                f'  "{key}": [\n'
                + ",\n".join("    " + json.dumps(part, ensure_ascii=False) for part in item)
                + "\n  ]"
            )
        else:
            yield f'  "{key}": {json.dumps(item, ensure_ascii=False)}'


def pages() -> dict[Path, str]:
    """Every page that there should be, with its text."""
    return {FOLDER / f"{game.name}.md": page(game) for game in registry.GAMES.values()}


def main() -> int:
    try:
        made = pages()
    except LookupError as error:
        print(error, file=sys.stderr)
        return 1
    stale = {
        path: text
        for path, text in made.items()
        if not path.is_file() or path.read_text("utf-8") != text
    }
    write = "--write" in sys.argv[1:]
    for path, text in stale.items():
        if write:
            path.write_text(text, "utf-8")
        print(f"{'wrote' if write else 'differs:'} {path.relative_to(ROOT)}")
    return 1 if stale and not write else 0


if __name__ == "__main__":
    sys.exit(main())
