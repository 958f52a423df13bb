"""Khiva Arena: bots in any language, hidden hands, simultaneous secret moves, matches that replay, honest ratings.

General layout, from the bottom up; a room imports only rooms below it (``pyproject.toml`` has the contracts):

    errors.py  result.py  rng.py      what blame, verdicts and chance are
    games/      base.py: what a game offers   registry.py: which there are   conformance.py: the check of any game
                schema.py: JSON Schemas of what a game's bots get   README.md: how to add a game
                khiva/ emira/ silk_road/: tables < state < rules < {observation, notation}, assembled in game.py, and RULES.md
    protocol/   messages.py, codec.py, session.py: bytes in, outcomes out; no I/O, no clock   schema.py: JSON Schemas
    replay/     record.py: the record and its hash chain   seeds.py: secrets and commitments   verify.py: play it again
    schedule/   who plays whom, where and on which deal    ratings/: Elo and its errors    store/: the SQLite file
    arbiter/    clock, wire, process, bots, seat, gather, match, pool, worker: the only room that knows trio
                ISOLATION.md, isolation: what a bot is kept in   bubblewrap, launcher, cgroup, seccomp: how   probe: which works
                resources, usage, excess: limits   hog: who takes whose core   scratch, reap: nothing is left behind
    report/     standings as data, text and JSON
    cli/        one file a command; event.py wires schedule, arbiter and store together

Beside the package: ``protocol/`` is the language-neutral protocol, ``bots/`` are the bots that come with the arena.
"""

__version__ = "0.1.0"
