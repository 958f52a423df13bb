"""How each command's ``-h`` is laid out: which options stand together, and in which order."""

import click

from khiva_arena.cli.examples import write_examples
from khiva_arena.settings.table import TABLE

_SETTINGS = "(settings)"
_PAGE, _TABLE = "The page", "The table"
_MOVED = {"--out": _PAGE, "--events": _TABLE}
"""Options that mean something else beside others: where a page goes, which events a table is of."""
_LAYOUT = {
    "Bots": (_SETTINGS, "--seat", "--shipped"),
    "What is played": ("--from", "--until", _SETTINGS, "--quick", "--sample"),
    "The test": ("--elo0", "--elo1", "--alpha", "--beta", "--normalized"),
    "Time and faults": (_SETTINGS, "--wait"),
    "Isolation": (_SETTINGS,),
    "The run": (_SETTINGS, "--budget", "--web", "--commit", "--public", "--any-engine", "--new-event", "--yes"),
    "Many machines": ("--plan", "--from-plan", "--shard", "--event"),
    _TABLE: ("--only", "--exclude", "--contrast", "--anchor", "--section", "--effects", "--wide", "--error", "--gap", "--power"),
    _PAGE: ("--title", "--replays", "--matches", "--names", "--for-authors"),
    "The bytes": ("--hex", "--to-bot", "--to-arbiter"),
    "Remote bots": (_SETTINGS, "--token", "--ca", "--tls", "--keep", "--at-most", "--copy"),
    "A cluster": (_SETTINGS,),
    "Your seat": ("--hints", "--terminal", "--port", "--open"),
    "Output": ("--trace", "--notes", "--capture", "--json", "--version", "--help"),
}
"""By heading: the options that are not settings, and the place of the settings' options among them."""


def _with_settings(heading: str, names: tuple[str, ...]) -> tuple[str, ...]:
    settings = [row.option for row in TABLE if row.heading == heading]
    return tuple(one for name in names for one in (settings if name == _SETTINGS else [name]))


GROUPS = {heading: _with_settings(heading, names) for heading, names in _LAYOUT.items()}
"""Every option of every command by its long name, under its heading, in the order in which they are shown."""
OTHERS = "Options"
FEW = 7
"""Up to so many options need no headings."""


class Verb(click.Command):
    """A command whose options stand in groups, with examples behind them."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        rows = {}
        for param in self.get_params(ctx):
            if isinstance(param, click.Option) and (row := param.get_help_record(ctx)):
                rows[long_name(param)] = row
        for heading, names in laid_out(list(rows)).items():
            with formatter.section(heading):
                formatter.write_dl([rows[name] for name in names])

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        write_examples(self.name or "", formatter)
        super().format_epilog(ctx, formatter)


def long_name(option: click.Option) -> str:
    """``--jobs`` of ``-j``, ``--jobs``."""
    return max(option.opts, key=len)


def laid_out(names: list[str]) -> dict[str, list[str]]:
    """The options of a command under their headings; those that no group has stand last, under OTHERS."""
    if len(names) <= FEW:
        return {OTHERS: names}
    headings = {heading: [name for name in members if name in names] for heading, members in GROUPS.items()}
    known = [name for members in headings.values() for name in members]
    for moved, there in _MOVED.items():
        if headings[there] and moved in names:
            headings = {heading: [name for name in members if name != moved] for heading, members in headings.items()}
            headings[there].insert(0, moved)
    headings[OTHERS] = [name for name in names if name not in known]
    return {heading: members for heading, members in headings.items() if members}
