"""make schema: the settings and the commands of docs/command-line.md, from their tables
and click's help. A change shows in the diff.
"""

import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import click

sys.path.append(str(Path(__file__).parents[2] / "support"))
from generated_parts import write

from khiva_arena.common import exit_codes
from khiva_arena.common.setting_row import Setting
from khiva_arena.competition.settings.table import TABLE, TEST_TABLE
from khiva_arena.interface.cli.examples import write_examples
from khiva_arena.interface.cli.help import laid_out, long_name, options_of
from khiva_arena.interface.cli.main import cli

PAGE = Path(__file__).parents[3] / "docs" / "command-line.md"
WIDE, WIDTH = 1000, 120
SEPARATE = re.compile(r"(`[^`]*`)")
FLAG = re.compile(r"(?<![\w/=-])(--?[a-zA-Z][\w-]*)")
MARKUP = re.compile(r"([\\*<$]|(?<!\S)[>_]|_(?!\w))")
"""Signs that Markdown would read as more than text."""
WORD = re.compile(r"(?:`[^`]*`|\S)+(?: [-+=>#](?= ))?")
"""A word of a line, with a sign behind it that would make a line something else if it
began there.
"""


class Option(NamedTuple):
    """An option as its help shows it.

    name: its long name.
    flags: all that can be typed, with the placeholder of its value.
    text: its help, with the default.
    """

    name: str
    flags: str
    text: str


def parts() -> dict[str, str]:
    """Return each generated part of the page by the name in its marks."""
    return {
        "exit codes": "\n".join(_exit_codes()),
        "settings": "\n\n".join(_settings()),
        "commands": "\n\n".join(_commands()),
    }


def _exit_codes() -> Iterator[str]:
    """Yield the rows of the table of exit codes."""
    yield "| code | command | meaning | `verdict` of `--json` |"
    yield "|---|---|---|---|"
    for row in exit_codes.TABLE:
        commands = ", ".join(f"`{name}`" for name in row.commands) or "each"
        verdict = f"`{row.verdict}`" if row.verdict else ""
        yield (
            f"| {row.code} | {commands} | {_markdown(exit_codes.full_meaning(row))} | {verdict} |"
        ).replace("|  |", "| |")


def _context(*words: str) -> click.Context:
    """Return the context of a command, as wide as any of its texts."""
    of_all = {**cli.context_settings, "terminal_width": WIDE, "max_content_width": WIDE}
    context = click.Context(cli, info_name="khiva-arena", **of_all)
    for word in words:
        assert isinstance(context.command, click.Group)
        command = context.command.get_command(context, word)
        assert command is not None, word
        context = click.Context(
            command, info_name=word, parent=context, terminal_width=WIDE, max_content_width=WIDE
        )
    return context


def _options(context: click.Context) -> list[Option]:
    """Return the options of a command in the order of its help."""
    found = {}
    for option in options_of(context.command, context):
        if record := option.get_help_record(context):
            found[long_name(option)] = Option(long_name(option), *record)
    return [found[name] for names in laid_out(list(found)).values() for name in names]


@cache
def _texts_of_settings() -> dict[str, Option]:
    """Return the options of settings by their names, as ``run`` and ``sprt`` explain
    them.
    """
    shown = [option for command in ("sprt", "run") for option in _options(_context(command))]
    names = {row.option for row in (*TABLE, *TEST_TABLE)} | {f"--no-{row.name}" for row in TABLE}
    return {option.name: option for option in shown if option.name in names}


def _option_of(row: Setting) -> Option:
    texts = _texts_of_settings()
    return texts.get(row.option) or texts[f"--no-{row.name}"]


