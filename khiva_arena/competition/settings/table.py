"""Every setting of a competition, a row each, in the order of a settings file; those of
extensions come last.

A row gives a setting its flag, the texts of ``-h`` and TAB, its lines in a new settings
file, and its default. It gives the messages for wrong values, too, whether a stage may
have the setting, and the effect that needs the user's consent. The effect of a setting
on a run is not in this table: a new one is a row here, and a field of ``Settings`` that
some code reads.
"""

import os
from collections.abc import Iterable
from typing import Any

from khiva_arena.common import hooks
from khiva_arena.common.setting_row import Kind, Setting

AUTO = "auto"
TEST_SEEDS = 10_000
"""The most deals of a sequential test, unless it is given another number."""
BOTS, PLAYED, TIME, ISOLATION, RUN = (
    "Bots",
    "What is played",
    "Time and faults",
    "Isolation",
    "The run",
)
TEST = "The test"

# Words are imported only when they are needed, so that -h and TAB are quick.


def _games() -> Iterable[str]:
    from khiva_arena.games.registry import NAMES

    return NAMES


def _shipped_bots() -> Iterable[str]:
    from khiva_arena.common import shipped

    return shipped.bots()


def _formats() -> Iterable[str]:
    from khiva_arena.rating.schedule.formats import FORMATS
    from khiva_arena.rating.schedule.names import ALONE

    return [name for name, form in FORMATS.items() if not form.SEQUENTIAL and name not in ALONE]


def _levels() -> Iterable[str]:
    from khiva_arena.bots.sandbox.level import Level

    return (AUTO, *Level)


def _clocks() -> Iterable[str]:
    from khiva_arena.common.result import Clock

    return tuple(Clock)


def _policies() -> Iterable[str]:
    from khiva_arena.common.result import Policy

    return tuple(Policy)


def _is_of_the_arena(game: object) -> bool:
    """Tell whether a game's code came with the arena, or with OpenSpiel's library,
    which the user has installed.
    """
    from khiva_arena.common.handed import LIBRARY

    return game in tuple(_games()) or (game == LIBRARY and not os.path.lexists(LIBRARY))


def _keeps_promises(level: object) -> bool:
    """Tell whether a level is as good as "auto" on most machines."""
    return level in ("strict", "standard")


TIMES = {"start": "startup_ms", "turn": "turn_ms", "bank": "bank_ms"}
"""The settings that are times, and their names in a definition."""

