"""Which events of a store make one table, and what stands above it."""

from pathlib import Path
from typing import Any

import pytest
from event_rows import BOTS, LIMITS, event
from msgspec import structs
from synthesised import outcome, planned
from wording import sentence

from khiva_arena.arbiter.live import void
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.competition.events.conditions import entrants_of, in_common, pooled
from khiva_arena.competition.events.pools import results_of, standings_of, titles
from khiva_arena.competition.playing.jobs import Play
from khiva_arena.competition.settings.define import refuse_to_mix
from khiva_arena.errors import ConfigError
from khiva_arena.interface.commands.more_seeds import commands
from khiva_arena.records.store.db import BotRow, Store


@pytest.mark.parametrize(
    "changes",
    [
        {"game": "emira"},
        {"rules": {"max_turns": 100}},
        {"rules_version": "2"},
        {"time": {"bank_ms": 0, "startup_ms": 10000, "turn_ms": 1000}},
        {"policy": "strict"},
        {"isolation": "strict"},
        {"limits": {**LIMITS, "memory": 1 << 29}},
        {"ponder": False},
        {"clock": "ticks", "meter": 1, "isolation": "module", "ponder": False},
    ],
    ids=str,
)
def test_events_make_one_table_if_conditions_are_equal(changes: dict[str, Any]) -> None:
    one, other, two = (
        event(1),
        event(2, **changes),
        event(3, seats=3, seeds=9, format="swiss", rounds=1),
    )
    assert pooled([one, other, two]) == [[one, two], [other]]


def test_an_event_named_twice_counts_once() -> None:
    assert pooled([event(2), event(1), event(2)]) == [[event(2), event(1)]]


def test_a_bot_has_the_name_it_had_first() -> None:
    renamed = structs.replace(
        event(2),
        bots=(BotRow("new", "id-c", "1", True, "new", "/"), structs.replace(BOTS[0], name="other")),
    )
    assert [(bot.id, bot.name) for bot in entrants_of([event(1), renamed])] == [
        ("id-a", "a"),
        ("id-b", "b"),
        ("id-c", "new"),
    ]


def test_ticks_of_two_price_lists_make_two_tables() -> None:
    ticks = {"clock": "ticks", "isolation": "module", "ponder": False}
    one, other = event(1, **ticks, meter=1), event(2, **ticks, meter=2)
    assert pooled([one, other]) == [[one], [other]]
    words = sentence("events", "paid-in-ticks", meter=1)
    assert titles([[one]])[0].endswith(f"isolation module, {words}; event 1")
    assert {key: in_common([one])[key] for key in ("clock", "meter")} == {
        "clock": "ticks",
        "meter": 1,
    }


def test_the_title_says_what_is_common_and_what_is_not_the_default() -> None:
    events = [event(1, ponder=False), event(3, ponder=False, seats=3)]
    assert titles([events]) == [
        (
            "khiva at 2, 3 seats; turn 1000 ms, bank 10000 ms, lenient, isolation trusted, no "
            "pondering; events 1, 3"
        )
    ]
    assert list(in_common(events)) == [
        *(
            "events",
            "seats",
            "game",
            "rules_version",
            "time",
            "policy",
            "isolation",
            "limits",
            "ponder",
        ),
    ]


def bots_with(**fields: Any) -> list[dict[str, Any]]:
    return [{"identity": "id-a", "name": "a", **fields}, {"identity": "id-b", "name": "b"}]


def test_bots_that_may_remember_make_a_table_of_their_own_unless_the_organiser_says_otherwise() -> (
    None
):
    plain, kept, both = (
        event(1),
        event(2, bots=bots_with(kept=True)),
        event(3, bots=bots_with(kept=True), rate_kept=True),
    )
    again = event(4, bots=bots_with(kept=True))
    assert pooled([plain, kept, both, again]) == [[plain, both], [kept, again]]
    said = "trusted; " + sentence("events", "bots-may-remember-apart") + "; event 2"
    assert titles([[kept]]) == [titles([[plain]])[0].replace("trusted; event 1", said)]
    assert "remember" not in titles([[plain, both]])[0]


def test_a_network_is_a_mark_and_no_condition() -> None:
    plain, network, remote = (
        event(1),
        event(2, bots=bots_with(network=True, env=["KEY"])),
        event(3, bots=bots_with(remote=True)),
    )
    assert pooled([plain, network, remote]) == [[plain, network, remote]]
    assert [bot.marks for bot in entrants_of([plain, remote, network])] == [
        ("network", "remote"),
        (),
    ]
    assert [bot.marks for bot in entrants_of([plain])] == [(), ()]


def test_a_run_does_not_put_them_together() -> None:
    mixed = bots_with(kept=True)
    with pytest.raises(
        ConfigError, match=r"^a: a bot whose process serves many matches may remember.*--rate-kept$"
    ):
        refuse_to_mix(event(1, bots=mixed).definition)
    refuse_to_mix(event(1, bots=mixed, rate_kept=True).definition)
    refuse_to_mix(event(1, bots=[{**bot, "kept": True} for bot in mixed]).definition)
    refuse_to_mix(event(1).definition)


def test_what_nobody_has_is_not_in_the_text_of_a_definition() -> None:
    assert all(
        word not in event(1).definition.text for word in ("network", "env", "remote", "kept")
    )
    text = event(1, bots=bots_with(network=True, env=["KEY"])).definition.text
    assert '"env":["KEY"],"identity":"id-a","name":"a","network":true' in text


def test_the_command_for_more_seeds_opens_the_same() -> None:
    (line,) = commands(
        Path("store"), [event(1, bots=bots_with(network=True, env=["KEY", "URL"]))], 3
    )
    assert "--network a --env a=KEY --env a=URL" in line


def test_a_void_that_no_bot_can_have_caused_is_not_in_its_column(tmp_path: Path) -> None:
    """As when the machine could not start the bots, or the process of a game of one's
    own was killed.
    """
    made = planned(bots=2, seeds=3)
    with Store.write(tmp_path) as store:
        store.add_event(
            made.id, made.text, made.engines[0], made.commitment, made.secret, made.bots
        )
        play = Play(store, made, [Command(("none",), "/")] * 2)
        first, second, *others = [job for drawn in play.rounds() for job in play.jobs(drawn)]
        play.record(
            void(first, sentence("api", "no-process-can-started-2"), begun=False), last=False
        )
        play.record(void(second, "a worker was ended by SIGKILL"), last=False)
        for job in (first, second):
            play.record(outcome(structs.replace(job, attempt=2)), last=False)
        for job in others[:-1]:
            play.record(outcome(job), last=False)
        play.record(
            void(others[-1], sentence("api", "no-process-can-started-2"), begun=False), last=False
        )
        last = structs.replace(others[-1], attempt=2)
        play.record(void(last, sentence("api", "no-process-can-started-2"), begun=False), last=True)
        (event,) = store.events()
        results = list(results_of(store, event))
        assert [(one.voids, one.not_begun) for one in results] == [
            (1, 1),
            (1, 0),
            (0, 0),
            (0, 0),
            (0, 0),
            (2, 2),
        ]
        assert [row.voids for row in standings_of([event], results_of(store, event)).rows] == [1, 1]
