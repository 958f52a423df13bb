"""Elo 0 of a league: the anchor that league.toml names, throughout a season."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from arena import arena
from leagues import enter, league_in
from made_league import MadeLeague, Shape
from msgspec import structs
from wording import pattern

from khiva_arena.common.say import say_nothing
from khiva_arena.errors import ConfigError, RecordError
from khiva_arena.extensions.league.audit import audit_chain
from khiva_arena.extensions.league.chain.follow import begin
from khiva_arena.extensions.league.chain.links import Renewed, Season
from khiva_arena.extensions.league.chain.roster import Chain
from khiva_arena.extensions.league.chain.stored_chain import chain_of, links_of, next_place
from khiva_arena.extensions.league.folder import SETTINGS
from khiva_arena.extensions.league.league_options import LeagueOptions
from khiva_arena.extensions.league.player.newest_table import newest_table
from khiva_arena.extensions.league.player.player import Player
from khiva_arena.extensions.league.settings import league_of
from khiva_arena.records.store.db import Store


@pytest.fixture
def league(tmp_path: Path) -> Iterator[MadeLeague]:
    """One with random at Elo 0, and greedy beside it."""
    with MadeLeague(tmp_path / "spring", Shape(seeds=1)) as made:
        made.enter("heron v1", 1)
        yield made


def name(league: MadeLeague, anchor: str) -> None:
    """Let the terms name another bot at Elo 0."""
    terms = structs.replace(league.chain.terms, anchor=anchor)
    league.add(Renewed(**next_place(league.chain), terms=terms))


def played(league: MadeLeague) -> str:
    """Play a batch, and return who is at Elo 0 in it."""
    return league.batch().definition.anchor


def test_a_season_keeps_its_elo_0(league: MadeLeague) -> None:
    assert played(league) == "random"
    name(league, "greedy")
    assert played(league) == "random"
    league.add(Season(**next_place(league.chain), name="second"))
    assert [played(league), played(league)] == ["greedy", "greedy"]
    assert [season.anchor for season in league.chain.seasons] == ["random", "greedy"]


def test_a_season_that_begins_by_itself_takes_the_newest_terms(league: MadeLeague) -> None:
    terms = structs.replace(league.chain.terms, season_batches=2)
    league.add(Renewed(**next_place(league.chain), terms=terms))
    assert played(league) == "random"
    name(league, "greedy")
    assert [played(league), played(league), played(league)] == ["random", "greedy", "greedy"]


def test_before_the_first_batch_of_a_season_the_newest_terms_count(league: MadeLeague) -> None:
    name(league, "greedy")
    assert played(league) == "greedy"


def test_the_table_of_a_season_counts_from_its_anchor(league: MadeLeague) -> None:
    played(league)
    league.add(Season(**next_place(league.chain), name="second"))
    name(league, "greedy")
    played(league)
    table = newest_table(league.store)
    greedy = next(
        anchor.identity for anchor in league.chain.founded.anchors if anchor.name == "greedy"
    )
    assert table.then.anchor == greedy
    assert {row["name"]: row["elo"] for row in table.table["standings"][0]["rows"]}["greedy"] == 0.0


def test_terms_name_an_anchor(league: MadeLeague) -> None:
    with pytest.raises(RecordError, match=pattern("league", "zero-is-no-anchor", name="heron v1")):
        name(league, "heron v1")
    first = links_of(league.store)[0]
    with pytest.raises(RecordError, match=pattern("league", "zero-is-no-anchor", name="nobody")):
        begin(structs.replace(first, terms=structs.replace(first.terms, anchor="nobody")))


def test_a_batch_that_moves_elo_0_within_a_season_is_named(
    league: MadeLeague, monkeypatch: pytest.MonkeyPatch
) -> None:
    played(league)
    name(league, "greedy")
    with monkeypatch.context() as patch:
        patch.setattr(Chain, "anchor", property(lambda chain: chain.terms.anchor))
        assert played(league) == "greedy"
    problems = audit_chain(links_of(league.store), league.store.events(), {}).problems
    assert any(
        problem.endswith("anchor") and re.search(pattern("league", "other-conditions"), problem)
        for problem in problems
    )
    assert not audit_chain(links_of(league.store)[:4], league.store.events()[:1], {}).problems


# --- settings ---


def test_a_new_league_has_greedy_at_elo_0(tmp_path: Path) -> None:
    arena("league", "new", "spring", cwd=tmp_path)
    made = league_of(tmp_path / "spring", {}, say_nothing, is_new=True)
    assert made.terms.anchor == "greedy"
    path = tmp_path / "spring" / SETTINGS
    path.write_text(path.read_text().replace('anchor = "greedy"', 'anchor = "gredy"'))
    with pytest.raises(ConfigError) as refused:
        league_of(tmp_path / "spring", {}, say_nothing, is_new=True)
    said = r"anchor: no anchor is called 'gredy'.*greedy.*; there are greedy, random"
    assert any(re.search(said, problem) for problem in refused.value.problems)


def test_without_a_word_the_first_anchor_is_at_elo_0(tmp_path: Path) -> None:
    assert league_in(tmp_path / "spring").terms.anchor == "anchor 0"


def test_another_anchor_waits_for_the_next_season(
    tmp_path: Path, played: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    league = league_in(tmp_path / "spring")
    enter(league, "ann", "quick")
    played(league)
    other = league._replace(options=LeagueOptions(retry_minutes=0, anchor="anchor 1"))
    with pytest.raises(ConfigError, match=pattern("league", "settings-changed", changed="anchor")):
        played(other)
    lines: list[str] = []
    begun = Player._take_terms

    def listening(self: Player) -> None:
        monkeypatch.setattr(self._log, "say", lambda text, **_: lines.append(text))
        begun(self)

    monkeypatch.setattr(Player, "_take_terms", listening)
    played(other, new_terms=True)
    assert "Elo 0 is anchor 0 in this season, and anchor 1 from the next one on" in lines
    with Store.read(league.folder) as store:
        chain = chain_of(store)
        anchors = [event.definition.anchor for event in store.events()]
    assert chain is not None
    assert (chain.terms.anchor, anchors) == ("anchor 1", ["anchor 0", "anchor 0"])
