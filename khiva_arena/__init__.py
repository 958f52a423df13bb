"""Khiva Arena: bots in any language, hidden hands, simultaneous secret moves, matches that replay, honest ratings.

General layout, from the bottom up; a room imports only rooms below it (``pyproject.toml`` has the contracts):

    errors.py  result.py  rng.py      what blame, a match's result and chance are   shipped.py: what comes with the arena
    text.py                           how words that others wrote are made harmless
    words.py                          numbers with their nouns, and "did you mean"
    stream.py                         what happens in a run, as data: one JSON object a line
    json_schema.py                    JSON Schemas of what is printed and written
    games/      base.py: what a game offers   registry.py: which there are   conformance.py: the check of any game
                which.py: which of them was played, in words
                adapter.py: a game made of its files   schema.py: JSON Schemas of what a game's bots get
                sheet.py: what a game's terminal.py draws its table with
                khiva/ emira/ silk_road/: tables < state < rules < {observation, notation, worlds}, assembled in game.py; RULES.md
    protocol/   messages.py, codec.py, session.py: bytes in, outcomes out; no I/O, no clock   schema.py: JSON Schemas
                bot_function.py: types of a bot that is a function
    schedule/   formats.py: the formats, a module each: who plays whom in which round   timetable.py: place by place
    ratings/    elo.py: ratings and their errors   sprt.py: sequential tests   planning.py: how many seeds   crosstable, bias, ...
    sandbox/    level.py: what is asked for   cell.py: what a bot is kept in, and a module for each level of it
                bubblewrap, launcher, cgroup, seccomp: how   detect, selftest, remedies: which levels work here, how to get others
                limits, limit_check, proc_usage: what a bot may use, and uses   reap, scratch: nothing is left behind
                system.py: which of Linux's means there are   reaper.py: how children end, with them and without
    outside/    games that a user hands over: source.py finds and hashes them, host.py runs their code, in a process of its own,
                process.py calls it there, answers.py holds what it says against the contract, game.py makes it look like any
                wording.py: what is wrong with a value, in plain words   template/: the one that `new game` makes
    replay/     definition.py: what defines an event   record.py: the record and its hash chain
                seeds.py: secrets and commitments   verify.py: play it again
                requests.py: what a seat was sent   story.py: a match as text
    report/     standings.py, sections.py: as data   columns.py: a row, what a table shows of it, and what it means
                table.py, section_text.py: as text   shapes.py, schema.py: as JSON   exports.py: for other programs
    store/      db.py: the SQLite file   bundle.py: events in one file for others to verify
                shape.py: whether a file is a store   private.py: who may read it
                sums.py, changes.py: whether it is as it was written   seal.py: whether that is known already
    arbiter/    knows trio, as web alone does, too   pool < worker < match < gather: who is asked what, fairness: who had no core
                wire.py: what a match needs of its bots   process < lifetimes, watch < pipes < poller: real ones
                stderr: what bots say there   strike: without the values that they were handed
                trace, transcript: both directions, made readable   refeed: a match fed to one bot
    entrants/   manifest.py: bot.toml   bots.py: a bot found   staging.py: copied   build.py: built
                engines.py: other tools' lists of bots
                loading, runtimes, sources, seals, weight: what is read of it, and within which bounds
    terminal/   console.py: lines on stderr   tty.py: what a terminal can do   messages.py: what happens in a run, as text
                state, ratings_so_far, screen, viewer, screen_process: the live screen, drawn from stream lines
                passing.py: how far a long command has come
    competition/  settings_table.py: every setting, a row each, from which flags, files and checks are made
                settings.py, settings_file.py, stages.py: what is asked for   define.py: the event that it defines
                run.py, play.py, sequential.py: schedule, arbiter and store wired together   events.py: those of a store
                announcing.py, durations.py: what is said of an event, and how long it may take
                starts.py: each bot started once, and who is left out   executor.py, who_plays.py: who plays the matches
                executors/: the workers of a Dask cluster, which alone knows Dask
                progress.py, extending.py: how far it has come, and more seeds   closing.py: ended for good
                budget.py, budget_try.py, more_seeds.py: how many seeds fit, and which command plays more
                find.py, in_bundle.py: what a user named   drift.py: what has changed since   among.py: which bots count
                consent.py: what a settings file or a plan may open only with its user's word
                opened.py: the network and variables that a bot is given by name
                results.py: where a Result is made   pools.py: which events make one table
                widened.py: how wide its errors are if results decided who met whom, by replays (replaying.py), which
                are kept (replay_cache.py), or by the shape of a large field
                shard.py, shard_note.py, plan_file.py, planned.py, sharding.py: an event divided between machines
                merging.py, merge_parts.py: joined again; missing.py: what to type for the rest
                audit.py, audit_event.py, audit_chain.py: what is sound, of a store (audit_store.py) or a bundle
                (audit_bundle.py); audit_ahead.py: by several processes   audit_sample.py: of some matches
                as_recorded.py: whether a row says what its record says
                bundling.py: events that are over in one file
                page.py: a page of results, made from page_source; its page_replays, page_folder, page_names, page_authors
                run_events.py: what happens in a run, written once   events_file.py, log.py: where to
                live_page.py, live_web.py: a run's page of results, and what browsers are shown of it, while it lasts
    check/      the conformance run of a bot: context, bot_process, steps_*, hints, report
    api/        what `import khiva_arena` offers, a file a noun   host.py, hosted.py: the process that plays
                functions.py, checkpoints.py: functions and checkpoints as bots   new_check.py: what a check is made with
    env/        the games for trainers: fields < coding < {khiva, emira, silk_road}: views and choices as numbers
                players.py: bots in this process   local.py: matches of them
                zoo.py: as PettingZoo's environments   openspiel.py: as OpenSpiel's games, of spiel_state < moment
    web/        serving.py: loopback port, token, who is answered   guard.py: the looks at each request (knows trio, too)
                once.py: the address that a browser's command line shows
                watching.py: the process that shows a run in browsers, served_page.py: its page of results
                strangers.py: who has shown no token yet where relays arrive
                hub.py: the process at which players arrive who are elsewhere; link.py stands for each at the table
                persons.py, person.py, hints.py: people in browsers   terminal_seat.py, terminal_table.py: on a terminal
    commands/   what each command does, in a file named like it
    cli/        the words and options of each command, likewise: nothing is imported of what it does until it is called
                start.py: where the command begins   address_space.py: whether there is enough of it

Beside the package: ``docs/`` are the pages for users, ``protocol/`` is the language-neutral protocol, ``bots/`` are the
bots that come with the arena.
"""

