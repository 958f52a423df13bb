"""The options of a league: the settings of its league.toml that other competitions do
not have.
"""

from typing import Annotated, Any

import msgspec

from khiva_arena.extensions.league.pace import Pace, hours_of
from khiva_arena.records.replay.conditions import Digest

BEGINS = "2023-08-23T15:09:27Z"
"""The moment of round 1 of the beacon in examples."""
ANCHORS = ("greedy", "random")
"""The shipped bots in Python that a new league has as anchors."""


def _option(text: str, example: Any = None, **bounds: Any) -> msgspec.Meta:
    """Return what a field of ``LeagueOptions`` has beside its type and its default.

    text: its explanation in a new league's file.
    example: the value that the file shows behind "#" if the default says nothing.
    bounds: of its values.
    """
    return msgspec.Meta(description=text, examples=[example], **bounds)


class LeagueOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The table ``[league]`` of a league's settings: each option is a field, and the
    field has all of it.
    """

    name: Annotated[
        str,
        _option(
            "The name of the league; without it that of the folder.",
            example="Spring league",
            max_length=80,
        ),
    ] = ""
    versions: Annotated[
        int,
        _option(
            "How many versions of one bot may be active; a new version retires the oldest of more.",
            ge=1,
            le=20,
        ),
    ] = 2
    bots_an_author: Annotated[
        int,
        _option(
            "How many bots of one author may be active, each in all of its versions.",
            ge=1,
            le=1_000,
        ),
    ] = 3
    fewest_batches: Annotated[
        int,
        _option(
            "In how many batches, over all seasons, a bot has to have played for a place in the "
            "table and in a final. Until then "
            "it is listed below a line, since its number is luck more than strength.",
            ge=0,
            le=1_000,
        ),
    ] = 5
    final_bots_an_author: Annotated[
        int,
        _option(
            "How many bots of one author a final seats. If it seats several, authors_apart keeps "
            "them from one table where there are enough authors.",
            ge=1,
            le=1_000,
        ),
    ] = 1
    most_tables: Annotated[
        int,
        _option(
            "The most tables of a batch, before a quarter more for newcomers; 0 for as many as "
            "seat every bot. With fewer than that, half of the bots sit in each batch.",
            ge=0,
            le=10_000,
        ),
    ] = 0
    authors_apart: Annotated[
        bool, _option("Whether bots of one author meet only if there is no other way.")
    ] = True
    reveal_hours: Annotated[
        int,
        _option(
            "How many hours after its end a batch is published with its secrets, so that nobody "
            "trains on last night.",
            ge=0,
            le=10_000,
        ),
    ] = 0
    beacon: Annotated[
        str,
        _option(
            "A public source of chance, in words, so that anybody finds its lines. Each batch "
            "then waits for a round that was still to come when its roster was closed, and its "
            "line is mixed into the deals: so nobody chose or knew them. The player gets the line "
            "by `league play --beacon COMMAND`. Without one, deals are the organiser's word.",
            example="drand quicknet, randomness",
            max_length=80,
        ),
    ] = ""
    beacon_begins: Annotated[
        str, _option("The moment of round 1 of the beacon, in UTC.", example=BEGINS)
    ] = ""
    beacon_seconds: Annotated[
        int, _option("The seconds from one round of the beacon to the next.", ge=0, le=10**7)
    ] = 0
    beacon_ahead: Annotated[
        int,
        _option(
            "The least seconds between a link that names a round and that round, in which others "
            "can take note of the link.",
            ge=0,
            le=10**7,
        ),
    ] = 60
    batches_a_day: Annotated[
        int,
        _option("The most batches that begin in a day, by UTC; 0 for no limit.", ge=0, le=100_000),
    ] = 0
    hours: Annotated[
        str,
        _option(
            "The hours of the day, in UTC, in which batches begin. One that has begun ends.",
            example="20:00-06:00",
        ),
    ] = ""
    season_batches: Annotated[
        int,
        _option(
            "After how many batches of a season the next one begins by itself, 0 for never: the "
            "newest table is the season's, so a batch costs as much in autumn as in spring. "
            "`khiva-arena league season` begins one earlier.",
            ge=0,
            le=100_000,
        ),
    ] = 250
    retry_minutes: Annotated[
        int,
        _option(
            "The wait before a table that the machine spoilt is tried again; after two more tries "
            "it is set aside.",
            ge=0,
            le=1_440,
        ),
    ] = 60
    cpu_minutes: Annotated[
        int,
        _option(
            "How many minutes of CPU a bot may use in a day, by UTC; 0 for no limit. One that has "
            "used more forfeits its other matches of the batch, and is suspended.",
            ge=0,
            le=100_000,
        ),
    ] = 0
    uploads_a_day: Annotated[
        int, _option("How many bots an author may submit in a day, by UTC.", ge=1, le=1_000)
    ] = 10
    uploads_waiting: Annotated[
        int, _option("How many bots of an author may wait to be checked.", ge=1, le=100)
    ] = 3
    build_minutes_a_day: Annotated[
        int,
        _option(
            "How many minutes of CPU the builds and checks of an author's bots may use in a day, "
            "by UTC; 0 for no limit. The bots of one who has used more wait until the next day.",
            ge=0,
            le=100_000,
        ),
    ] = 60
    uploads_by_form: Annotated[
        bool,
        _option(
            "Whether the page of an author takes bots, too: the files that khiva-arena.html saves "
            "for a league."
        ),
    ] = False
    interpreters: Annotated[
        dict[str, Digest],
        _option(
            "In ticks, the interpreters that run bots: the word of a bot.toml, and the SHA-256 of "
            "the module. All bots run in "
            "this one, whichever their authors have. A bot of a word that is not here is refused."
        ),
    ] = {}
    anchor: Annotated[
        str,
        _option(
            "The anchor at Elo 0, from which ratings count. Name one that wins some matches and "
            "loses some: next to one that always loses, an Elo is only bounded, as >=893. Another "
            "name counts from the next season on.",
            example="greedy",
            max_length=80,
        ),
    ] = ""
    publish_bots: Annotated[
        bool | None,
        _option(
            "In ticks, whether a bundle of the league may hold its bots, so that anybody can run "
            "them again: the module of each, and all files of one in JavaScript or Python. Each "
            "author is told before a bot is sent. If false, bundles hold the anchors, and no "
            "match of another bot can be confirmed. The first batch settles it for good.",
            example=True,
        ),
    ] = None

    @property
    def pace(self) -> Pace:
        """The pace at which batches begin. Raises ConfigError for hours that cannot be
        read.
        """
        return Pace(self.batches_a_day, hours_of(self.hours))
