"""Round trips of remote seats: measured, shown everywhere, and given back if the
settings say so.
"""

import json
import os
import sys
from dataclasses import replace
from pathlib import Path
from subprocess import PIPE

import pytest
from arena import SECONDS, arena
from forked_command import Forked
from msgspec.structs import replace as with_field
from pages import blocks
from relaying import (
    FAULTY,
    HONEST,
    blamed,
    free_port,
    hub,
    match,
    relay,
    relay_command,
    token_in,
    until_here,
    wire_between,
)

from khiva_arena.arbiter.pool import play_one
from khiva_arena.bots.sandbox.command import Command
from khiva_arena.bots.sandbox.level import TRUSTING
from khiva_arena.competition.settings.define import definition_of
from khiva_arena.competition.settings.permissions import with_permissions
from khiva_arena.competition.settings.settings import settings_from
from khiva_arena.entrants import bots_of_an_event
from khiva_arena.games.registry import get

DELAY, TURN = 0.2, 0.35
"""Seconds: of the way in one direction, and of a turn, shorter than both ways."""


@pytest.mark.soak
def test_a_link_that_is_as_long_as_a_turn_costs_the_seat_nothing_if_it_is_given_back(
    script: Path,
) -> None:
    with (
        hub() as (one, port),
        wire_between(port, DELAY) as (between, _),
        relay(script, between, *HONEST),
    ):
        assert until_here(one)["rtt_ms"] >= 2000 * DELAY
        limits = {"turn_ms": int(TURN * 1000), "bank_ms": 0}
        late = match(0, **limits)
        assert blamed(play_one(late))[0] == "timeout"
        back = match(1, **limits)
        back = with_field(
            back,
            header=with_field(back.header, rules=get("khiva").rules({"max_turns": 4})),
            commands=(back.commands[0], replace(back.commands[1], allowance=5.0)),
        )
        outcome = play_one(back)
        assert blamed(outcome) == ("ok", "")
        here, there = outcome.seats
        assert not here.round_trips
        assert there.round_trips.keys() == there.times.keys()
        assert min(there.round_trips.values()) >= 2 * DELAY
        assert max(there.times.values()) < TURN


def test_a_bot_of_this_machine_has_no_link_and_no_allowance() -> None:
    assert with_permissions(Command(("x",), "/"), "x", (), (), link_ms=500) == Command(("x",), "/")


def settled(**more: object) -> str:
    bots = ("remote:ann", "shipped:python/random")
    settings = settings_from({"bots": bots, "seats": 2, **more})
    return definition_of(settings, bots_of_an_event.load_all(settings.bots), TRUSTING).text


def test_an_allowance_stands_in_the_definition_only_if_there_is_one() -> None:
    assert "link" not in settled()
    assert settled(link_allowance="0s") == settled()
    assert json.loads(settled(link_allowance="200ms")) == {**json.loads(settled()), "link_ms": 200}
    settings = settings_from(
        {
            "bots": ("shipped:python/random", "shipped:python/greedy"),
            "seats": 2,
            "link_allowance": "1s",
        }
    )
    assert (
        "link"
        not in definition_of(settings, bots_of_an_event.load_all(settings.bots), TRUSTING).text
    )


def test_an_allowance_that_nobody_could_have_is_refused(tmp_path: Path) -> None:
    seats = [
        "--bot",
        "shipped:python/random",
        "--bot",
        "shipped:python/greedy",
        "--seats",
        "2",
        "--isolation",
        "trusted",
    ]
    for command in (["run", *seats], ["match", *seats[:4]]):
        done = arena(*command, "--link-allowance", "200ms", cwd=tmp_path, code=2)
        assert (
            "--link-allowance has no effect without a bot remote:NAME; leave it out" in done.stderr
        )


@pytest.mark.slow
def test_round_trips_are_in_the_store_the_stream_the_log_and_the_page(tmp_path: Path) -> None:
    port = free_port()
    other = f"{sys.executable} {FAULTY} honest 0"
    with wire_between(port, DELAY / 4) as (between, _), relay_command(tmp_path, between, *HONEST):
        seats = [
            "--bot",
            "remote:ann",
            "--bot",
            other,
            "--seats",
            "2",
            "--seeds",
            "1",
            "--isolation",
            "trusted",
        ]
        files = [
            "--events-file",
            "events",
            "--report",
            "page.html",
            "--out",
            "out",
            "--link-allowance",
            "1s",
        ]
        words = ["run", *seats, *files, "--listen", f"127.0.0.1:{port}"]
        run = Forked(
            words,
            cwd=tmp_path,
            env=os.environ | token_in(tmp_path),
            stdout=PIPE,
            stderr=PIPE,
            text=True,
        )
        out, said_to_user = run.communicate(timeout=SECONDS)
    assert run.returncode == 0, said_to_user
    assert "up to 1000 ms of a remote bot's round trip given back" in " ".join(out.split())
    lines = [json.loads(line) for line in (tmp_path / "events").read_text().splitlines()]
    (figures,) = [line for line in lines if line["type"] == "link"]
    assert figures["relay"] == "ann"
    assert figures["p95_ms"] >= figures["median_ms"] >= 500 * DELAY
    said = (
        f"ann: round trip {figures['median_ms']:.1f} ms, 95 % of them within "
        f"{figures['p95_ms']:.1f} ms"
    )
    assert said in said_to_user.splitlines()
    assert said in [
        json.loads(line)["event"]
        for line in (tmp_path / "out" / "log.jsonl").read_text().splitlines()
    ]
    shown = json.loads(arena("show", "out", "1/0", "--json", cwd=tmp_path).stdout)
    by_bot = {
        seat["bot"]: {len(one) for one in times}
        for seat, times in zip(shown["seats"], shown["times"], strict=True)
    }
    assert by_bot == {0: {3}, 1: {2}}  # the second has no link
    event = blocks(tmp_path / "page.html")["data"]["events"][0]
    assert event["time"]["link_ms"] == 1000
    assert "; round trip " in event["bots"][0]["marks"]["remote"]
    assert not event["bots"][1]["marks"]
    arena("verify", "out", cwd=tmp_path)