from importlib import import_module

__version__ = "0.3.0"
_HOMES = {
    "BotMatch": "protocol.bot_function",
    "BotRequest": "protocol.bot_function",
    "Checkpoint": "api.checkpoints",
    "Competition": "api.competitions",
    "Game": "games.base",
    "PlayedMatch": "api.matches",
    "State": "games.base",
    "check": "api.check",
    "local": "env.local",
    "match": "api.matches",
    "matches": "api.matches",
    "merge": "api.merge",
    "run": "api.competitions",
    "sprt": "api.competitions",
    "standings": "api.tables",
    "verify": "api.verify",
}
"""Where each public name is, which is imported when it is asked for: a command that needs one loads no other. ``__init__.pyi``
has their types."""
_MODULES = ("env", "errors", "games")
__all__ = [*_MODULES, *_HOMES]
# A room has the name of a function. It is imported now, which happens once, so that it cannot take the function's place later.
import_module("khiva_arena.check")
del globals()["check"]


def __getattr__(name: str) -> object:
    if name in _MODULES:
        return import_module(f"khiva_arena.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'khiva_arena' has no attribute {name!r}")
    globals()[name] = value = getattr(import_module(f"khiva_arena.{_HOMES[name]}"), name)
    return value


def __dir__() -> list[str]:
    return sorted({*(name for name in globals() if name.startswith("__")), *__all__})
