-- What version 4 adds: a store of version 2 or 3 is brought up to date by making this table and those of later versions, nothing
-- else.

-- How long each decision of a match took. Of a match that an older engine recorded this is not known. A decision of a bot on
-- another machine has a third number, the microseconds of the way there and back as they were measured before it was asked.
CREATE TABLE times (
    event TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    by_seat TEXT NOT NULL,             -- JSON: by seat, [[step, microseconds on the arbiter's clock], ...]
    sum TEXT NOT NULL,
    PRIMARY KEY (event, ordinal),
    FOREIGN KEY (event, ordinal) REFERENCES matches (event, ordinal)
) STRICT;
