"""The work of ``khiva-arena new``: a new bot from a language's template or a shipped
bot, or a new game.
"""

import shlex
import shutil
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import click

from khiva_arena.arbiter import handed_games
from khiva_arena.common import shipped
from khiva_arena.common.hooks import Hook
from khiva_arena.common.manual import where
from khiva_arena.common.text import harmless
from khiva_arena.display.terminal.tty import list_width
from khiva_arena.entrants import bots as bot_files
from khiva_arena.entrants import module_runner
from khiva_arena.entrants.interpreters import pin_of
from khiva_arena.errors import ConfigError
from khiva_arena.games.registry import GAMES, NAMES, unknown
from khiva_arena.interface.commands import new_agents
from khiva_arena.interface.commands.json_shapes import VERSION, NewLanguage, NewOutput, printed
from khiva_arena.interface.commands.new_folder import fill, lacks_of, make_folder, template_for
from khiva_arena.rating.report.text import listing
from khiva_arena.words import count

GAME, LADDER, GAME_FILE, KIT = "game", "ladder", "game.py", "khiva_kit.py"
GAME_FILES = {name: name for name in (GAME_FILE, "bot/main.py", "bot/bot.toml")} | {
    "test_game.py": "try_game.py"
}
"""The files of a new game, and their sources: the package has no file that is named
like a test.
"""


class Ladders(Protocol):
    """New ladders, by which ``khiva-arena grade`` marks bots."""

    def fill(self, draft: Path, name: str) -> None:
        """Write a whole ladder into an empty folder. ``name``: that the folder will
        have.
        """

    def next_lines(self, folder: str) -> list[str]:
        """Return the lines about a ladder that was made. ``folder``: as it can be
        typed.
        """


LADDERS: Hook[Ladders] = Hook("grading")


class NewWish(NamedTuple):
    """The flags of ``new``.

    as_module: whether the build of the bot makes a WebAssembly module.
    searches: whether the bot searches.
    of_bot: of a repository, the language of its bot, or a shipped bot to copy; None for
        Python.
    game: of AGENTS.md, and of a repository's test; None for the first game that the bot
        plays.
    """

    as_module: bool
    searches: bool
    of_bot: str | None = None
    game: str | None = None


def new(language: str | None, folder: Path | None, wish: NewWish, as_json: bool) -> None:
    """Make the bot or the game, or list the languages."""
    as_module, searches, of_bot, game = wish
    if of_bot:
        raise ConfigError(
            "--language is for a repository: khiva-arena new repository my-bot --language "
            f"{shlex.quote(of_bot)}"
        )
    if game and (language is None or language.casefold() in (GAME, LADDER)):
        raise ConfigError(
            "--game is for a bot or a repository: khiva-arena new python my-bot --game "
            f"{shlex.quote(game)}"
        )
    if language is None:
        _list(as_json, as_module, searches)
        return
    if searches and (language.casefold() in (GAME, LADDER) or shipped.WORD in language):
        names = ", ".join(shipped.all_tools(searches=True))
        raise ConfigError(f"--search is for a language: there are bots that search in {names}")
    if language.casefold() == GAME:
        _new_game(folder, as_json)
        return
    if language.casefold() == LADDER:
        _new_ladder(folder, as_json)
        return
    kit, start, searches = template_for(language, as_module, searches)
    if folder is None:
        words = f"{shlex.quote(language)} my-bot{' --search' * searches}{' --module' * as_module}"
        raise ConfigError(f"name a folder for the new bot: khiva-arena new {words}")
    template = bot_files.load(f"{shipped.WORD}{kit.name}/{start}")
    chosen = game_of(wish, template.games)

    def fill_all(draft: Path, name: str) -> None:
        fill(kit, draft, name, start, as_module, wish.game)
        (draft / new_agents.FILE).write_text(
            new_agents.bot_page(name, new_agents.typed(folder), kit, chosen, start, as_module),
            encoding="utf-8",
        )

    files = make_folder(folder, fill_all)
    lacks = lacks_of(kit, as_module, searches)
    word = shlex.quote(f"./{folder}" if str(folder).startswith("-") else str(folder))
    interpreted = None if as_module else template.interpreted
    only_ticks = bool(lacks and interpreted and not template.build and pin_of(interpreted.word))
    commands = [f"khiva-arena check {word}"]
    if not only_ticks:
        others = new_agents.opponents(chosen)
        commands.append(
            f"khiva-arena match{others.flag} --bot {word}{others.words}{' --notes' * searches}"
        )
    if as_module or only_ticks:
        opponent = "shipped:python/greedy" if pin_of("python") else word
        commands.append(f"khiva-arena match --clock ticks --bot {word} --bot {opponent}")
    said = f"{folder}: a new bot in {kit.title}"
    if as_json:
        made = NewOutput(
            v=VERSION,
            sentence=harmless(said),
            folder=str(folder),
            language=kit.name,
            files=files,
            lacks=lacks,
            next=[harmless(line) for line in commands],
        )
        click.echo(printed(made))
        return
    click.echo(new_agents.start_line(kit, chosen, start, as_module))
    click.echo(harmless(f"{said}: {', '.join(files)}"))
    if only_ticks:
        click.echo(
            f"It plays in ticks here; by the wall clock it needs, on Debian and Ubuntu: {lacks}"
        )
    elif lacks:
        is_known = not lacks.startswith("not known")
        click.echo(
            f"This machine lacks the tools of the bot; on Debian and Ubuntu: {lacks}"
            if is_known
            else f"The tools that the bot needs here are {lacks}"
        )
    click.echo(harmless(f"Edit {folder / kit.main}, then:"))
    by_time, in_ticks = (
        (commands[:-1], commands[-1:]) if as_module or only_ticks else (commands, [])
    )
    for line in by_time:
        click.echo(harmless(f"  {line}"))
    if searches:
        click.echo(f"How it searches, and how strong it is: {where('a-bot-that-searches')}")
    if not as_module and (why := shipped.why_no_ticks(f"{shipped.WORD}{kit.name}/{start}")):
        click.echo(f"It plays by the wall clock only, not in ticks: {why}")
    for line in in_ticks:
        click.echo(harmless(f"  {line}"))
        if not module_runner.library():
            click.echo(module_runner.NEEDS)
        click.echo(f"How to limit thinking by instructions: {where('modules')}")
    brief = new_agents.page_in_brief(chosen)
    click.echo(f"{GAMES[chosen].title} in a thousand words: {brief}")
    click.echo(
        harmless(
            "The same with the commands of an author, for coding agents too: "
            f"{folder / new_agents.FILE}"
        )
    )
    click.echo(f"How to make it better: {where('improve-a-bot')}")


