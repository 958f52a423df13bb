-- One store: many events. Everything a report shows is derived from these rows. PRAGMA user_version holds the version.
-- The sum of a row is a hash over all its other columns, see sums.py.

-- The id is a hash of definition and commitment, see records/replay/seeds.py; of the definition alone if version 0.1.0 began the event,
-- or the competition that it is a stage of. (What stands within a statement never changes: stores are held against it.)
CREATE TABLE events (
    id TEXT PRIMARY KEY,               -- hash of the definition
    number INTEGER NOT NULL UNIQUE,    -- 1, 2, ... in order of creation
    definition TEXT NOT NULL,          -- canonical JSON of all that defines the event
    engine TEXT NOT NULL,              -- version of khiva-arena that created it
    created TEXT NOT NULL,             -- UTC, ISO 8601
    commitment TEXT NOT NULL,          -- published before the first match, see protocol/SPEC.md
    secret BLOB NOT NULL,              -- the run's secret: private until revealed
    sum TEXT NOT NULL
) STRICT;

-- Other engine versions that the user let go on with the event.
CREATE TABLE engines (
    event TEXT NOT NULL REFERENCES events (id),
    engine TEXT NOT NULL,
    since TEXT NOT NULL,               -- UTC, ISO 8601
    sum TEXT NOT NULL,
    PRIMARY KEY (event, engine)
) STRICT;

CREATE TABLE bots (
    event TEXT NOT NULL REFERENCES events (id),
    position INTEGER NOT NULL,         -- as in the definition
    name TEXT NOT NULL,
    identity TEXT NOT NULL,            -- hash of its files, run and build lines
    version TEXT NOT NULL,
    complete INTEGER NOT NULL,         -- 0: a bare command, which may use files that nobody named
    asked_as TEXT NOT NULL,            -- the --bot word
    folder TEXT NOT NULL,              -- where that word was said, an absolute path
    sum TEXT NOT NULL,
    PRIMARY KEY (event, position)
) STRICT;

-- A match is recorded in one transaction with its record, its seats and what it reveals. What is not here is played.
CREATE TABLE matches (
    event TEXT NOT NULL REFERENCES events (id),
    ordinal INTEGER NOT NULL,          -- place in the schedule
    id TEXT NOT NULL UNIQUE,
    seed INTEGER NOT NULL,
    lineup INTEGER NOT NULL,
    rotation INTEGER NOT NULL,
    digest TEXT NOT NULL,
    record TEXT NOT NULL,              -- canonical JSON, see khiva_arena/replay/record.py
    attempt INTEGER NOT NULL,
    req_start INTEGER NOT NULL,
    seconds REAL NOT NULL,
    finished TEXT NOT NULL,            -- UTC, ISO 8601
    sum TEXT NOT NULL,
    PRIMARY KEY (event, ordinal)
) STRICT;

-- Beside the record, by seat: nothing here changes a digest but rank, score and verdict, which repeat the record.
CREATE TABLE seats (
    event TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    seat INTEGER NOT NULL,
    bot INTEGER NOT NULL,              -- its position
    rank INTEGER NOT NULL,
    score INTEGER NOT NULL,
    verdict TEXT NOT NULL,
    faults TEXT NOT NULL,              -- JSON: [[verdict, detail, gather], ...], strikes that did not forfeit included
    decisions INTEGER NOT NULL,
    thought REAL NOT NULL,             -- seconds on the arbiter's clock
    slowest REAL NOT NULL,
    bank_left REAL NOT NULL,
    cpu REAL NOT NULL,                 -- seconds, by the system's account
    status INTEGER,                    -- exit status, negative for a signal
    notes TEXT NOT NULL,               -- stderr, head and tail; lines that begin with U+001E are the arbiter's marks of requests
    notes_total INTEGER NOT NULL,      -- bytes it wrote there
    peak INTEGER NOT NULL,             -- bytes of memory that its largest process had at most; 0: less than could be told
    paused INTEGER NOT NULL,           -- how often it was stopped, since it kept a core from a seat that was asked
    sum TEXT NOT NULL,
    PRIMARY KEY (event, ordinal, seat),
    FOREIGN KEY (event, ordinal) REFERENCES matches (event, ordinal)
) STRICT;

-- Matches that the host spoilt. They are never rated.
CREATE TABLE voids (
    event TEXT NOT NULL REFERENCES events (id),
    ordinal INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    seed INTEGER NOT NULL,
    lineup INTEGER NOT NULL,
    bots TEXT NOT NULL,                -- JSON: positions by seat
    why TEXT NOT NULL,
    cpu TEXT NOT NULL,                 -- JSON: seconds by seat
    at TEXT NOT NULL,
    sum TEXT NOT NULL,
    PRIMARY KEY (event, ordinal, attempt)
) STRICT;

-- The secret of a seed, after the last match on it. Seed -1 is the run's secret, after the last match of the event.
CREATE TABLE reveals (
    event TEXT NOT NULL REFERENCES events (id),
    seed INTEGER NOT NULL,
    secret BLOB NOT NULL,
    sum TEXT NOT NULL,
    PRIMARY KEY (event, seed)
) STRICT;

-- An event that is over, and the digest over all of its match digests in schedule order.
CREATE TABLE conclusions (
    event TEXT PRIMARY KEY REFERENCES events (id),
    digest TEXT NOT NULL,
    at TEXT NOT NULL,                  -- UTC, ISO 8601
    sum TEXT NOT NULL
) STRICT;

-- How many rows an event has in all other tables, and their sums added up: none can be lost or added unnoticed.
CREATE TABLE tallies (
    event TEXT PRIMARY KEY REFERENCES events (id),
    count INTEGER NOT NULL,
    total TEXT NOT NULL
) STRICT;
