"""The player: batches one after another, tables that stay void, and what a kill at any
instant leaves.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from leagues import ChainAlone, ends_in, enter, league_in, same_secrets
from msgspec import structs
from synthesised import outcome, planned
from wording import pattern

from khiva_arena import __version__
from khiva_arena.common.say import say_nothing
from khiva_arena.competition.events import stored
from khiva_arena.competition.events.pool_tables import tables_of
from khiva_arena.errors import ArenaError, BotError, ConfigError
from khiva_arena.extensions.league.chain import stored_chain
from khiva_arena.extensions.league.chain.links import Over, Renewed
from khiva_arena.extensions.league.chain.roster import Chain
from khiva_arena.extensions.league.chain.stored_chain import chain_of, links_of
from khiva_arena.extensions.league.league_options import LeagueOptions
from khiva_arena.extensions.league.player import player, refusals
from khiva_arena.extensions.league.player.refusals import HowLong
from khiva_arena.extensions.league.settings import League
from khiva_arena.extensions.league.submissions.queue import Queue
from khiva_arena.interface.api.verify import verify
from khiva_arena.records.store.db import Store
from khiva_arena.records.store.inserting import Insertion

Played = Callable[..., None]


def chain_in(folder: Path) -> Chain:
    with Store.read(folder) as store:
        chain = chain_of(store)
    assert chain is not None
    return chain


def test_batches_are_played_and_verified(tmp_path: Path, played: Played) -> None:
    league = league_in(tmp_path)
    enter(league, "ann", "quick")
    enter(league, "bob", "slow")
    played(league, 3)
    chain = chain_in(tmp_path)
    assert (chain.batches, chain.over, chain.open) == (3, 3, None)
    assert {bot.name for bot in chain.active} == {"anchor 0", "anchor 1", "quick v1", "slow v1"}
    result = verify(tmp_path)
    assert result.sound, result.problems
    assert "1-3" in result.chain
    (table,) = tables_of(tmp_path, ())
    assert len(table.events) == 3
    assert {row.name for row in table.standings.rows} == {bot.name for bot in chain.active}


def test_a_new_version_takes_the_place_of_the_oldest_beyond_the_number_that_may_be_active(
    tmp_path: Path, played: Played
) -> None:
    league = league_in(tmp_path, options=LeagueOptions(versions=2))
    for made in ("1", "2", "3"):
        enter(league, "ann", "quick", made)
    enter(league, "bob", "slow")
    played(league)
    states = {bot.name: bot.state for bot in chain_in(tmp_path).bots.values() if bot.author}
    assert states == {
        "quick v1": "retired",
        "quick v2": "active",
        "quick v3": "active",
        "slow v1": "active",
    }


def test_changes_of_the_roster_count_from_the_next_batch_on(tmp_path: Path, played: Played) -> None:
    league = league_in(tmp_path)
    quick, slow = enter(league, "ann", "quick"), enter(league, "bob", "slow")
    played(league)
    with Queue(tmp_path) as queue:
        queue.add_change(quick, "suspended", "it is late")
        queue.add_change(slow, "retired", "")
        queue.add_change("", "season", "two")
    enter(league, "eve", "new")
    played(league)
    with Queue(tmp_path) as queue:
        queue.add_change(quick, "active", "")
        queue.add_change(slow, "active", "")  # retired is for good
    played(league)
    chain = chain_in(tmp_path)
    assert {chain.bots[quick].state, chain.bots[slow].state} == {"active", "retired"}
    assert [(season.name, season.first) for season in chain.seasons] == [
        ("season 1", 1),
        ("two", 2),
    ]
    with Store.read(tmp_path) as store:
        names = [
            {bot.name for bot in event.bots if not bot.name.startswith("anchor")}
            for event in store.events()
        ]
    assert names == [{"quick v1", "slow v1"}, {"new v1"}, {"quick v1", "new v1"}]
    assert verify(tmp_path).sound


def test_too_few_bots_end_the_player_with_what_to_do(tmp_path: Path, played: Played) -> None:
    league = league_in(tmp_path, anchors=2)
    with pytest.raises(
        ConfigError, match=pattern("league", "too-few-families", seats="3", families="2")
    ):
        played(league)
    enter(league, "ann", "quick")
    played(league)
    assert chain_in(tmp_path).batches == 1


@pytest.mark.parametrize("batches", [1, 3])
def test_a_new_league_with_too_few_bots_is_not_founded(tmp_path: Path, batches: int) -> None:
    league = league_in(tmp_path, anchors=2)
    with pytest.raises(
        ConfigError, match=pattern("league", "too-few-families", seats="3", families="2")
    ):
        player.play(league, HowLong(batches), say_nothing)
    assert not Store.check(tmp_path)
    enter(league, "ann", "quick")
    with Queue(tmp_path) as queue:
        refusals.refuse_too_few(league, queue)


# --- tables that stay void ---


def test_a_table_that_stays_void_is_tried_twice_more_and_set_aside_for_good(
    tmp_path: Path, played: Played
) -> None:
    league = league_in(tmp_path)
    enter(league, "ann", "quick")
    enter(league, "bob", "slow")
    tried: list[int] = []

    def fails(ordinal: int, attempt: int) -> bool:
        tried.extend([attempt] * (ordinal == 4))
        return ordinal == 4 and chain_in(tmp_path).batches == 1

    played(league, 2, fails=fails)
    assert tried[:4] == [1, 2, 3, 4]
    with Store.read(tmp_path) as store:
        first, second = store.events()
        (over, _) = [link for link in links_of(store) if isinstance(link, Over)]
        assert first.set_aside == over.set_aside == ((0, 1),)
        assert second.set_aside == ()
        assert 4 not in store.recorded(first.id)
        assert store.reveals(first.id).keys() == {-1, 0}
        assert store.changed(first.id) == []
    result = verify(tmp_path)
    assert result.sound, [*result.problems, *result.events[0].problems]
    assert result.events[0].left_out == 3 - len({3, 5} & set(result.events[0].sound_matches))
    (table,) = tables_of(tmp_path, ())
    assert table.partial == ()
    assert table.standings.set_aside


def test_a_table_that_is_void_for_a_while_is_recorded_later(tmp_path: Path, played: Played) -> None:
    league = league_in(tmp_path)
    enter(league, "ann", "quick")
    played(league, 1, fails=lambda ordinal, attempt: ordinal == 4 and attempt < 4)
    with Store.read(tmp_path) as store:
        (event,) = store.events()
        assert event.set_aside == ()
        assert [void.attempt for void in store.voids(event.id)] == [1, 2, 3]
    assert verify(tmp_path).sound


# --- kills ---


MANY = 10**9
"""More transactions than two batches have."""


class Killed(BaseException):
    """The end of the process in the middle of something."""


@contextmanager
def killed_after(transactions: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """Let the process die before a transaction is written, after so many that were.
    Yield how many are left.
    """
    left = [transactions]
    tally = Insertion.tally
    transaction = Store._transaction

    @contextmanager
    def mortal(self: Store, event: str | None) -> Iterator[Insertion]:
        if not left[0]:
            raise Killed
        left[0] -= 1
        with transaction(self, event) as insert:
            yield insert

    with monkeypatch.context() as patch:
        patch.setattr(Store, "_transaction", mortal)
        try:
            yield left
        except Killed:
            return
    assert Insertion.tally is tally


@pytest.mark.soak
def test_a_kill_before_any_transaction_leaves_the_chain_of_an_undisturbed_league(
    tmp_path: Path, played: Played, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored_chain, "now", lambda: "2026-11-25T00:00:00+00:00")
    monkeypatch.setattr(stored_chain.secrets, "token_hex", lambda size: "ab" * size)

    def killed(transactions: int) -> int:
        """Kill a league after so many transactions, play the rest, and return how many
        it had before.
        """
        folder = tmp_path / str(transactions)
        folder.mkdir()
        same_secrets(monkeypatch)
        league = league_in(folder, options=LeagueOptions(name="spring"), seats=2)
        monkeypatch.setattr(
            "khiva_arena.extensions.league.submissions.queue.secrets.token_hex",
            lambda size: "cd" * size,
        )
        enter(league, "ann", "quick")
        with killed_after(transactions, monkeypatch) as left:
            played(league, 2)
        while (over := len(_overs(folder))) < 2:
            same_secrets_from(folder, monkeypatch)
            played(league, 2 - over)
        chain = chain_in(folder)
        digests.append((chain.links, chain.digest))
        assert verify(folder).sound
        return transactions - left[0]

    digests: list[tuple[int, str]] = []
    enough = killed(MANY)
    for transactions in range(1, enough):
        assert killed(transactions) == transactions
    assert enough > 2 * 6
    assert len(digests) == enough
    assert len(set(digests)) == 1


def _overs(folder: Path) -> list[Over]:
    if not Store.check(folder):
        return []
    with Store.read(folder) as store:
        return ends_in(store)


def same_secrets_from(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the secrets go on where the events of a store end."""
    same_secrets(monkeypatch)
    with Store.read(folder) as store:
        for _ in store.events():
            from khiva_arena.extensions.league.player import player

            player.secrets.token_bytes(32)


