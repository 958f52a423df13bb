"""The term ``publish_bots``: authors are told before they send a bot, bundles keep to
it, and nobody is called a cheat for it.
"""

import json
import re
import shutil
from pathlib import Path

import pytest
from arena import arena
from bundling import lines_of
from module_cup import OwnMachine, of_kind
from public_league import league_folder
from tick_bots import write_bot
from tick_leagues import new_tick_league
from tick_leagues import private_league as private_league
from uploads import MUCH, one_of_its_own
from wording import pattern, sentence

from khiva_arena.bots.modules.released import released
from khiva_arena.common.say import say_nothing
from khiva_arena.competition.events.published_bots import published_bots
from khiva_arena.entrants.bots import load
from khiva_arena.entrants.packing import pack
from khiva_arena.errors import ConfigError, RecordError
from khiva_arena.extensions.checker import in_page
from khiva_arena.extensions.league.chain.follow import begin, follow
from khiva_arena.extensions.league.chain.links import FIRST, Anchor, Founded, LeagueTerms, Renewed
from khiva_arena.extensions.league.folder import SETTINGS
from khiva_arena.extensions.league.player.refusals import HowLong, check_first
from khiva_arena.extensions.league.settings import league_of, publishes_bots_in
from khiva_arena.extensions.league.submissions import examine, trial_table
from khiva_arena.extensions.league.submissions.queue import Queue
from khiva_arena.interface.api.verify import verify
from khiva_arena.interface.commands import bundle as bundle_command
from khiva_arena.records.replay.definition import DefinedBot, identity_with_payload
from khiva_arena.records.store.db import Store

AT = "2026-11-25T00:00:00+00:00"
TICKS = {"game": "khiva", "clock": "ticks"}


def founded(conditions: dict[str, str], **more: object) -> Founded:
    terms = LeagueTerms(conditions, 2, 1, None, authors_apart=True, versions=2, anchor="a", **more)  # type: ignore[arg-type]
    place = {"number": 0, "before": FIRST, "at": AT, "league": "1" * 16, "name": "spring"}
    return Founded(**place, terms=terms, anchors=(Anchor("a", "a" * 64), Anchor("b", "b" * 64)))  # type: ignore[arg-type]


# --- the term ---


@pytest.mark.parametrize("link", [founded(TICKS), founded({"game": "khiva"}, publish_bots=True)])
def test_a_league_in_ticks_has_the_term_and_no_other_league(link: Founded) -> None:
    with pytest.raises(RecordError, match="publish_bots belongs to a league in ticks"):
        begin(link)


def test_the_term_never_changes() -> None:
    chain = begin(founded(TICKS, publish_bots=False))
    renewed = Renewed(
        number=1, before=chain.digest, at=AT, terms=founded(TICKS, publish_bots=True).terms
    )
    with pytest.raises(RecordError, match="publish_bots is another one than in link 0"):
        follow(chain, renewed)


def test_bundles_may_hold_the_anchors_and_no_other_bot() -> None:
    plain = {
        "kind": "league",
        "anchors": [{"identity": "a"}, {"identity": "b"}, {"identity": 1}, "c"],
    }
    assert published_bots([{**plain, "terms": {"publish_bots": False}}]) == {"a", "b"}
    for terms in ({"publish_bots": True}, {}, []):
        assert published_bots([{**plain, "terms": terms}]) is None
    assert published_bots([]) is None


def test_by_the_wall_clock_it_is_refused(tmp_path: Path) -> None:
    said = sentence("league", "no-bots-in-bundles")
    for flag in ("--publish-bots", "--no-publish-bots"):
        assert said in arena("league", "new", "spring", flag, cwd=tmp_path, code=2).stderr
    assert not (tmp_path / "spring").exists()
    arena("league", "new", "spring", cwd=tmp_path)
    path = tmp_path / "spring" / SETTINGS
    path.write_text(path.read_text().replace("#publish_bots = true", "publish_bots = false"))
    with pytest.raises(ConfigError) as refused:
        league_of(tmp_path / "spring", {}, say_nothing, is_new=True)
    assert any(said in problem for problem in refused.value.problems)


def test_a_server_knows_the_term_of_a_league_that_is_not_founded(tmp_path: Path) -> None:
    for publish_bots in (True, False):
        new_tick_league(tmp_path / str(publish_bots), publish_bots=publish_bots)
        assert publishes_bots_in(tmp_path / str(publish_bots)) is publish_bots
    assert not publishes_bots_in(league_folder(tmp_path / "wall"))


