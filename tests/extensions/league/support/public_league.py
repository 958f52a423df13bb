"""The public folder of a league, written by hand: what a player would have made public,
with names that a stranger chose.
"""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec
from msgspec import structs

from khiva_arena.display.page import html
from khiva_arena.extensions.league.folder import PUBLIC, SETTINGS
from khiva_arena.extensions.league.public_state import (
    BATCH_LOG,
    HISTORY,
    MATCHES,
    NEWEST_BATCHES,
    SEASONS,
    STATE,
    BatchMatches,
    PublicBatch,
    PublicBot,
    PublicFinal,
    PublicLeague,
    PublicMatch,
    PublicTerms,
    RatingThen,
    TableThen,
    season_file,
)
from khiva_arena.extensions.league.settings import league_text

ANN, BEN = "a" * 16, "b" * 16
HOSTILE = "<script>ran=true</script>"
LINK = 40


def league_folder(folder: Path) -> Path:
    """Make the folder of a league, of which only the settings are there."""
    folder.mkdir(exist_ok=True)
    (folder / SETTINGS).write_text(league_text({"bots": []}))
    return folder


def public_bots(extra: str = "") -> tuple[PublicBot, ...]:
    """Return an anchor, three versions of a bot of ann's, a bot of ben's, and one of
    any name.
    """
    rows = [
        ("anchor", "c0" * 32, 1, "", "active", ""),
        ("crow v1", ANN + "f", 1, ANN, "retired", "a newer version took its place"),
        ("crow v2", ANN + "f", 2, ANN, "active", ""),
        ("crow v3", ANN + "f", 3, ANN, "active", ""),
        ("heron v1", BEN + "f", 1, BEN, "suspended", "too slow"),
        *([(extra, BEN + "e", 1, BEN, "active", extra)] if extra else []),
    ]
    return tuple(
        PublicBot(
            identity=f"{at:064x}",
            name=name,
            family=family,
            version=version,
            author=author,
            state=state,
            why=why,
            batches=20 - at,
            tables=60 - at,
            left_out=at % 2,
        )
        for at, (name, family, version, author, state, why) in enumerate(rows)
    )


def public_batches(count: int, *, is_open: bool = True) -> tuple[PublicBatch, ...]:
    """Return batches, of which the last is played if ``is_open``."""
    return tuple(
        _batch(number, over=number < count or not is_open) for number in range(1, count + 1)
    )


def _batch(number: int, over: bool) -> PublicBatch:
    return PublicBatch(
        number=number,
        event=f"{number:016x}",
        event_number=number,
        link=2 * number,
        link_digest=f"{number:064x}",
        drawn_at=f"2026-03-{number % 28 + 1:02}T06:00:00+00:00",
        over_at=f"2026-03-{number % 28 + 1:02}T06:40:00+00:00" if over else "",
        commitment=f"c{number:063x}",
        run_digest=f"d{number:063x}" if over else "",
        bots=5,
        matches=36,
        set_aside=(("crow v2", "heron v1", "anchor"), ("crow v2", "crow v3", "anchor"))
        if number == 3
        else (),
        revealed=over,
    )


def public_final(number: int, *, over: bool = True) -> PublicFinal:
    """Return a final of two bots."""
    at = f"2026-04-{number:02}T06:00:00+00:00"
    return PublicFinal(
        number,
        f"f{number:015x}",
        30 + number,
        f"{number:064x}",
        at,
        f"f{number:063x}",
        ("crow v3", "heron v1"),
        over,
    )


def standings_of(bots: tuple[PublicBot, ...], batches: tuple[PublicBatch, ...]) -> dict[str, Any]:
    """Return a table as ``standings --json`` prints it, as far as pages look at it."""
    rows = [
        {
            "rank": at + 1,
            "rank_interval": [at + 1, min(len(bots), at + 2)],
            "bot": bot.identity,
            "name": bot.name,
            "elo": 120.0 - 40 * at,
            "error": 35.0,
            "low": 85.0 - 40 * at,
            "high": 155.0 - 40 * at,
            "bound": "",
            "matches": 540,
            "faults": {"timeout": at, "illegal": 0},
        }
        for at, bot in enumerate(bots)
    ]
    pair = {"score": 61.0, "low": 52.0, "high": 69.0, "matches": 60, "certain": True}
    matrix = [[None if one is other else pair for other in bots] for one in bots]
    pool = {
        "events": [batch.event for batch in batches],
        "blocks": len(batches),
        "rows": rows,
        "meaning": "a meaning",
        "sections": {"crosstable": matrix},
    }
    return {"standings": [pool]}


