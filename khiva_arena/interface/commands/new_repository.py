"""The work of ``khiva-arena new repository``: a new bot as the content of a git
repository, with its test and CI for two forges.

``test.sh`` is the whole test. A user runs the same lines as the forges, which only
install the arena and call it.
"""

import shlex
from importlib.resources import files
from pathlib import Path

import click

from khiva_arena import __version__
from khiva_arena.common import shipped
from khiva_arena.common.manual import where
from khiva_arena.common.shipped import Language
from khiva_arena.common.text import harmless
from khiva_arena.common.version import is_released
from khiva_arena.entrants import bots as bot_files
from khiva_arena.errors import ConfigError
from khiva_arena.games.registry import GAMES
from khiva_arena.interface.commands import new_agents
from khiva_arena.interface.commands.json_shapes import VERSION, NewOutput, printed
from khiva_arena.interface.commands.new import NewWish, game_of
from khiva_arena.interface.commands.new_folder import fill, lacks_of, make_folder, template_for

TEST = "test.sh"
FILES = {
    TEST: "try.sh",
    ".gitignore": "gitignore",
    ".gitlab-ci.yml": "gitlab-ci.yml",
    ".github/workflows/bot.yml": "workflow.yml",
}
"""The files beside those of the bot, and their templates. The package has no file that
is named like a test.
"""
TOOLS = "@TOOLS@"


def new_repository(folder: Path | None, wish: NewWish, as_json: bool) -> None:
    """Make the folder, and print what it holds and what to type next. Raises
    ConfigError.
    """
    if folder is None:
        raise ConfigError("name a folder for the new repository: khiva-arena new repository my-bot")
    kit, start, searches = template_for(wish.of_bot or "python", wish.as_module, wish.searches)
    game = game_of(wish, bot_files.load(f"{shipped.WORD}{kit.name}/{start}").games)
    marks = {
        "@GAME@": game,
        "@SEATS@": str(GAMES[game].seats[0]),
        "@PACKAGE@": f"khiva-arena{'[modules]' * wish.as_module}=={__version__}",
        TOOLS: " ".join(_packages(kit, wish, searches)),
    }

    def fill_all(draft: Path, name: str) -> None:
        fill(kit, draft, name, start, wish.as_module, wish.game)
        for path, source in FILES.items():
            (draft / path).parent.mkdir(parents=True, exist_ok=True)
            (draft / path).write_text(_filled(source, marks), encoding="utf-8")
        agents = new_agents.bot_page(name, ".", kit, game, start, wish.as_module)
        (draft / new_agents.FILE).write_text(agents, encoding="utf-8")

    names = make_folder(folder, fill_all)
    lacks = lacks_of(kit, wish.as_module, searches)
    if as_json:
        made = NewOutput(
            v=VERSION,
            sentence=_said(folder, kit),
            folder=str(folder),
            language=kit.name,
            game=game,
            files=names,
            lacks=lacks,
            next=_commands(folder),
        )
        click.echo(printed(made))
    else:
        click.echo(new_agents.start_line(kit, game, start, wish.as_module))
        _print(folder, kit, names, lacks)


def _packages(kit: Language, wish: NewWish, searches: bool) -> list[str]:
    """Return the packages that bring the tools of the bot on the machines of the
    forges.
    """
    tools = kit.search_tools(wish.as_module) if searches else (kit.tools(wish.as_module),)
    return list(dict.fromkeys(package for one in tools for package in one.debian))


def _filled(source: str, marks: dict[str, str]) -> str:
    """Return a template with its marks replaced, without the line for tools if the bot
    needs none.
    """
    template = files("khiva_arena.interface.commands") / "repository" / source
    lines = template.read_text(encoding="utf-8").splitlines(keepends=True)
    text = "".join(line for line in lines if marks[TOOLS] or TOOLS not in line)
    for mark, value in marks.items():
        text = text.replace(mark, value)
    return text


def _said(folder: Path, kit: Language) -> str:
    return harmless(f"{folder}: a repository with a new bot in {kit.title}")


def _commands(folder: Path) -> list[str]:
    """Return the lines that begin the repository and run its test."""
    word = shlex.quote(f"./{folder}" if str(folder).startswith("-") else str(folder))
    return [
        harmless(f"cd {word}"),
        'git init -b main && git add . && git commit -m "Begin"',
        f"sh {TEST}",
    ]


def _print(folder: Path, kit: Language, names: list[str], lacks: str) -> None:
    click.echo(harmless(f"{_said(folder, kit)}: {', '.join(names)}"))
    if lacks:
        click.echo(f"This machine lacks the tools of the bot: {lacks}")
    click.echo(harmless(f"Edit {folder / kit.main}, then:"))
    for line in _commands(folder):
        click.echo(f"  {line}")
    click.echo(
        f"Push it to GitHub or GitLab, which run {TEST} after each push: "
        f"{where('improve-a-bot', 'Check a bot in CI')}"
    )
    if not is_released():
        click.echo(
            f"khiva-arena {__version__} is no release, so `pip install` does not find it "
            "there; the page says what to do"
        )