# --- an author who was not told ---


@pytest.mark.slow
def test_an_upload_without_agreement_is_refused_where_bots_are_published(
    tmp_path: Path, confined: object
) -> None:
    """The server asks, and settings may change before the first batch."""
    new_tick_league(tmp_path / "spring")
    league = league_of(tmp_path / "spring", {}, say_nothing)
    with Queue(league.folder) as queue:
        number = queue.add_upload(
            queue.add_author("ann").id, "bot", one_of_its_own(), MUCH, agreed=False
        )
        examine.examine_next(league, queue)
        assert (queue.entry(number).state, queue.entry(number).report) == (
            "refused",
            sentence("submissions", "not-agreed"),
        )


@pytest.mark.slow
def test_a_bot_that_was_accepted_by_other_settings_needs_agreement_too(
    tmp_path: Path, confined: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    new_tick_league(tmp_path / "spring", publish_bots=False, fewest_batches=0)
    monkeypatch.setattr(examine, "verdict_of", lambda *_: trial_table.Finding(True, ""))
    bots = {
        name: pack(load(write_bot(tmp_path / name, name.encode()))) for name in ("first", "second")
    }
    with Queue(tmp_path / "spring") as queue:
        ann = queue.add_author("ann").id
        numbers = [
            queue.add_upload(ann, name, packed, MUCH, agreed=False) for name, packed in bots.items()
        ]
        league = league_of(tmp_path / "spring", {}, say_nothing)
        for number in numbers:
            examine.examine_next(league, queue, number)
        assert queue.add_upload(ann, "second", bots["second"], MUCH, agreed=True) == numbers[1], (
            "it was sent again since"
        )
        path = tmp_path / "spring" / SETTINGS
        path.write_text(path.read_text().replace("publish_bots = false", "publish_bots = true"))
        arena("league", "play", "spring", "--batches", "1", cwd=tmp_path)
        assert [queue.entry(number).state for number in numbers] == ["refused", "entered"]
        assert queue.entry(numbers[0]).report == sentence("submissions", "not-agreed")


# --- bundles ---


def test_a_bundle_says_how_many_bots_it_publishes_in_which_languages(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    modules = {
        word: next(digest for digest, one in released().items() if one.word == word)
        for word in ("javascript", "python")
    }
    bots = [
        with_payload(f"{at}" * 64, modules[word])
        for at, word in enumerate(("python", "javascript", "python"))
    ]
    bots += [with_payload("3" * 64, "d" * 64), DefinedBot("plain", "e" * 64)]
    bundle_command._tell_bots(tmp_path / "cup.khiva", bots, None)
    said = capsys.readouterr().err
    languages = "1 bot in JavaScript, 2 bots in Python"
    what = f"the sources of {languages} and the payload of 1 other bot"
    assert sentence("events", "publishes", file=tmp_path / "cup.khiva", what=what) in said
    bundle_command._tell_bots(tmp_path / "cup.khiva", bots, {bots[1].identity, bots[4].identity})
    said = capsys.readouterr().err
    assert sentence("events", "bots-left-out", bots="3 bots are") in said
    assert (
        sentence(
            "events",
            "publishes",
            file=tmp_path / "cup.khiva",
            what="the sources of 1 bot in JavaScript",
        )
        in said
    )
    bundle_command._tell_bots(tmp_path / "cup.khiva", bots[4:], None)
    assert (
        capsys.readouterr().err
        == f"{tmp_path / 'cup.khiva'} holds the modules of 1 bot, which anybody with the file "
        "can run again" + "\n"
    )
    bundle_command._tell_bots(tmp_path / "cup.khiva", bots[4:], {bots[1].identity})
    assert capsys.readouterr().err.count("\n") == 1, "the bot that is left out, and no module"


def with_payload(payload: str, module: str) -> DefinedBot:
    return DefinedBot(
        payload[:4], identity_with_payload(module, payload), module=module, payload=payload
    )


@pytest.fixture
def elsewhere(
    private_league: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, confined: object
) -> Path:
    """A machine that has the league's bundle and none of its bots."""
    monkeypatch.setenv("KHIVA_ARENA_CACHE", str(tmp_path / "cache"))
    return private_league


@pytest.mark.slow
def test_a_bundle_leaves_out_bots_that_are_no_anchors(elsewhere: Path) -> None:
    assert (
        sentence("events", "bots-left-out", bots="2 bots are") in (elsewhere / "said").read_text()
    )
    kinds = [line["kind"] for line in lines_of(elsewhere / "spring.khiva")]
    assert (kinds.count("module"), kinds.count("payload")) == (4, 0)


@pytest.mark.slow
def test_matches_with_them_are_unconfirmed_and_nobody_is_accused(elsewhere: Path) -> None:
    result = verify(elsewhere / "spring.khiva", rerun_bots=True)
    assert (result.sound, result.confirmed) == (True, False)
    (report,) = result.events
    assert report.unconfirmed_matches == report.unpublished == report.to_dict()["unpublished"]
    assert 0 < len(report.unpublished) < report.planned, (
        "of four anchors two meet, whatever is drawn"
    )
    assert report.rerun == report.planned - len(report.unpublished)
    not_published = pattern("events", "not-published", bot="(weights|others) v1")
    assert all(re.search(not_published, line) for line in report.unconfirmed)
    done = arena("verify", "spring.khiva", "--rerun-bots", cwd=elsewhere, code=1)
    assert (
        f"unconfirmed: {len(report.unpublished)} matches have bots that the league does not publish"
        in done.stderr
    )
    assert "if you have these bots, name their folder with --modules: matches" in done.stdout


@pytest.mark.slow
def test_an_organiser_confirms_all_of_it(elsewhere: Path) -> None:
    result = verify(elsewhere / "spring.khiva", rerun_bots=[elsewhere / "spring" / "modules"])
    assert result.sound
    assert result.confirmed


@pytest.mark.slow
def test_a_store_that_lacks_them_is_unconfirmed_likewise(elsewhere: Path, tmp_path: Path) -> None:
    store = Path(shutil.copytree(elsewhere / "spring", tmp_path / "spring"))
    for payload in (store / "modules").glob("*.payload"):
        payload.unlink()
    result = verify(store, rerun_bots=True)
    assert (result.sound, result.confirmed) == (True, False)


@pytest.mark.slow
def test_the_page_cannot_tell(elsewhere: Path) -> None:
    events: list[dict[str, object]] = []
    data = (elsewhere / "spring.khiva").read_bytes()
    in_page.check(data, OwnMachine(), lambda event: events.append(json.loads(json.dumps(event))))
    assert (events[-1]["verdict"], events[-1]["problems"]) == ("cannot tell here", [])
    matches = of_kind(events, "match")
    assert {match["verdict"] for match in matches} == {"equal", "cannot tell here"}
    not_published = pattern("events", "not-published", bot="(weights|others) v1")
    assert all(
        re.search(not_published, match["why"]) for match in matches if match["verdict"] != "equal"
    )


@pytest.mark.slow
def test_a_final_of_such_a_league_is_bundled_without_modules_alone(elsewhere: Path) -> None:
    """Nor does a copy of it, of which nobody knows whose final it is."""
    final = elsewhere / "spring" / "final-1"
    copy = Path(shutil.copytree(final, elsewhere / "copied"))
    for store in (final, copy):
        said = arena(
            "bundle", str(store), "final.khiva", "--with-modules", cwd=elsewhere, code=2
        ).stderr
        assert (
            f"--with-modules: {store} is a final of a league that does not publish its "
            "bots; leave it out" in said
        )
    arena("bundle", str(final), "final.khiva", cwd=elsewhere)


@pytest.mark.slow
def test_batches_without_their_league_are_bundled_without_modules_alone(
    elsewhere: Path, tmp_path: Path
) -> None:
    with Store.read(elsewhere / "spring") as store:
        events = store.events()
        with pytest.raises(
            ConfigError,
            match=(
                r"--with-modules: .* holds batches of a league, and not the league, which says "
                r"whether its bots may be published"
            ),
        ):
            bundle_command._published(unchained(store), events)


def unchained(store: Store) -> Store:
    """A store that holds batches and no chain, as a shard does."""

    class Shard:
        folder = store.folder

        def links(self, *_: int) -> list[object]:
            return []

    return Shard()  # type: ignore[return-value]


@pytest.mark.slow
def test_the_settings_cannot_change_it_later(
    private_league: Path, tmp_path: Path, confined: object
) -> None:
    folder = Path(shutil.copytree(private_league / "spring", tmp_path / "spring"))
    path = folder / SETTINGS
    path.write_text(path.read_text().replace("publish_bots = false", "publish_bots = true"))
    with (
        Store.read(folder) as store,
        pytest.raises(
            ConfigError,
            match="publish_bots: write false again: authors were told so before they sent their "
            "bots",
        ),
    ):
        check_first(league_of(folder, {}, say_nothing), store, HowLong(1, new_terms=True))
