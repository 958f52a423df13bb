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