# fmt: off
TABLE: tuple[Setting, ...] = (
    # Each row: name, kind, default, heading, then the rest.
    Setting("bots", Kind.BOTS, (), BOTS, of_a_league=True, in_a_trial=True, flag="bot",
            of="folders or commands", words=_shipped_bots, common=True, of_a_match=True,
            help='Bots: folders, commands, or as shipped:python/greedy. A folder has a bot.toml, '
                 'my-bot@HEAD~1 is the folder my-bot in a commit of git, my-bot.zip and '
                 'my-bot.tar.gz hold such a folder, a command is such as "./my-bot --fast", '
                 '`khiva-arena bots` lists the shipped ones, and remote:NAME is a bot behind a '
                 'relay. Not read from the environment. In a settings file bots/* means all '
                 'archives in bots, and folders with a bot.toml.'),
    Setting("engines", Kind.FILE, None, BOTS, of_a_league=False, in_a_trial=True,
            help="More bots, by name and command, from an engines.json as cutechess writes it.",
            example="engines.json"),
    Setting("game", Kind.NAME, "khiva", PLAYED, of_a_league=True, in_a_trial=True, of="a game",
            shape="GAME", words=_games, of_a_match=True, common=True,
            help="khiva, emira, silk_road, or yours. `khiva-arena games` says more about them. "
                 "openspiel is OpenSpiel's game that the rule `game` names. Name your own by its "
                 "file, as my_game.py, or by the package that brings it. Its code runs with your "
                 "rights.",
            opens="The code of this game runs with your rights.", harmless=_is_of_the_arena),
    Setting("format", Kind.CHOICE, "round-robin", PLAYED, of_a_league=False, in_a_trial=True,
            of="format", words=_formats, of_a_stage=True, common=True,
            help="How it is played: round-robin, gauntlet, swiss or knockout. In a round-robin "
                 "every line-up of the bots plays, in a gauntlet candidates play against the "
                 "others, in a swiss bots with equal results so far meet, in a knockout the best "
                 "of each table advance. Each is for 2 to 10 seats."),
    Setting("seats", Kind.NUMBER, 3, PLAYED, of_a_league=True, in_a_trial=True, of_a_stage=True,
            common=True,
            help="Seats at a table. The games of the arena have 2 to 5, others up to 10."),
    Setting("seeds", Kind.NUMBER, 10, PLAYED, of_a_league=True, in_a_trial=True, most=1_000_000,
            of_a_stage=True, common=True,
            help="Deals, a million at most. Every line-up plays each of them in all rotations of "
                 "the seats; in a swiss or a knockout, each round has this many. Errors of "
                 "ratings shrink with the square root of this number, so ten are a try and some "
                 "hundreds a result."),
    Setting("looks", Kind.NUMBER, None, PLAYED, of_a_league=False, in_a_trial=True, most=20,
            help="How often you will look at the table in all: after --seeds, and after each "
                 "extension by as many. Its intervals then allow for looking, and are hardly "
                 "wider at the last look.",
            example=5),
    Setting("seed", Kind.TEXT, None, PLAYED, of_a_league=False, in_a_trial=True, of_a_match=True,
            common=True,
            help="Determines every deal. Any text, or 64 hex digits that are the secret itself. "
                 "A bot that can guess it knows every hand, so leave it out if that matters, and "
                 "a random one is drawn.",
            example="demo"),
    Setting("copies", Kind.NUMBER, 1, BOTS, of_a_league=False, in_a_trial=True, of_a_stage=True,
            help="Copies of one bot that may sit at a table."),
    Setting("lineups", Kind.NUMBER, None, PLAYED, of_a_league=False, in_a_trial=True, most=100_000,
            words=lambda: (AUTO,), of_a_stage=True, common=True,
            help='Line-ups at most, or "auto" for a balanced few. If there are more, a balanced '
                 'choice is played. Without this setting all are played, unless there are very '
                 'many. With "auto" all bots meet and sit equally often.',
            example=100),
    Setting("rounds", Kind.NUMBER, None, PLAYED, of_a_league=False, in_a_trial=True, most=1_000,
            of_a_stage=True,
            help="Only for a swiss: rounds [default: as many as it takes to find the best].",
            example=5),
    Setting("advance", Kind.NUMBER, None, PLAYED, of_a_league=False, in_a_trial=True,
            of_a_stage=True,
            help="Only for a knockout: how many of a table advance [default: half of them].",
            example=1),
    Setting("candidates", Kind.NAMES, (), BOTS, of_a_league=False, in_a_trial=True,
            flag="candidate", of="bots' names", of_a_stage=True,
            help="Only for a gauntlet: the bots that play against line-ups of the others, by "
                 "name [default: the first bot].",
            example=("random",)),
    Setting("authors_apart", Kind.SWITCH, False, BOTS, of_a_league=False, in_a_trial=True,
            of_a_stage=True,
            help="Never seat bots that name the same author in their bot.toml at one table."),
    Setting("turn", Kind.TIME, "1s", TIME, of_a_league=True, in_a_trial=True, of_a_match=True,
            of_a_stage=True, common=True,
            help="Time for each decision, as 1s or 500ms."),
    Setting("bank", Kind.TIME, "10s", TIME, of_a_league=True, in_a_trial=True, least=0,
            of_a_match=True, of_a_stage=True, common=True,
            help="Time for a match beyond its turns. It never refills."),
    Setting("start", Kind.TIME, "10s", TIME, of_a_league=True, in_a_trial=True, of_a_match=True,
            of_a_stage=True, common=True,
            help="Time that a bot has to start. It ends with the first message of the bot."),
    Setting("clock", Kind.CHOICE, "wall", TIME, of_a_league=True, in_a_trial=True, of="clock",
            words=_clocks, of_a_match=True, common=True,
            help="wall (time) or ticks (instructions). In ticks every bot is a WebAssembly "
                 "module and pays for its instructions, 10,000,000 ticks for a millisecond of "
                 "--turn, --bank and --start, so that matches are the same on any machine."),
    Setting("policy", Kind.CHOICE, "lenient", TIME, of_a_league=True, in_a_trial=True, of="policy",
            words=_policies, of_a_match=True, common=True, of_a_stage=True,
            help="The cost of a fault. If lenient, a late or illegal answer plays the default "
                 "choice, and the third one forfeits. If strict, the first one forfeits."),
    Setting("jobs", Kind.NUMBER, 1, RUN, of_a_league=True, in_a_trial=True, most=10_000, short="j",
            common=True,
            help="Matches at a time. Bots that think long need a core for each seat of each "
                 "match."),
    Setting("out", Kind.FOLDER, "results/latest", RUN, of_a_league=False, in_a_trial=True,
            common=True,
            help="The folder for results. One that exists is resumed or added to."),
    Setting("events_file", Kind.FILE, None, RUN, of_a_league=False, in_a_trial=True,
            old_name="events", common=True,
            help="Also write the run's events as JSON lines. `khiva-arena watch` and other "
                 "programs read them.",
            example="events.jsonl", opens="The file is written."),
    Setting("report", Kind.FILE, None, RUN, of_a_league=False, in_a_trial=True, common=True,
            help="Also write a page of results there. It is written as by `khiva-arena report`, "
                 "again after each complete seed.",
            example="results.html", opens="The file is written."),
    Setting("isolation", Kind.CHOICE, AUTO, ISOLATION, of_a_league=True, in_a_trial=True,
            of="level", words=_levels, of_a_match=True, common=True,
            help="How bots are kept from this machine. The levels are strict, standard, basic, "
                 "trusted (not at all), or auto, the best that works here; see `khiva-arena "
                 "doctor`.",
            opens="Bots are kept from less of this machine; at trusted from nothing, with all of "
                  "your rights.",
            harmless=_keeps_promises),
    Setting("ponder", Kind.SWITCH, True, TIME, of_a_league=True, in_a_trial=True, of_a_match=True,
            help="Let bots think while it is not their turn. If not, the arena stops their "
                 "processes then."),
    Setting("trust_bots", Kind.SWITCH, False, ISOLATION, of_a_league=True, in_a_trial=False,
            of_a_match=True, common=True,
            help="Play with your own rights if no isolation works here. Only for bots that you "
                 "trust, and with auto.",
            opens="Bots have all of your rights if no isolation works here."),
    Setting("network", Kind.NAMES, (), ISOLATION, of_a_league=False, in_a_trial=False,
            of="bots' names", of_a_match=True,
            help="Bots that may use the network. The others have none. Definition, table and "
                 "page mark these bots.",
            example=("llm",),
            opens="The bot reaches the network, this machine's own services too."),
    Setting("env", Kind.NAMES, (), ISOLATION, of_a_league=False, in_a_trial=False,
            of="NAME=KEY, a bot and a variable", shape="NAME=KEY", of_a_match=True,
            help="Your variables that a bot gets. Each is the name of the bot, = and the name of "
                 "the variable. The arena stores no value, and strikes those of six characters "
                 "or more out of the bot's output.",
            example=("llm=OPENAI_API_KEY",), opens="The bot is handed this variable of yours."),
    Setting("skip_broken", Kind.SWITCH, False, BOTS, of_a_league=False, in_a_trial=True,
            help="Leave out each bot that cannot be read, is not built or does not start, with a "
                 "line that says why, and play with the others."),
    Setting("probation", Kind.SWITCH, False, BOTS, of_a_league=False, in_a_trial=True, common=True,
            help="Leave out each bot that forfeits its trial match. It is played first, against "
                 "the shipped bot random, or copies of the bot in ticks and in a game of your "
                 "own, at the seats and limits of the first stage, on a separate deal. Bots that "
                 "cannot be read, built or started are left out, too."),
    Setting("rate_kept", Kind.SWITCH, False, BOTS, of_a_league=False, in_a_trial=True,
            help="Rate bots that may remember together with the others. One process of such a "
                 "bot serves many matches."),
    Setting("rules", Kind.TABLE, {}, PLAYED, of_a_league=True, in_a_trial=True, flag="rule",
            of="rule variants", of_a_match=True, common=True,
            help="Variants of the rules; `khiva-arena games` lists them. @FILE is a table in a "
                 "TOML file.",
            example={"overshoot": "bounce"}),
    Setting("limits", Kind.TABLE, {}, ISOLATION, of_a_league=True, in_a_trial=True, flag="limit",
            of="limits", of_a_match=True, common=True,
            help="A limit of each bot, as memory=512M. Limits are for a match, and for the size "
                 "of a bot; `khiva-arena doctor` lists them and their defaults.",
            example={"memory": "512M", "cpu": 600}),
    Setting("runtimes", Kind.PATHS, {}, BOTS, of_a_league=True, in_a_trial=False, flag="runtime",
            of="runtimes", of_a_match=True,
            help="The meaning of {NAME} in the run line of a bot.toml: a virtual environment or "
                 "another folder with a bin in it, or a program. Bots that name it may read all "
                 "of it.",
            example={"torch": "runtimes/torch"}, opens="Bots may read all of this folder."),
    Setting("allow_include", Kind.SWITCH, False, BOTS, of_a_league=True, in_a_trial=False,
            of_a_match=True,
            help="Hand bots the files that their bot.toml includes. They lie outside of their "
                 "folders. Without it, each folder with such files is asked about once, at a "
                 "terminal.",
            opens="Bots are handed files outside of their folders, which they may read and send "
                  "away."),
    Setting("unreleased_interpreters", Kind.SWITCH, False, BOTS, of_a_league=True, in_a_trial=False,
            of_a_match=True,
            help="Take interpreters that no release has. One that plays worse for some bots "
                 "would rerun as sound everywhere, so know who made it."),
    *hooks.settings(),
)
TEST_TABLE: tuple[Setting, ...] = (
    Setting("elo0", Kind.DECIMAL, 0.0, TEST, of_a_league=False, in_a_trial=True, common=True,
            help="H0: the candidate is at most so many Elo better."),
    Setting("elo1", Kind.DECIMAL, 20.0, TEST, of_a_league=False, in_a_trial=True, common=True,
            help="H1: it is at least so many Elo better."),
    Setting("alpha", Kind.DECIMAL, 0.05, TEST, of_a_league=False, in_a_trial=True, common=True,
            help="About how often a bot at elo0 passes."),
    Setting("beta", Kind.DECIMAL, 0.05, TEST, of_a_league=False, in_a_trial=True, common=True,
            help="About how often one at elo1 fails."),
    Setting("normalized", Kind.SWITCH, False, TEST, of_a_league=False, in_a_trial=True, common=True,
            help="Both bounds are normalised Elo."),
)
"""The settings of a sequential test, which has these beside those of a competition. The
numbers are fields of ``result.Hypotheses``.
"""
# fmt: on
OF_A_MATCH = tuple(row.name for row in TABLE if row.of_a_match)
"""The settings of one match, whether alone or in a competition."""
DEFAULTS: dict[str, Any] = {row.name: row.default for row in TABLE}
