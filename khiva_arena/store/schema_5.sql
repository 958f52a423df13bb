-- What version 5 adds: a store of an older version is brought up to date by making these tables, nothing else.

-- An event that was closed before it was over: its secrets are revealed, and it is never continued. It has a conclusion, too,
-- with the digest over the matches that are there.
CREATE TABLE closures (
    event TEXT PRIMARY KEY REFERENCES events (id),
    at TEXT NOT NULL,                  -- UTC, ISO 8601
    sum TEXT NOT NULL
) STRICT;

-- The level of isolation at which the runner of a match in ticks was kept, by the word of the machine that played it.
CREATE TABLE cells (
    event TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    level TEXT NOT NULL,
    sum TEXT NOT NULL,
    PRIMARY KEY (event, ordinal),
    FOREIGN KEY (event, ordinal) REFERENCES matches (event, ordinal)
) STRICT;
