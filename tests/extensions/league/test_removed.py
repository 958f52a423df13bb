"""A copy of the package without leagues: it works, and shows no row of a store, a
bundle or a plan that belongs to a league.
"""

import shutil
import sqlite3
from pathlib import Path

import pytest
from arena import arena, bots
from made_league import MadeLeague, Shape
from once import made_once
from removed import Copy, Ended, copy_without
from synthesised import planned
from synthesised_shards import play_shard

from khiva_arena.common import hooks
from khiva_arena.extensions.shards.plan_file import write_plan
from khiva_arena.extensions.shards.shard import Shard
from khiva_arena.records.store.db import FILE, Store
from khiva_arena.records.store.files import LEAGUE

ABSENT = hooks.absent("league")
OF_COMMANDS = [
    f"khiva_arena.interface.commands.{name}"
    for name in ("standings", "report", "export", "bundle", "verify", "show", "replay")
]
STORES = ("spring", "chain", "shard")
"""The stores of a league: with its settings and chain, with its chain, and with batches
only, as the store of a shard.
"""
BUNDLES = ("spring.khiva", "shard.khiva")


@made_once
def places(folder: Path) -> None:
    """Make the ``STORES`` and ``BUNDLES`` of a league of two batches, the plan of its
    next one, and "out", an ordinary store.
    """
    with MadeLeague(folder / "spring", Shape(seats=2, seeds=1)) as league:
        league.enter("ann", 1)
        for _ in range(2):
            league.batch()
    arena("bundle", "spring", "spring.khiva", cwd=folder)
    for name in STORES[1:]:
        shutil.copytree(folder / "spring", folder / name)
        (folder / name / LEAGUE).unlink()
    database = sqlite3.connect(folder / "shard" / FILE)
    with database:
        database.execute("DELETE FROM links")
    database.close()
    arena("bundle", "shard", "shard.khiva", cwd=folder)
    with Store.read(folder / "shard") as store:
        write_plan(folder / "batch.plan", store.events()[0])
    play_shard(folder / "out", planned(seeds=1), Shard(1, 1))


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    """A copy of the package without the extension ``league``."""
    return copy_without(tmp_path_factory.mktemp("without") / "league", "league")


def refused(ended: Ended) -> bool:
    """Tell whether a command named the extension as the reason of its end, and printed
    no row.
    """
    return (ended.code, ended.out) == (2, "") and ABSENT in ended.err


BOTS = bots("shipped:python/random", "shipped:python/naive")
SIX: list[tuple[str, ...]] = [
    *(
        ("standings", "STORE", *more)
        for more in ((), ("1",), ("--json",), ("--season", "all"), ("--section", "points"))
    ),
    *(("show", "STORE", *more) for more in ((), ("1/0",), ("--json",))),
    *(("report", "STORE", *more, "--out", "page.html") for more in ((), ("1",))),
    *(("export", "STORE", *more, "--format", "csv") for more in ((), ("1",))),
    *(("bundle", "STORE", "new.khiva", *more) for more in ((), ("1",))),
    *(("verify", "STORE", *more) for more in ((), ("1",), ("--json",), ("--since", "1"))),
]
"""Uses of the six commands that show results."""
OTHERS: list[tuple[str, ...]] = [
    ("replay", "STORE", "1/0", "--seat", "0"),
    ("match", "--from", "STORE", "1/0"),
    ("plan", "STORE", "--error", "20"),
    ("close", "STORE", "1", "--yes"),
    ("merge", "STORE", "out", "--out", "both"),
    ("merge", "out", "--out", "STORE"),
    (
        "run",
        "--bot",
        "shipped:python/random",
        "--bot",
        "shipped:python/naive",
        "--seats",
        "2",
        "--isolation",
        "trusted",
        "--out",
        "STORE",
    ),
]
"""Uses of the other commands that open a store."""


@pytest.mark.parametrize("store", STORES)
def test_no_command_shows_a_league_in_a_store(store: str, copy: Copy, places: Path) -> None:
    before = {path.name for path in places.iterdir()}
    lines = [[store if word == "STORE" else word for word in words] for words in SIX + OTHERS]
    assert [one for one in copy.commands(lines, places, OF_COMMANDS) if not refused(one)] == []
    assert {path.name for path in places.iterdir()} == before


@pytest.mark.parametrize("bundle", BUNDLES)
def test_no_command_shows_a_league_in_a_bundle(bundle: str, copy: Copy, places: Path) -> None:
    lines = [
        ("verify", bundle),
        ("verify", bundle, "--json"),
        ("report", bundle, "--out", "page.html"),
    ]
    lines += [("replay", bundle, "1/0", "--bot", "shipped:python/random")]
    assert [one for one in copy.commands(lines, places, OF_COMMANDS) if not refused(one)] == []
    assert not (places / "page.html").exists()


def test_what_asks_for_a_league_is_refused_by_its_name(copy: Copy, places: Path) -> None:
    lines = (
        ("standings", "out", "--season", "all"),
        ("verify", "out", "--seen", "batch.plan"),
        ("verify", "out", "--since", "1"),
        ("verify", "out", "--beacon", "echo"),
        ("run", "--from-plan", "batch.plan", "--out", "new"),
        ("league", "status", "spring"),
        ("submit", "bot"),
    )
    assert [one for one in copy.commands(lines, places) if not refused(one)] == []
    assert not (places / "new").exists()


API = """
from khiva_arena.errors import ConfigError
calls = [khiva_arena.verify, lambda path: list(khiva_arena.matches(path))]
for path in sys.argv[2:]:
    for call in [*calls, khiva_arena.standings] if Path(path).is_dir() else calls:
        try:
            print("shown:", call(path))
        except ConfigError as error:
            print(error)
"""


def test_no_function_gives_rows_of_a_league(copy: Copy, places: Path) -> None:
    said = copy.python(API, *STORES, *BUNDLES, cwd=places).splitlines()
    assert [line for line in said if not line.endswith(ABSENT)] == []
    assert len(said) == 3 * len(STORES) + 2 * len(BUNDLES)


def test_an_ordinary_store_is_shown_as_ever(copy: Copy, places: Path) -> None:
    read = [
        ("standings", "out"),
        ("show", "out"),
        ("show", "out", "1/0"),
        ("export", "out", "--format", "csv"),
        ("verify", "out"),
    ]
    written = [
        ("bundle", "out", "out.khiva"),
        ("verify", "out.khiva"),
        ("report", "out", "--out", "out.html"),
    ]
    ended = copy.commands([*read, *written, ("-h",)], places, OF_COMMANDS)
    assert [one for one in ended if one.code] == []
    assert [one.out for one in ended[: len(read)]] == [
        arena(*words, cwd=places).stdout for words in read
    ]
    assert (
        "league" not in ended[-1].out.partition("\nManual: ")[0]
    )  # whose path has the name of this copy
