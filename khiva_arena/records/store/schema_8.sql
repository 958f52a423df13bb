-- What version 8 adds: a store of an older version is brought up to date by making these tables, nothing else.

-- What bots of a match reported that they spent, by their own word; a row for each match at which a bot was offered to report.
CREATE TABLE spent (
    event TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    by_seat TEXT NOT NULL,             -- JSON: by seat, {totals, decisions, whole, dropped, currency}, null if not offered
    sum TEXT NOT NULL,
    PRIMARY KEY (event, ordinal),
    FOREIGN KEY (event, ordinal) REFERENCES matches (event, ordinal)
) STRICT;

-- What bots reported in a void attempt at a match; a row for each at which a bot was offered to report.
CREATE TABLE void_spent (
    event TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    by_seat TEXT NOT NULL,             -- as in spent
    sum TEXT NOT NULL,
    PRIMARY KEY (event, ordinal, attempt),
    FOREIGN KEY (event, ordinal, attempt) REFERENCES voids (event, ordinal, attempt)
) STRICT;

-- The caps on what the bots of an event spend: number 0 chose its seeds, and each other one ended it short. Millionths of currency.
CREATE TABLE caps (
    event TEXT NOT NULL REFERENCES events (id),
    number INTEGER NOT NULL,
    cap INTEGER NOT NULL,
    currency TEXT NOT NULL,
    spent INTEGER NOT NULL,            -- number 0: in tries, which no match records; else in all until then
    at_least INTEGER NOT NULL,         -- 1 if more may have been spent, as by a bot that was killed
    dearest INTEGER NOT NULL,          -- the most that a table is known to cost
    recorded INTEGER NOT NULL,         -- how many matches were
    sum TEXT NOT NULL,
    PRIMARY KEY (event, number)
) STRICT;

-- The whole stderr of bots that report what they spend, a row for each seat and match that was played with --transcripts. Values that
-- a bot was handed are taken out before anything else is done with it.
CREATE TABLE transcripts (
    event TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    seat INTEGER NOT NULL,
    bot INTEGER NOT NULL,              -- its position
    packed BLOB NOT NULL,              -- see transcripts.py; empty if nothing was written, or there was no room
    total INTEGER NOT NULL,            -- bytes of stderr in all
    room INTEGER NOT NULL,             -- bytes that --transcripts gave the event then
    sum TEXT NOT NULL,
    PRIMARY KEY (event, ordinal, seat),
    FOREIGN KEY (event, ordinal, seat) REFERENCES seats (event, ordinal, seat)
) STRICT;
