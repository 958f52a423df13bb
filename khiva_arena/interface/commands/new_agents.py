"""``AGENTS.md`` of a new folder: what a coding agent needs to write a bot for one game
in one language, in 1,200 words at most.

The texts lie in ``agents/``. Figures come from ``common/strength.py``, the decision
from the page of the game in the protocol.
"""

import json
import re
import runpy
import shlex
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

from khiva_arena.common import shipped, strength
from khiva_arena.common.exit_codes import short_codes
from khiva_arena.common.manual import where
from khiva_arena.common.shipped import Language
from khiva_arena.common.strength import BotRung
from khiva_arena.games.base import Decision, Game, State
from khiva_arena.games.registry import GAMES, NAMES
from khiva_arena.rng import Stream

FILE = "AGENTS.md"
DECISIONS = {"khiva": "play_pass", "emira": "bid", "silk_road": "move"}
"""The kind of decision that is shown."""
START = "random"
OLD = "OLD"
"""The folder with the version before a change."""
_LESS = "most of the view left out"
SHOWN = 8
"""The entries of a list of choices that are shown."""
CODES = {f"CODES {command}": short_codes(command) for command in ("match", "compare")}
"""The exit codes of commands that have some of their own, by the mark for them."""


class BestStart(NamedTuple):
    """The strongest bot in a language from which a new bot can begin.

    words: of ``new``, as they are typed.
    start: the name of the shipped bot that the new one is made from.
    rung: the bot on the ladder that is about as strong.
    """

    words: str
    start: str
    rung: BotRung

    def how_strong(self, game: str, with_elo: bool = True) -> str:
        """Return its strength in words."""
        return how_strong(game, self.rung.name, with_elo)


def strongest(kit: Language, game: str, as_module: bool = False) -> BestStart | None:
    """Return the strongest start in a language for a game, None if there is no better
    one than random choices. That with ``--search`` comes before stronger bots: it is
    made to be changed.
    """
    flag = " --module" * as_module
    if kit.search_tools(as_module) and game == NAMES[0]:
        return BestStart(
            f"{kit.name} my-bot --search{flag}", shipped.SEARCH, _rungs(game, shipped.SEARCH)[0][1]
        )
    able = [
        (rung.elo, name, rung)
        for name, rung in _shipped_rungs(kit, game).items()
        if rung.name != START and rung.elo is not None
    ]
    if not able:
        return None
    _, name, rung = max(able, key=lambda one: one[0])
    return BestStart(f"{shipped.WORD}{kit.name}/{name} my-bot{flag}", name, rung)


def how_strong(game: str, name: str, with_elo: bool = True) -> str:
    """Return the strength of a rung in words. ``with_elo``: with its Elo at the numbers
    of seats that are shown.
    """
    found = [
        f"{one.in_words} at {seats}"
        for seats, one in _rungs(game, name)
        if with_elo and one.elo is not None
    ]
    same = f"about as strong as {name}"
    return (
        f"{same} (Elo over greedy: {', '.join(found)} seats)"
        if found and name != strength.ANCHOR
        else same
    )


def _rungs(game: str, name: str) -> list[tuple[int, BotRung]]:
    """Return a rung at the numbers of seats that are shown."""
    by_seats = strength.ladders().get(game, {})
    return [
        (seats, rung)
        for seats in strength.TABLED
        if seats in by_seats and (rung := by_seats[seats].rung(name))
    ]


def _shipped_rungs(kit: Language, game: str) -> dict[str, BotRung]:
    """Return the rungs of the shipped bots of a language by their names. A bot is as
    strong in each language.
    """
    by_seats = strength.ladders().get(game, {})
    first = next((by_seats[seats] for seats in strength.TABLED if seats in by_seats), None)
    names = [
        word.partition("/")[2]
        for word in shipped.bots()
        if word.startswith(f"{shipped.WORD}{kit.name}/")
    ]
    of = {rung.bot.partition("/")[2]: rung for rung in first.rungs} if first else {}
    return {name: of[name] for name in names if name in of}


