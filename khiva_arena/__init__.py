"""Khiva Arena: bots in any language, hidden hands, simultaneous secret moves, matches that replay, honest ratings.

The rooms, from the bottom up, under eleven headings. A room imports only rooms above it in this list. ``python -m tests.tools
layout`` prints a line a module:

base (what every room may use)

    native        programs in C, built at set-up where there is a compiler
    json_schema   JSON Schemas of whatever is printed and written
    errors        every error that a user may meet, with its exit code
    result        who is to blame for a fault, and how a match ended
    rng           streams of chance that anybody can work out again
    text          text of strangers, made harmless
    words         numbers with their nouns, and "did you mean"
    say           lines for the user, handed up by rooms that print nothing
    shipped       the bots and pages that come with the arena
    handed        names and sources of games that do not come with it
    stream        events of a run as data, one JSON object a line
    machine       errors that are the machine's, and nobody else's
    time_in_words  durations in words
    setting_row   the row of a setting, and the form of its values
    hooks         the places that extensions fill, and the rows that say what they add
    version       the version of this code in words for people

rules (the games)

    games         rules: a state asks seats, and says how a match ends
    crules        rules in C, for trainers and bots that search
    handed_games  the hook for games that users hand over

numbers (from results to tables; nothing here plays)

    schedule      formats: who plays whom, in which seats, in which round
    ratings       Elo and its errors, tests, planning, biases
    report        standings and their sections, as data and as text

cells (one bot: its bytes, its walls, its ticks)

    protocol      bytes of a bot in, outcomes out; no I/O, no clock
    sandbox       levels of isolation, limits, and the end of processes
    modules       bots as WebAssembly: paid in ticks, worked out again by anyone

records (what was played, and playing it again)

    replay        definition and record of a match, and playing it again
    store         the SQLite file of events, and bundles of events

table (one match)

    outside       games that a user hands over, in processes of their own
    arbiter       one match: who is asked, under which clock, by which processes
    entrants      bots: found, copied, hashed, built
    hints         why a bot is not built, does not start or fails its check, in a line

event (one competition, from its settings to sound rows)

    terminal      lines on stderr, the live screen, and the table of a match
    settings      words that a user typed, made into the definition of an event
    events        the events of a store: found, pooled, tabled, extended
    playing       matches of a definition, made into rows of a store
    audit         whether rows are sound

pages (what a browser shows)

    page          rows made into one HTML file
    web           pages that are served to browsers

people (who enters, and whole runs)

    seats         players who are no local program: people and remote bots
    check         conformance of a bot or a game
    competition   a whole run: who plays, playing, messages, the live page

machines (an event on several machines, or for months)

    shards        an event divided between machines by hand
    cluster       an event divided between the workers of a Dask cluster
    league        a chain of small events: draw, player, submissions

doors (what users call)

    env           games for trainers
    api           names that ``import khiva_arena`` offers
    commands      the work of each command, in a file named like it
    cli           the words and options of each command
    extensions    the list of what most runs never load: a row and the hooks of each

Beside the package: ``docs/`` are the pages for users, ``protocol/`` is the language-neutral protocol, ``bots/`` are the
bots that come with the arena.
"""

from importlib import import_module

__version__ = "0.3.0.dev1"
_HOMES = {
    "AuditResult": "competition.audit.report",
    "BotMatch": "bots.protocol.bot_function",
    "BotRequest": "bots.protocol.bot_function",
    "CheckReport": "competition.conformance.report",
    "CheckStep": "competition.conformance.report",
    "Checkpoint": "interface.api.checkpoints",
    "Competition": "interface.api.competitions",
    "EventReport": "competition.audit.report",
    "Game": "games.base",
    "LearningCurve": "interface.api.learning",
    "LocalTable": "env.local",
    "MatchFault": "interface.api.matches",
    "PairDifference": "rating.report.shapes",
    "PlayedMatch": "interface.api.matches",
    "Progress": "interface.api.competitions",
    "RecordedMatches": "interface.api.matches",
    "ReplayStep": "interface.api.matches",
    "RerunCost": "competition.audit.cost",
    "RerunSample": "competition.audit.sample",
    "RunningTest": "interface.api.competitions",
    "SeatPoints": "games.base",
    "Sprt": "rating.report.sprt",
    "SprtReport": "rating.ratings.sprt",
    "State": "games.base",
    "Table": "interface.api.tables",
    "TableList": "interface.api.tables",
    "check": "interface.api.check",
    "local": "env.local",
    "match": "interface.api.matches",
    "matches": "interface.api.matches",
    "run": "interface.api.competitions",
    "sprt": "interface.api.competitions",
    "standings": "interface.api.tables",
    "verify": "interface.api.verify",
}
"""The module of each public name, imported when the name is asked for: a command that needs one loads no other. ``__init__.pyi``
has their types."""
_MODULES = ("env", "errors", "games")
_OF_EXTENSIONS = {"Merged": "shards", "RerunPart": "shards", "merge": "shards"}
"""The extension that has each other public name."""
__all__ = [*_MODULES, *_HOMES, *_OF_EXTENSIONS]


def __getattr__(name: str) -> object:
    if name in _MODULES:
        return import_module(f"khiva_arena.{name}")
    if name in _OF_EXTENSIONS:
        return import_module("khiva_arena.hooks").public_name(_OF_EXTENSIONS[name], name)
    if name not in _HOMES:
        raise AttributeError(f"module 'khiva_arena' has no attribute {name!r}")
    globals()[name] = value = getattr(import_module(f"khiva_arena.{_HOMES[name]}"), name)
    return value


def __dir__() -> list[str]:
    return sorted({*(name for name in globals() if name.startswith("__")), *__all__})
