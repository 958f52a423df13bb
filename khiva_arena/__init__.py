"""Khiva Arena: bots in any language, hidden hands, simultaneous secret moves, matches that replay, honest ratings.

General layout, from the bottom up; a room imports only rooms below it (``pyproject.toml`` has the contracts):

    errors.py  result.py  rng.py      what blame, verdicts and chance are   shipped.py: what comes with the arena
    text.py                           how words that others wrote are made harmless
    words.py                          how many of what, and what was perhaps meant
    games/      base.py: what a game offers   registry.py: which there are   conformance.py: the check of any game
                schema.py: JSON Schemas of what a game's bots get   README.md: how to add a game
                khiva/ emira/ silk_road/: tables < state < rules < {observation, notation}, assembled in game.py, and RULES.md
    protocol/   messages.py, codec.py, session.py: bytes in, outcomes out; no I/O, no clock   schema.py: JSON Schemas
    replay/     record.py: the record and its hash chain   seeds.py: secrets and commitments   verify.py: play it again
                requests.py: what a seat was sent
    schedule/   formats.py: who plays whom, in which round, where and on which deal, FORMATS.md   timetable.py: place by place
    ratings/    elo.py: ratings and their errors   sprt.py: sequential tests   planning.py: how many seeds   crosstable, bias, ...
    store/      db.py: the SQLite file   bundle.py: events in one file for others to verify, BUNDLE.md
                shape.py: whether a file is a store   private.py: who may read it
    arbiter/    clock, wire, process, bots, seat, gather, match, pool, worker: the only room that knows trio
                ISOLATION.md, isolation: what a bot is kept in   bubblewrap, launcher, cgroup, seccomp: how   probe: which works
                resources, usage, excess: limits   hog: who takes whose core   scratch, reap: nothing is left behind
                notes: what bots say on stderr   trace, transcript: both directions, made readable   again: a match fed to one bot
    check/      the conformance run of a bot, step by step
    report/     standings.py, sections.py: as data   table.py, section_text.py: as text   shapes.py: as JSON   STANDINGS.md
    cli/        one file a command, named like it   competition.py, event.py, play.py wire schedule, arbiter and store together
                settings.py, settings_file.py, stages.py: what is asked for   watching/: the stream of events, the live screen

Beside the package: ``protocol/`` is the language-neutral protocol, ``bots/`` are the bots that come with the arena.
"""

__version__ = "0.2.0"