def start_line(
    kit: Language, game: str, start: str, as_module: bool = False, *, with_elo: bool = True
) -> str:
    """Return a sentence on the strongest start.

    start: the name of the shipped bot that the new one is made from
    with_elo: whether it gives Elo, which a page with the ladder does not need
    """
    title, best, own = (
        GAMES[game].title,
        strongest(kit, game, as_module),
        _shipped_rungs(kit, game).get(start),
    )
    if best is None:
        other = next(
            (found for one in shipped.languages().values() if (found := strongest(one, game))), None
        )
        if other is None:
            return f"No bot that comes with the arena is a better start for {title}."
        strong = other.how_strong(game, with_elo)
        return (
            f"The strongest start for {title} is in another language: khiva-arena new "
            f"{other.words}, {strong}."
        )
    if own and own.elo is not None and best.rung.elo is not None and own.elo >= best.rung.elo:
        return f"This start for {title} is {how_strong(game, own.name, with_elo)}."
    return (
        f"The strongest start for {title} in {kit.title}: khiva-arena new {best.words}, "
        f"{best.how_strong(game, with_elo)}."
    )


def bot_page(
    name: str, word: str, kit: Language, game: str, start: str, as_module: bool = False
) -> str:
    """Return AGENTS.md of a bot.

    word: its folder as it is typed
    start: the name of the shipped bot that it is made from
    """
    others, best = opponents(game), strongest(kit, game, as_module)
    marks = {
        "NAME": name,
        "TITLE": GAMES[game].title,
        "LANGUAGE": kit.title,
        "MAIN": kit.main,
        "START": start_line(kit, game, start, as_module, with_elo=False),
        "FACTS": facts(game),
        "NEW": (
            "khiva-arena new "
            f"{best.words.replace(' my-bot', ' other') if best else f'{kit.name} other'}"
        ),
        "WORD": word,
        "OLD": OLD if word != "." else f"../{OLD}",  # a copy of a folder cannot lie in it
        "STRONGER": shipped.searcher(game) or others.bot,
        "OTHERS": others.words,
        "SEATS": str(GAMES[game].seats[0]),
        "GAMEFLAG": others.flag,
        "LINK": page_in_brief(game),
    } | {f"SECONDS {key}": f"{value:g} s" for key, value in strength.seconds().items()}
    return filled(_text("bot.md"), marks | CODES)


def facts(game: str) -> str:
    """Return the facts of a game that ``AGENTS.md`` and its page in brief share."""
    marks = {
        "GAME": _text(f"{game}.md").rstrip("\n"),
        "DECISION": decision_of(game),
        "LADDER": strength.ladder_table(game),
        "TWICE": strength.twice_line(game),
        "VAIN": "\n".join(f"- {line}" for line in strength.in_vain(game))
        or "Nobody has written down a trial that failed.",
    }
    return filled(_text("facts.md"), marks).rstrip("\n")


def page_in_brief(game: str) -> str:
    """Return where a user reads the page that tells a game in brief."""
    return {"khiva": where("khiva"), "emira": where("emira"), "silk_road": where("silk-road")}[game]


class Opponents(NamedTuple):
    """The greedy bots against which a new bot plays its first match.

    bot: as ``--bot`` takes it.
    words: that seat it at all other seats of the smallest table.
    flag: that names the game, "" for the default.
    """

    bot: str
    words: str
    flag: str


def opponents(game: str) -> Opponents:
    """Return the greedy bots of a game: in Python, which needs no tools."""
    bot = next(
        word
        for name in (f"greedy_{game}", "greedy")
        if (word := f"{shipped.WORD}python/{name}") in shipped.bots()
    )
    words = f" --bot {bot}" * (GAMES[game].seats[0] - 1)
    return Opponents(bot, words, f" --game {game}" * (game != NAMES[0]))