def _settings() -> Iterator[str]:
    """Yield the settings by heading, and which other places have them."""
    rows = (*TABLE, *TEST_TABLE)
    for heading in dict.fromkeys(row.heading for row in rows):
        yield f"**{heading}**" + (" (only `sprt`)" if heading == TEST_TABLE[0].heading else "")
        yield "\n".join(
            _item(f"`{row.name}`, `{_option_of(row).flags}`", _option_of(row).text)
            for row in _under(rows, heading)
        )
    yield "**Commands and files that take only some of them**"
    yield "\n".join(
        [
            _named(
                "A `[[stage]]` table of a settings file can set",
                [row.name for row in TABLE if row.of_a_stage],
            ),
            _named("`match` takes", [row.name for row in TABLE if row.of_a_match]),
            _named("A league takes all but", [row.name for row in TABLE if not row.of_a_league]),
            _named(
                "Some values of these settings open more of your machine. A file with them needs "
                "your consent",
                [row.name for row in TABLE if row.opens],
            ),
            _named(
                "In a sandbox no bot may read the files or folders of",
                [row.name for row in TABLE if row.private],
            ),
        ]
    )


def _under(rows: tuple[Setting, ...], heading: str) -> list[Setting]:
    return [row for row in rows if row.heading == heading]


def _named(what: str, names: list[str]) -> str:
    return _wrapped(f"- {what}: {', '.join(f'`{name}`' for name in names)}.")


def _commands() -> Iterator[str]:
    for name in cli.list_commands(_context()):
        yield from _command(name)


def _command(*words: str) -> Iterator[str]:
    """Yield the paragraphs of a command, and of its commands."""
    context = _context(*words)
    command = context.command
    usage = " ".join(command.get_usage(context).removeprefix("Usage:").split())
    yield f"{'#' * min(2 + len(words), 4)} {' '.join(words)}"
    yield f"```\n{usage}\n```"
    yield from _description(command.help or "")
    options = [option for option in _options(context) if option.name != "--help"]
    settings = [option for option in options if option == _texts_of_settings().get(option.name)]
    if others := [option for option in options if option not in settings]:
        yield "\n".join(_item(f"`{option.flags}`", option.text) for option in others)
    if settings:
        names = ", ".join(f"`{option.name}`" for option in settings)
        yield _wrapped(f"[Settings](#settings): {names}.")
    if examples := _examples(" ".join(words)):
        yield f"```\n{examples}\n```"
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            yield from _command(*words, name)


def _description(text: str) -> Iterator[str]:
    """Yield the paragraphs of a help text; those that keep their lines become
    blocks.
    """
    for paragraph in text.partition("\f")[0].strip().split("\n\n"):
        if paragraph.startswith("\b"):
            yield f"```\n{paragraph.removeprefix(chr(8)).strip(chr(10))}\n```"
        else:
            yield _wrapped(_markdown(paragraph))


def _examples(name: str) -> str:
    formatter = click.HelpFormatter(width=WIDE)
    write_examples(name, formatter)
    return "\n".join(
        line.strip() for line in formatter.getvalue().splitlines() if line.startswith(" ")
    )


def _item(flags: str, text: str) -> str:
    return _wrapped(f"- {flags}: {_markdown(text)}")


def _markdown(text: str) -> str:
    """Return a help text with its flags as code, and without characters that Markdown
    would read.
    """
    return "".join(
        piece if piece.startswith("`") else _plain(piece)
        for piece in SEPARATE.split(" ".join(text.split()))
    )


def _plain(text: str) -> str:
    return "".join(
        f"`{piece}`" if FLAG.fullmatch(piece) else MARKUP.sub(r"\\\1", piece)
        for piece in FLAG.split(text)
    )


def _wrapped(text: str) -> str:
    """Return a paragraph or an item in lines that are not too long. Code in it is not
    broken.
    """
    indent = "  " if text.startswith("- ") else ""
    lines = [""]
    for word in WORD.findall(text):
        if lines[-1] and len(lines[-1]) + 1 + len(word) > WIDTH:
            lines.append(f"{indent}{word}")
        else:
            lines[-1] += f" {word}" if lines[-1] else word
    return "\n".join(lines)


if __name__ == "__main__":
    write(PAGE, parts())