def game_of(wish: NewWish, plays: tuple[str, ...]) -> str:
    """Return the game that a new bot is for. ``plays``: the games that it plays, () for
    all. Raises ConfigError.
    """
    game = wish.game or (plays or NAMES)[0]
    if game not in NAMES:
        raise ConfigError(f"--game: {unknown(game, NAMES)} Name a game that comes with the arena")
    if plays and game not in plays:
        raise ConfigError(f"--game {game}: this bot plays {', '.join(plays)} only")
    return game


def _new_game(folder: Path | None, as_json: bool) -> None:
    if folder is None:
        raise ConfigError("name a folder for the new game: khiva-arena new game my-game")
    names = make_folder(folder, lambda draft, _: _fill_game(draft))
    base = f"./{folder}" if str(folder).startswith("-") else str(folder)
    game, bot = shlex.quote(f"{base}/{GAME_FILE}"), shlex.quote(f"{base}/bot")
    two = f"--bot {bot} --bot shipped:python/random"
    commands = [
        f"khiva-arena check --game {game}",
        f"khiva-arena check {bot} --game {game}",
        f"khiva-arena match --game {game} {two}",
        f"khiva-arena run --game {game} {two} --seats 2 --seeds 50 --out results/my-game",
    ]
    said = f"{folder}: a new game with a test and a bot"
    if as_json:
        made_game = NewOutput(
            v=VERSION,
            sentence=harmless(said),
            folder=str(folder),
            game=GAME_FILE,
            files=names,
            next=[harmless(line) for line in commands],
        )
        click.echo(printed(made_game))
        return
    click.echo(harmless(f"{said}: {', '.join(names)}"))
    click.echo(harmless(f"Edit {folder / GAME_FILE}, then:"))
    for line in commands:
        click.echo(harmless(f"  {line}"))
    contract = Path(str(files("khiva_arena.games"))) / "base.py"
    click.echo(f"How to write a game: {where('add-a-game')}, and {contract}, which is the contract")


def _new_ladder(folder: Path | None, as_json: bool) -> None:
    ladders = LADDERS.get("new ladder")
    if folder is None:
        raise ConfigError("name a folder for the new ladder: khiva-arena new ladder course-1")
    names = make_folder(folder, ladders.fill)
    said = harmless(f"{folder}: a new ladder: {count(len(names), 'file')}")
    lines = [
        harmless(line)
        for line in ladders.next_lines(
            f"./{folder}" if str(folder).startswith("-") else str(folder)
        )
    ]
    if as_json:
        commands = [
            end
            for _, _, end in (line.partition(": ") for line in lines)
            if end.startswith("khiva-arena ")
        ]
        click.echo(
            printed(
                NewOutput(v=VERSION, sentence=said, folder=str(folder), files=names, next=commands)
            )
        )
        return
    for line in (said, *lines):
        click.echo(line)


def _fill_game(draft: Path) -> None:
    folder = handed_games.template()
    for name, source in GAME_FILES.items():
        (draft / name).parent.mkdir(exist_ok=True)
        (draft / name).write_bytes((folder / source).read_bytes())
    shutil.copyfile(shipped.folder("bots") / "python" / "kit" / KIT, draft / "bot" / KIT)
    (draft / new_agents.FILE).write_text(
        new_agents.own_game_page(draft / GAME_FILE), encoding="utf-8"
    )


def _list(as_json: bool, as_module: bool, searches: bool) -> None:
    rows: list[dict[str, Any]] = []
    tools, are_needs = shipped.all_tools(as_module, searches), as_module or searches
    for name, lacks in shipped.all_lacks(tools).items():
        language = shipped.languages()[name]
        needs = (
            {"needs": [*dict.fromkeys(package for one in tools[name] for package in one.debian)]}
            if are_needs
            else {}
        )
        rows.append(
            {
                "language": name,
                "title": language.title,
                "aliases": language.aliases,
                **needs,
                "lacks": lacks,
            }
        )
    if as_json:
        languages = [NewLanguage(**row) for row in rows]
        said = f"bots in {count(len(rows), 'language')} have a kit"
        command = f"khiva-arena new python my-bot{' --search' * searches}{' --module' * as_module}"
        click.echo(
            printed(NewOutput(v=VERSION, sentence=said, languages=languages, next=[command]))
        )
        return
    words = [" ".join(row["needs"]) if are_needs else ", ".join(row["aliases"]) for row in rows]
    table = [
        [row["language"], row["title"], word or "-", row["lacks"] or "-"]
        for row, word in zip(rows, words, strict=True)
    ]
    click.echo(
        "\n".join(
            listing(
                [["language", "title", "needs" if are_needs else "or", "lacks"], *table],
                list_width(),
            )
        )
    )
    if as_module and not module_runner.library():
        click.echo(module_runner.NEEDS)