WALL = PublicTerms(
    "wall", 10_000, 1_000, 10_000, 512 << 20, "lenient", {}, False, "anchor", "anchor"
)
LANGUAGES = {"javascript": "JavaScript", "python": "Python"}
TICKS = structs.replace(WALL, clock="ticks", languages=LANGUAGES, publish_bots=True)


def write_public(
    folder: Path,
    *,
    extra: str = "",
    batches: int = 12,
    link: int = LINK,
    authors: Mapping[str, str] = MappingProxyType({}),
    terms: PublicTerms = WALL,
) -> PublicLeague:
    """Write what a league has made public, and return it.

    extra: the name of one more bot.
    authors: other ids of authors, by their ids.
    """
    public = folder / PUBLIC
    public.mkdir(mode=0o755, exist_ok=True)
    drawn = public_batches(batches)
    bots = tuple(
        structs.replace(bot, author=authors.get(bot.author, bot.author))
        for bot in public_bots(extra)
    )
    table = standings_of(bots, drawn)
    league = PublicLeague(
        name=extra or "Spring league",
        game="khiva",
        seats=3,
        updated="2026-03-20T06:00:00+00:00",
        link=link,
        digest=f"e{link:063x}",
        bots=bots,
        batches=drawn[-NEWEST_BATCHES:],
        seasons=(("winter", 1), ("spring", 5)),
        table=table,
        table_season="spring",
        table_batch=batches - 1,
        revealed=batches - 1,
        finals=(public_final(1), public_final(2, over=False)),
        terms=terms,
    )
    (public / HISTORY).write_bytes(
        b"".join(msgspec.json.encode(then) + b"\n" for then in _history(bots, batches - 1))
    )
    for batch in range(max(1, batches - 3), batches):
        write_matches(public, bots, batch)
    (public / BATCH_LOG).write_bytes(
        b"".join(msgspec.json.encode(batch) + b"\n" for batch in drawn)
    )
    (public / SEASONS).mkdir(exist_ok=True)
    (public / season_file(1)).write_bytes(msgspec.json.encode(standings_of(bots[:3], drawn[:4])))
    (public / "chain.jsonl").write_bytes(b'{"kind":"league"}\n')
    (public / "batches").mkdir(exist_ok=True)
    style = "body { color: red }"
    page = (
        html.BEGINNING.decode()
        + f'0">\n<meta http-equiv="Content-Security-Policy" content="{html.policy("", style)}">\n'
    )
    (public / "batches" / "3.html").write_text(
        page + f"<style>{style}</style><main>batch three</main>"
    )
    (public / "batches" / "4.html").write_text("<script>ran=true</script>")
    (public / "finals").mkdir(exist_ok=True)
    (public / "finals" / "1.html").write_text(
        page + f"<style>{style}</style><main>final one</main>"
    )
    (public / "state.part").write_bytes(msgspec.json.encode(league))
    (public / "state.part").rename(public / STATE)
    return league


def rating_then(identity: str, elo: float, error: float | None, bound: str = "") -> RatingThen:
    """Return a rating with an interval as wide as its error, on both sides."""
    low, high = (None, None) if error is None else (elo - error, elo + error)
    return RatingThen(identity, elo, error, low, high, bound)


def write_matches(public: Path, bots: tuple[PublicBot, ...], batch: int) -> None:
    """Write the matches of a batch in which every three active bots sat at one table;
    of each, the first one won.
    """
    active = [bot for bot in bots if bot.state == "active"]
    seatings = [(at, (at + 1) % len(active), (at + 2) % len(active)) for at in range(len(active))]
    matches = [
        PublicMatch(f"{batch}/{at}", bots, (1, 2, 3), (40, 30, 20), (0, 0, 1))
        for at, bots in enumerate(seatings)
    ]
    (public / MATCHES).mkdir(exist_ok=True)
    listed = BatchMatches(batch, tuple(bot.identity for bot in active), tuple(matches))
    (public / MATCHES / f"{batch}.json").write_bytes(msgspec.json.encode(listed))


def _history(bots: tuple[PublicBot, ...], batches: int) -> list[TableThen]:
    """Return a table after each batch: the versions of a bot come one after another,
    and intervals grow narrow.
    """
    tables = []
    for number in range(1, batches + 1):
        rated = [bot for bot in bots if bot.version * 3 - 2 <= number]
        ratings = [
            rating_then(
                bot.identity,
                60.0 * bot.version + 8 * (number % 3) - 30 * at,
                round(160 / number**0.5, 1),
            )
            for at, bot in enumerate(rated)
        ]
        tables.append(TableThen(number, tuple(ratings)))
    return tables