# --- settings that change ---


def test_changed_settings_count_only_when_that_is_meant(tmp_path: Path, played: Played) -> None:
    league = league_in(tmp_path)
    enter(league, "ann", "quick")
    played(league)
    other = league_in(tmp_path, turn="2s")
    with pytest.raises(
        ConfigError, match=pattern("league", "settings-changed", changed=r"conditions\.time")
    ):
        played(other)
    played(other, new_terms=True)
    with Store.read(tmp_path) as store:
        (renewed,) = [link for link in links_of(store) if isinstance(link, Renewed)]
    assert renewed.why.endswith("conditions.time")
    assert verify(tmp_path).sound
    assert len(tables_of(tmp_path, ())) == 2  # other conditions, another table


def test_an_anchor_that_has_changed_is_refused(tmp_path: Path, played: Played) -> None:
    league = league_in(tmp_path)
    enter(league, "ann", "quick")
    played(league)
    changed = league._replace(
        anchors=(league.anchors[0], structs.replace(league.anchors[1], identity="0" * 64))
    )
    with pytest.raises(
        ConfigError,
        match=(
            "anchor anchor 1: its files are not those that the league was founded with; restore "
            "them: without its anchors no number of spring can be compared with one of autumn"
        ),
    ):
        played(changed)


class Stopped(Exception):
    """The end of a player in the middle of a batch."""


