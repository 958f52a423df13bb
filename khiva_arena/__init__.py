"""Khiva Arena: bots in any language, hidden hands, simultaneous secret moves, matches
that replay, honest ratings.

The folders, from the bottom up, and the rooms in each. A room imports only rooms above
it in this list. The tool ``layout`` of the tests prints a line a module:

base (modules for every folder; they lie in the package itself)

    native        programs in C, built at set-up where there is a compiler
    errors        every error that a user may meet, with its exit code
    rng           streams of chance that anybody can work out again
    words         numbers with their nouns, and "did you mean"

common (helpers that every folder may use)

    json_schema    JSON Schemas of whatever is printed and written
    result         who is to blame for a fault, and how a match ended
    exit_codes     the exit codes of all commands in one table
    text           text of strangers, made harmless
    say            lines for the user, handed up by rooms that print nothing
    address        where the project lives on the net
    shipped        the bots, kits and pages that come with the arena
    manual         the pages of the manual by key, for messages and help
    handed         names and sources of games that do not come with it
    stream         events of a run as data, one JSON object a line
    machine        errors that are the machine's, and nobody else's
    strength       how strong the bots are that come with the arena
    time_in_words  durations in words
    setting_row    the row of a setting, and the form of its values
    hooks          the places where an extension is called, and their types
    version        the version of this code in words for people

rules (the games; they lie in the package itself)

    games         rules: a state asks seats, and says how a match ends
    crules        rules in C, for trainers and bots that search

rating (from results to tables; nothing here plays)

    schedule      formats: who plays whom, in which seats, in which round
    ratings       Elo and its errors, tests, planning, biases
    report        standings and their sections, as data and as text

bots (one bot: its bytes, its walls, its ticks)

    protocol      bytes of a bot in, outcomes out; no I/O, no clock
    sandbox       levels of isolation, limits, and the end of processes
    modules       bots as WebAssembly: paid in ticks, worked out again by anyone

records (what was played, and playing it again)

    replay        definition and record of a match, and playing it again
    store         the SQLite file of events, and bundles of events

trainers (games for training; it lies in the package itself)

    env           games for trainers

table (one match, and the bots that enter it; they lie in the package itself)

    arbiter       one match: who is asked, under which clock, by which processes
    entrants      bots: found, copied, hashed, built, tried, and why one does not start

display (pages and the terminal)

    page          rows made into one HTML file
    terminal      lines on stderr, the live screen, and the table of a match

competition (one competition, from its settings to sound rows)

    settings      words that a user typed, made into the definition of an event
    events        the events of a store: found, pooled, tabled, extended
    playing       matches of a definition, made into rows of a store
    audit         whether rows are sound
    conformance   whether a bot keeps the protocol, step by step
    pages         pages of results, read from the events of a store or a bundle
    run           a whole run: who plays, playing, messages, the live page

interface (commands and the Python API)

    api           names that ``import khiva_arena`` offers
    commands      the work of each command, in a file named like it
    cli           the words and options of each command

extensions (parts that most runs never load)

    own_games     games that a user hands over, in processes of their own
    serve         pages that are served to browsers
    checker       the page that checks bundles, with the arena inside
    grading       marks for a bot by a ladder of bots
    spending      columns and marks for what bots report of themselves
    seats         players who are no local program: people and remote bots
    shards        an event divided between machines by hand
    cluster       an event divided between the workers of a Dask cluster
    league        a chain of small events: draw, player, submissions

Beside the package: ``docs/`` are the pages for users, ``protocol/`` is the
language-neutral protocol, ``bots/`` are the bots that come with the arena.
"""

from importlib import import_module

__version__ = "0.3.0.dev1"
_HOMES = {
    "AuditResult": "competition.audit.audit_report",
    "BotMatch": "bots.protocol.bot_function",
    "BotRequest": "bots.protocol.bot_function",
    "CheckReport": "competition.conformance.check_report",
    "CheckStep": "competition.conformance.check_report",
    "Checkpoint": "interface.api.checkpoints",
    "Competition": "interface.api.competitions",
    "EventReport": "competition.audit.audit_report",
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
    "Table": "interface.api.notebook_tables",
    "TableList": "interface.api.notebook_tables",
    "check": "interface.api.check",
    "local": "env.local",
    "match": "interface.api.matches",
    "matches": "interface.api.matches",
    "run": "interface.api.competitions",
    "sprt": "interface.api.competitions",
    "standings": "interface.api.notebook_tables",
    "verify": "interface.api.verify",
}
"""The module of each public name, imported when the name is asked for: a command that
needs one loads no other. ``__init__.pyi`` has their types.
"""
_MODULES = ("env", "errors", "games")
_OF_EXTENSIONS = {"Merged": "shards", "RerunPart": "shards", "merge": "shards"}
"""The extension that has each other public name."""


def _names() -> list[str]:
    """Return the public names, with those of extensions that are installed."""
    hooks = import_module("khiva_arena.common.hooks")
    return [
        *_MODULES,
        *_HOMES,
        *(name for name, extension in _OF_EXTENSIONS.items() if hooks.row_of(extension)),
    ]


def __getattr__(name: str) -> object:
    if name == "__all__":  # for ``from khiva_arena import *``
        return _names()
    if name in _MODULES:
        return import_module(f"khiva_arena.{name}")
    if name in _OF_EXTENSIONS:
        return import_module("khiva_arena.common.hooks").public_name(_OF_EXTENSIONS[name], name)
    if name not in _HOMES:
        raise AttributeError(f"module 'khiva_arena' has no attribute {name!r}")
    globals()[name] = value = getattr(import_module(f"khiva_arena.{_HOMES[name]}"), name)
    return value


def __dir__() -> list[str]:
    return sorted({*(name for name in globals() if name.startswith("__")), *_names()})
