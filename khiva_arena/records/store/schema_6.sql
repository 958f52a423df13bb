-- What version 6 adds: a store of an older version is brought up to date by making this table and those of later versions, nothing
-- else.

-- The level of isolation at which the runner of a match in ticks was kept, by the word of the machine that played it.
CREATE TABLE cells (
    event TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    level TEXT NOT NULL,
    sum TEXT NOT NULL,
    PRIMARY KEY (event, ordinal),
    FOREIGN KEY (event, ordinal) REFERENCES matches (event, ordinal)
) STRICT;
