-- What version 3 adds to schema.sql. A store of version 2 is brought up to date by making these tables and those of
-- later versions, nothing else.

-- A text drawn in public after an event's commitment was printed: it is mixed into schedule and deals, see docs/bundles.md.
CREATE TABLE beacons (
    event TEXT PRIMARY KEY REFERENCES events (id),
    text TEXT NOT NULL,
    at TEXT NOT NULL,                  -- UTC, ISO 8601
    sum TEXT NOT NULL
) STRICT;

-- Page faults of a seat that had to read a disk, by the system's account, for each seat that had any.
CREATE TABLE page_faults (
    event TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    seat INTEGER NOT NULL,
    major INTEGER NOT NULL,
    sum TEXT NOT NULL,
    PRIMARY KEY (event, ordinal, seat),
    FOREIGN KEY (event, ordinal) REFERENCES matches (event, ordinal)
) STRICT;

-- Which seats caused a void, for each void that any of them caused; the others only sat at the table.
CREATE TABLE void_causes (
    event TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    seats TEXT NOT NULL,               -- JSON: seats, rising
    sum TEXT NOT NULL,
    PRIMARY KEY (event, ordinal, attempt),
    FOREIGN KEY (event, ordinal, attempt) REFERENCES voids (event, ordinal, attempt)
) STRICT;
