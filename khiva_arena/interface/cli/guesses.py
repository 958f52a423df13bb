"""Words that people type first, from other programs or as a guess, and what they mean
here.

The rows of extensions hold words that mean their commands.
"""

from collections.abc import Mapping

import click

from khiva_arena.common import hooks

_TABLE, _SEEDS = "`khiva-arena standings STORE` prints the table of a results folder", "`--seeds N`"
_RUN, _SHOW = (
    (
        "`khiva-arena run --bot A --bot B` plays a tournament, `khiva-arena run cup.toml` that "
        "of a settings file"
    ),
    "`khiva-arena show STORE` lists the matches of a results folder",
)
_BOTS, _CHECK = (
    "`--bot A --bot B` name the bots",
    "`khiva-arena check BOT` tries a bot and names its mistakes",
)
_NEW, _EXPORT = (
    "`khiva-arena new python my-bot` makes a bot",
    "`khiva-arena export STORE --format csv` writes a file of that kind",
)
_TURN, _JOBS = "`--turn 500ms` is the time for a decision", "`--jobs N` plays N matches at a time"
_TRACE, _ALL = "`--trace` prints every message", "`--events-file FILE` writes all that happens"
_VERSION = "`khiva-arena --version` prints the version"

COMMANDS: Mapping[str, str] = {
    "add": _NEW + "; `khiva-arena run --bot NAME` lets it play",
    "build": _CHECK + ", and builds it first; `khiva-arena run` builds bots itself",
    "config": "`khiva-arena init cup.toml` writes a settings file",
    "create": _NEW + "; `khiva-arena init cup.toml` writes a settings file",
    "csv": _EXPORT,
    "elo": _TABLE,
    "game": "`khiva-arena games` lists the games; `khiva-arena match` plays one match",
    "history": _SHOW,
    "html": "`khiva-arena report STORE --out results.html` writes a page",
    "info": _SHOW + "; `khiva-arena doctor` tells about this machine",
    "languages": "`khiva-arena new` lists the languages that have a kit",
    "leaderboard": _TABLE,
    "list": _SHOW + "; `khiva-arena bots` and `khiva-arena games` list what comes with the arena",
    "log": _SHOW + "; `khiva-arena show STORE 1/0` prints a match",
    "ls": _SHOW + "; `khiva-arena bots` and `khiva-arena games` list what comes with the arena",
    "rank": _TABLE,
    "ranking": _TABLE,
    "ratings": _TABLE,
    "resume": "the same command again resumes: type the `khiva-arena run ...` that began it",
    "results": _TABLE + "; " + _SHOW,
    "rules": "`khiva-arena games GAME` lists the rules of a game",
    "simulate": _RUN,
    "start": _RUN + "; `khiva-arena match` plays one match",
    "stats": _TABLE,
    "status": _SHOW + "; `khiva-arena watch FILE` shows a run that goes on",
    "table": _TABLE,
    "test": _CHECK + "; `khiva-arena compare NEW OLD` tells which one is better",
    "tournament": _RUN,
    "update": "`pip install --upgrade khiva-arena`",
    "validate": _CHECK + "; `khiva-arena verify STORE` checks results",
    "view": _SHOW
    + "; `khiva-arena report STORE --out results.html` writes a page that shows every match",
}
"""The command to type, by the word that somebody typed for it."""
OPTIONS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "--agent": (("--bot", _BOTS),),
    "--all": (("--json", "`--help` shows all options"),),
    "--config": (("--shipped", "a settings file is named by itself: `khiva-arena run cup.toml`"),),
    "--csv": (("", _EXPORT),),
    "--debug": (("--trace", _TRACE),),
    "--engine": (("--bot", _BOTS),),
    "--format": (("--section", _EXPORT),),
    "--force": (("--new-event", "`--new-event` begins another event beside the old one"),),
    "--html": (
        ("--report", "`--report FILE` writes a page of results"),
        ("", "`khiva-arena report STORE --out results.html`"),
    ),
    "--log": (("--events-file", _ALL), ("--trace", _TRACE)),
    "--matches": (("--seeds", f"{_SEEDS} is the number of deals"),),
    "--open": (("--out", "`--out FILE` names the page: open that file in your browser"),),
    "--opponent": (("--bot", _BOTS),),
    "--output": (("--out", "`--out` says where it goes"),),
    "--parallel": (("--jobs", _JOBS),),
    "--pgn": (("", "`khiva-arena export STORE --format pgn`"),),
    "--player": (("--bot", _BOTS),),
    "--players": (
        ("--seats", f"`--seats N` sets the number of seats at a table, {_BOTS}"),
        ("--bot", _BOTS),
    ),
    "--random-seed": (("--seed", "`--seed TEXT` determines every deal"),),
    "--repeat": (("--seeds", f"{_SEEDS} is the number of deals"),),
    "--seats": (("--bot", "each --bot takes a seat, so name as many bots as there are seats"),),
    "--seeds": (
        (
            "--seed",
            (
                "one match has one deal, which `--seed TEXT` determines; `khiva-arena run "
                "--seeds N` plays many"
            ),
        ),
    ),
    "--threads": (("--jobs", _JOBS),),
    "--time": (("--turn", f"{_TURN}, `--bank 10s` for a whole match"),),
    "--time-limit": (("--turn", _TURN),),
    "--timeout": (("--turn", _TURN),),
    "--verbose": (("--trace", _TRACE), ("--events-file", _ALL)),
    "--workers": (("--jobs", _JOBS),),
    "-b": (("--bot", _BOTS),),
    "-f": (("--format", "`--format` has no short form"),),
    "-g": (("--game", "`--game` has no short form"),),
    "-n": (
        ("--seeds", f"{_SEEDS} is the number of deals"),
        ("--sample", "`--sample N` is the number of matches"),
    ),
    "-o": (("--out", "`--out` has no short form"),),
    "-q": (("", "`2>/dev/null` at the end of the line hides all that is no result"),),
    "-s": (("--seed", "`--seed TEXT` determines every deal"),),
    "-t": (("--turn", _TURN),),
    "-v": (("--trace", _TRACE), ("--events-file", f"{_ALL}; {_VERSION}"), ("", _VERSION)),
}
"""The options to type, by the typed option, each with the option that a command needs
for it; "" for any command.
"""


def meaning(ctx: click.Context, word: str) -> str:
    """Return what to type for a word that is no command or option in this context, ""
    if no guess is known.
    """
    name = f"{ctx.command_path.partition(' ')[2]} {word}".strip()
    of_rows = [row.guesses[name] for row in hooks.rows() if name in row.guesses]
    own = COMMANDS.get(name, "")
    if word.startswith("-"):
        known = {
            "",
            *(
                one
                for param in ctx.command.get_params(ctx)
                if isinstance(param, click.Option)
                for one in param.opts
            ),
        }
        own = next((text for option, text in OPTIONS.get(word, ()) if option in known), "")
        return (of_rows or [own])[0]
    return "; ".join(filter(None, [own, *of_rows]))