def stop(_ordinal: int, _attempt: int) -> bool:
    raise Stopped


def other_engine(league: League, monkeypatch: pytest.MonkeyPatch) -> League:
    monkeypatch.setattr(stored, "__version__", "9.9")
    return league


def other_terms(league: League, _: pytest.MonkeyPatch) -> League:
    return league._replace(options=structs.replace(league.options, versions=7))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (other_engine, pattern("events", "begun-khiva-arena", engines=re.escape(__version__))),
        (other_terms, pattern("league", "settings-changed", changed="versions")),
    ],
)
def test_a_player_that_refuses_writes_nothing(
    change: Callable[[League, pytest.MonkeyPatch], League],
    message: str,
    tmp_path: Path,
    played: Played,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    league = league_in(tmp_path)
    enter(league, "ann", "quick")
    if change is other_engine:
        with pytest.raises(Stopped):
            played(league, fails=stop)  # the batch is drawn and not over
    else:
        played(league)
    files = [
        path for path in tmp_path.rglob("*") if path.is_file() and not path.name.endswith("-shm")
    ]
    before = {path: path.read_bytes() for path in files}
    with pytest.raises(ArenaError, match=message):
        played(change(league, monkeypatch))
    assert {
        path: path.read_bytes()
        for path in tmp_path.rglob("*")
        if path.is_file() and not path.name.endswith("-shm")
    } == before


def test_batches_are_public_some_hours_after_their_end(tmp_path: Path, played: Played) -> None:
    league = league_in(tmp_path, options=LeagueOptions(reveal_hours=2))
    enter(league, "ann", "quick")
    played(league, 2)
    chain = chain_in(tmp_path)
    ends = [datetime.fromisoformat(over.at) for over in _overs(tmp_path)]
    assert chain.revealed(ends[1]) == 0
    assert chain.revealed(ends[1].replace(year=2099)) == 2


def test_a_player_that_waits_for_bots_goes_on_publishing(
    tmp_path: Path, played: Played, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page that is made meanwhile is taken, and a batch that becomes public is
    published.
    """
    looks: list[int] = []

    def looked(_public: ChainAlone) -> None:
        looks.append(len(looks))
        if len(looks) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(ChainAlone, "look", looked)
    with pytest.raises(KeyboardInterrupt):
        played(league_in(tmp_path), None)
    assert looks == [0, 1, 2]


def test_a_player_that_only_publishes_plays_nothing(tmp_path: Path, played: Played) -> None:
    league = league_in(tmp_path)
    enter(league, "ann", "quick")
    played(league)
    before = chain_in(tmp_path)
    enter(league, "ann", "other")
    played(league, 0)
    assert chain_in(tmp_path) == before


def test_the_next_reveal_is_that_of_the_oldest_batch_that_is_not_public(
    tmp_path: Path, played: Played
) -> None:
    league = league_in(tmp_path, options=LeagueOptions(reveal_hours=2))
    enter(league, "ann", "quick")
    played(league, 2)
    chain = chain_in(tmp_path)
    ends = [datetime.fromisoformat(over.at) for over in _overs(tmp_path)]
    first, second = (end + timedelta(hours=2) for end in ends)
    assert chain.next_reveal(ends[0]) == first
    assert chain.next_reveal(second) is None
    assert chain.revealed(first) == (1 if first < second else 2)


# --- a bot that uses too much ---


def test_a_bot_that_has_used_up_its_day_forfeits_the_rest_of_the_batch_and_is_suspended(
    tmp_path: Path, played: Played, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each seat of a made-up match uses 0.125 s. An anchor, which uses as much, plays
    on.
    """
    league = league_in(tmp_path, options=LeagueOptions(cpu_minutes=1))
    quick = enter(league, "ann", "quick")
    asked: list[tuple[int, ...]] = []
    monkeypatch.setattr("leagues.outcome", lambda job: asked.append(job.overdue) or outcome(job))
    monkeypatch.setattr("khiva_arena.extensions.league.player.batch_at_play.SECONDS_A_MINUTE", 0.3)
    played(league)
    assert asked[:3] == [(), (), ()]
    assert all(len(overdue) == 1 for overdue in asked[3:])
    assert len(asked) == 6
    chain = chain_in(tmp_path)
    assert chain.bots[quick].state == "suspended"
    assert verify(tmp_path).sound
    monkeypatch.undo()
    with pytest.raises(
        ConfigError, match=pattern("league", "too-few-families", seats="3", families="2")
    ):
        played(league)


def test_a_bot_that_starts_no_more_stops_nobody(
    tmp_path: Path, played: Played, monkeypatch: pytest.MonkeyPatch
) -> None:
    league = league_in(tmp_path)
    quick, slow = enter(league, "ann", "quick"), enter(league, "bob", "slow")
    with killed_after(6, monkeypatch):
        played(league)
    assert chain_in(tmp_path).open is not None
    played(league, broken=["quick v1"])  # in the batch that is open, it forfeits
    chain = chain_in(tmp_path)
    assert (chain.open, chain.bots[quick].state, chain.bots[slow].state) == (
        None,
        "suspended",
        "active",
    )
    with pytest.raises(
        ConfigError, match=pattern("league", "too-few-families", seats="3", families="2")
    ):
        played(league, broken=["slow v1"])  # before a batch is drawn, it is left out
    assert chain_in(tmp_path).bots[slow].state == "suspended"
    assert verify(tmp_path).sound


def test_an_anchor_that_starts_no_more_stops_the_player(tmp_path: Path, played: Played) -> None:
    league = league_in(tmp_path)
    enter(league, "ann", "quick")
    with pytest.raises(BotError, match="anchor 1"):
        played(league, broken=["anchor 1"])


def test_a_store_with_events_of_its_own_is_no_league(tmp_path: Path, played: Played) -> None:
    league = league_in(tmp_path)
    event = planned()
    with Store.write(tmp_path) as store:
        store.add_event(
            event.id, event.text, event.engines[0], event.commitment, event.secret, event.bots
        )
    with pytest.raises(
        ConfigError, match="event 1 is no batch of the league; move it to a store of its own"
    ):
        played(league)


def test_a_minute_in_which_all_is_void_sets_no_table_aside(tmp_path: Path, played: Played) -> None:
    league = league_in(tmp_path)
    enter(league, "ann", "quick")
    played(league, 1, fails=lambda _ordinal, attempt: attempt < 3)
    with Store.read(tmp_path) as store:
        (event,) = store.events()
        assert event.set_aside == ()
        assert {void.attempt for void in store.voids(event.id)} == {1, 2}
    assert verify(tmp_path).sound
