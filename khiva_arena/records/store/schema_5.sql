-- What version 5 adds: a store of an older version is brought up to date by making this table and those of later versions, nothing
-- else.

-- An event that was closed before it was over: its secrets are revealed, and it is never continued. It has a conclusion, too,
-- with the digest over the matches that are there.
CREATE TABLE closures (
    event TEXT PRIMARY KEY REFERENCES events (id),
    at TEXT NOT NULL,                  -- UTC, ISO 8601
    sum TEXT NOT NULL
) STRICT;
