-- The queue of a league: what authors ask for, and what became of it. PRAGMA user_version holds the version of these tables.
-- Names of people stand here alone, so that they can be removed. The server opens this file; it holds no secret of a batch.

CREATE TABLE authors (
    id TEXT PRIMARY KEY,               -- random, 16 hex digits: what links of the chain say
    name TEXT NOT NULL,                -- "" once it is forgotten
    alike TEXT NOT NULL UNIQUE,        -- the name as it is compared, so that no two look alike; the id once it is forgotten
    token TEXT UNIQUE,                 -- SHA-256 of the token, NULL without one
    since TEXT NOT NULL,               -- UTC, ISO 8601
    revoked INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE families (
    id TEXT PRIMARY KEY,               -- random, 16 hex digits
    author TEXT NOT NULL REFERENCES authors (id),
    name TEXT NOT NULL,
    alike TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE entries (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    author TEXT NOT NULL REFERENCES authors (id),
    family TEXT NOT NULL REFERENCES families (id),
    identity TEXT,                     -- hash of its files and commands; NULL before the files of an upload are unpacked
    stream TEXT NOT NULL,              -- SHA-256 of the files as they came
    played_as TEXT UNIQUE,             -- the identity in the league: of its module in ticks; NULL before it is checked
    parts TEXT NOT NULL DEFAULT '',    -- of a module with a payload in ticks, the hashes of both, with a space between
    state TEXT NOT NULL,               -- waiting, refused, accepted, entered
    leased_until REAL NOT NULL DEFAULT 0,
    by_player INTEGER NOT NULL DEFAULT 0, -- whether the player has the lease; else a command of the organiser has
    attempts INTEGER NOT NULL DEFAULT 0,
    report TEXT NOT NULL DEFAULT '',   -- what its check and its trial table gave, in words for its author
    at TEXT NOT NULL,                  -- UTC, ISO 8601
    checked TEXT NOT NULL DEFAULT '',  -- when its newest check ended, likewise; "" before
    build_seconds REAL NOT NULL DEFAULT 0, -- of CPU, of its builds and checks
    failures INTEGER NOT NULL DEFAULT 0, -- of the player's machine, at its checks
    passed_by INTEGER NOT NULL DEFAULT 0, -- whether another entry was checked since the first of these
    unexamined INTEGER NOT NULL DEFAULT 0, -- whether it was refused without a verdict, so that it counts in no day of its author
    agreed INTEGER NOT NULL DEFAULT 1  -- whether its author agreed that bundles hold it; what an organiser enters by hand counts so
) STRICT;

CREATE TABLE files (
    entry INTEGER PRIMARY KEY REFERENCES entries (number) ON DELETE CASCADE,
    packed BLOB NOT NULL               -- of an entry that waits, as packing.py packs them; not in its row, which changes often
) STRICT;

CREATE TRIGGER files_of_what_waits AFTER UPDATE OF state ON entries WHEN new.state != 'waiting'
BEGIN DELETE FROM files WHERE entry = new.number; END;

CREATE UNIQUE INDEX one_of_each_identity ON entries (identity) WHERE state != 'refused';

CREATE UNIQUE INDEX one_of_each_stream ON entries (stream) WHERE state != 'refused';

CREATE INDEX entries_of_authors ON entries (author, at);

CREATE TABLE changes (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    identity TEXT NOT NULL,            -- of a bot of the roster; "" for a season
    state TEXT NOT NULL,               -- active, suspended, retired; season
    why TEXT NOT NULL,                 -- for everyone to read; the name of a season
    at TEXT NOT NULL,                  -- UTC, ISO 8601
    done TEXT                          -- what became of it; NULL while it waits
) STRICT;

CREATE TABLE notes (
    identity TEXT NOT NULL,            -- of a bot of the roster
    batch INTEGER NOT NULL,            -- one that is over
    text TEXT NOT NULL,                -- what the bot wrote on stderr in its matches, shortened, for its author alone
    PRIMARY KEY (identity, batch)
) STRICT;

CREATE TABLE wishes (
    batch INTEGER PRIMARY KEY          -- one whose page a reader asked for, and the player has removed
) STRICT;
