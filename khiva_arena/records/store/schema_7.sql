-- What version 7 adds: a store of an older version is brought up to date by making these tables, nothing else.

-- The chain of a league, whose batches are the events. See khiva_arena/extensions/league/chain/links.py.
CREATE TABLE links (
    number INTEGER PRIMARY KEY,        -- place in the chain, from 0
    text TEXT NOT NULL,                -- canonical JSON
    sum TEXT NOT NULL
) STRICT;

-- Tables of a batch that the host spoilt again and again, so that the batch is over without them. They are never rated.
CREATE TABLE set_aside (
    event TEXT NOT NULL REFERENCES events (id),
    seed INTEGER NOT NULL,
    lineup INTEGER NOT NULL,
    sum TEXT NOT NULL,
    PRIMARY KEY (event, seed, lineup)
) STRICT;