def filled(text: str, marks: Mapping[str, str]) -> str:
    """Return a text with its marks, as @NAME@, replaced, all at once: a value may look
    like a mark.
    """
    return re.sub(r"@([A-Z]+(?: [a-z]+)?)@", lambda found: marks[found[1]], text)


def _text(name: str) -> str:
    return (files("khiva_arena.interface.commands") / "agents" / name).read_text(encoding="utf-8")


def decision_of(game: str) -> str:
    """Return the example of a decision that the page of the game in the protocol has,
    with its explanation.
    """
    page = (shipped.folder("protocol") / "games" / f"{game}.md").read_text(encoding="utf-8")
    body = page.split(f"\n### `{DECISIONS[game]}`\n", 1)[1]
    example = (
        re.split(r"\n##+ ", body, maxsplit=1)[0]
        .strip("\n")
        .replace(_LESS, f"the events and {_LESS}", 1)
    )
    example = re.sub(r'  "events": \[\n.*?\n  \],\n', "", example, count=1, flags=re.DOTALL)
    return re.sub(r"(?<=[\]\d]), (?=[\[\d-])", ",", example)  # lists are read as one


# --- a game of one's own ---


def own_game_page(source: Path) -> str:
    """Return AGENTS.md of a new game. ``source``: its game.py, which comes with the
    arena and is run here.
    """
    game: Game = runpy.run_path(str(source))["GAME"]
    seats = min(game.seats)
    rules = game.rules({})
    state, events = game.new(seats, rules, bytes(32))
    first = _request(state, [event.data for event in events if event.to is None])
    kinds, asked = _random_match(state)
    marks = {
        "TITLE": game.title,
        "NAME": game.name,
        "SEATED": f"{game.seats[0]} to {game.seats[-1]}",
        "VERSION": game.rules_version,
        "RULES": ", ".join(f"`{key} = {json.dumps(value)}`" for key, value in rules.items())
        or "none",
        "LEAST": str(seats),
        "ASKED": str(asked),
        "SCORING": (
            f"The points at its end were {', '.join(map(str, state.scores))}; more points are "
            "better."
        ),
        "KINDS": "\n".join(
            f"- `{kind}`: for example `{json.dumps(entry)}`" for kind, entry in kinds.items()
        ),
        "DECISION": f"```json\n{first}\n```",
        "LINK": where("add-a-game"),
    }
    return filled(_text("own_game.md"), marks | CODES)


def _request(state: State, events: Sequence[Mapping[str, Any]]) -> str:
    """Return the first request of a match as JSON."""
    seat, decision = next(iter(state.pending().items()))
    values = {
        "kind": decision.kind,
        "view": state.view(seat),
        "events": events,
        "legal": decision.legal[:SHOWN],
    }
    rows = [f'  "{key}": {json.dumps(value)}' for key, value in values.items()]
    return "{\n" + ",\n".join(rows) + "\n}"


def _random_match(state: State) -> tuple[dict[str, list[Any]], int]:
    """Play random choices to the end. Return an entry of each kind of decision, and the
    number of questions.
    """
    chance, kinds, asked = Stream(bytes(32), FILE), dict[str, list[Any]](), 0
    while pending := state.pending():
        asked += len(pending)
        choices = {seat: _noted(decision, kinds, chance) for seat, decision in pending.items()}
        state.apply(choices)
    return kinds, asked


def _noted(decision: Decision, kinds: dict[str, list[Any]], chance: Stream) -> int:
    """Return a random choice, and note the kind of a decision."""
    choice = chance.below(len(decision.legal))
    kinds.setdefault(decision.kind, decision.legal[choice])
    return choice


def typed(folder: Path) -> str:
    """Return the name of a folder as it is typed beside it."""
    return shlex.quote(f"./{folder.name}" if folder.name.startswith("-") else folder.name)
