-- What version 8 adds: a store of an older version is brought up to date by making this table, nothing else.

-- What bots of a match reported that they spent, by their own word; a row for each match at which a bot was offered to report.
CREATE TABLE spent (
    event TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    by_seat TEXT NOT NULL,             -- JSON: by seat, {totals, decisions, whole, dropped, currency}, null if not offered
    sum TEXT NOT NULL,
    PRIMARY KEY (event, ordinal),
    FOREIGN KEY (event, ordinal) REFERENCES matches (event, ordinal)
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
