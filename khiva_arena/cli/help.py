"""How each command's ``-h`` is laid out: which options stand together, in which order, and an example to type."""

import click

from khiva_arena.competition.settings_table import TABLE

_SETTINGS = "(settings)"
_PAGE = "The page"
_LAYOUT = {
    "Bots": (_SETTINGS, "--seat", "--shipped"),
    "What is played": ("--from", "--until", _SETTINGS, "--quick"),
    "The test": ("--elo0", "--elo1", "--alpha", "--beta", "--normalized"),
    "Time and faults": (_SETTINGS, "--wait"),
    "Isolation": (_SETTINGS,),
    "The run": (_SETTINGS, "--commit", "--public", "--any-engine", "--new-event"),
    "The table": ("--anchor", "--section", "--effects", "--wide", "--error", "--gap", "--power"),
    _PAGE: ("--title", "--replays", "--matches", "--names", "--for-authors"),
    "The bytes": ("--hex", "--to-bot", "--to-arbiter"),
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
EXAMPLES = {
    "": (
        "khiva-arena new python my-bot",
        "khiva-arena match --bot my-bot --bot shipped:python/greedy",
        "khiva-arena run --bot my-bot --shipped --seeds 20 -j 2 --out results/first",
    ),
    "run": (
        "khiva-arena run --bot my-bot --bot shipped:python/greedy --seats 2 --seeds 50 -j 2 --out results/first",
        "khiva-arena run --shipped --game silk_road --seats 4 --rule tied_decline=original_tie --turn 500ms",
        "khiva-arena run competition.toml",
    ),
    "init": ("khiva-arena init competition.toml",),
    "match": (
        "khiva-arena match --bot my-bot --bot shipped:python/greedy --seed demo",
        "khiva-arena match --bot my-bot --bot shipped:python/random --trace --capture raw",
        "khiva-arena match --from results/first 1/0 --notes",
    ),
    "sprt": ("khiva-arena sprt ./my-bot shipped:python/greedy --elo0 0 --elo1 20 -j 2 --out results/test",),
    "watch": ("khiva-arena watch events.jsonl",),
    "standings": ("khiva-arena standings results/first --section crosstable", "khiva-arena standings results/first 1 --json"),
    "report": (
        "khiva-arena report results/first --out first.html",
        "khiva-arena report first.bundle --out first.html --title 'Spring cup'",
    ),
    "plan": ("khiva-arena plan results/first --error 20", "khiva-arena plan results/first --gap 30 --power 0.9"),
    "verify": ("khiva-arena verify results/first", "khiva-arena verify first.bundle"),
    "bundle": ("khiva-arena bundle results/first first.bundle",),
    "export": ("khiva-arena export results/first --format csv --out first.csv",),
    "show": ("khiva-arena show results/first", "khiva-arena show results/first 1/0 --notes"),
    "replay": (
        "khiva-arena replay results/first 1/0 --bot my-bot",
        "khiva-arena replay results/first 1/0 --seat 0 --until 12 --wait --isolation trusted",
    ),
    "decode": ("khiva-arena decode raw/seat-0.to-bot raw/seat-0.from-bot",),
    "new": ("khiva-arena new", "khiva-arena new rust my-bot"),
    "check": ("khiva-arena check my-bot", "khiva-arena check my-bot --game khiva --quick"),
    "games": ("khiva-arena games khiva",),
    "bots": ("khiva-arena bots --game emira",),
    "doctor": ("khiva-arena doctor",),
}
"""By command, "" for none: lines to type."""


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
    """The options of a command under their headings; those that no group has stand last, under OTHERS. Of a command that makes a
    page --out says where that goes, not where the store of a run is."""
    if len(names) <= FEW:
        return {OTHERS: names}
    headings = {heading: [name for name in members if name in names] for heading, members in GROUPS.items()}
    known = [name for members in headings.values() for name in members]
    if headings[_PAGE] and "--out" in names:
        headings = {heading: [name for name in members if name != "--out"] for heading, members in headings.items()}
        headings[_PAGE].insert(0, "--out")
    headings[OTHERS] = [name for name in names if name not in known]
    return {heading: members for heading, members in headings.items() if members}


def write_examples(name: str, formatter: click.HelpFormatter) -> None:
    """A command's examples, unbroken, so that they can be copied."""
    lines = EXAMPLES.get(name, ())
    if lines:
        with formatter.section("Example" if len(lines) == 1 else "Examples"):
            for line in lines:
                formatter.write(f"{'':{formatter.current_indent}}{line}\n")
