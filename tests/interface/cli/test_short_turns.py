"""Turns that are shorter than what a machine now and then takes for itself are warned
of; where a first late answer forfeits, a new event with such turns is refused.
"""

from pathlib import Path

import pytest
from arena import arena, bots
from stores import NAIVE, RANDOM
from wording import sentence

from khiva_arena.competition.settings import define

pytestmark = pytest.mark.slow

WORDS = (
    *bots(RANDOM, NAIVE),
    "--isolation",
    "trusted",
    "--seats",
    "2",
    "--seeds",
    "1",
    "--rule",
    "max_turns=1",
)
RUN = ("run", *WORDS, "--out", "out")
REASON = sentence("settings", "machine-itself-takes-some")


def test_short_turns_are_warned_of_with_the_reason(tmp_path: Path) -> None:
    said = arena(*RUN, "--turn", "49ms", cwd=tmp_path).stderr
    assert f"--turn 49ms: {REASON}" in said
    assert REASON not in arena(*RUN, "--turn", "50ms", cwd=tmp_path).stderr


@pytest.mark.parametrize("more", [(), ("--bank", "0s")])
def test_a_new_event_with_short_turns_and_strict_policy_is_refused(
    tmp_path: Path, more: tuple[str, ...]
) -> None:
    said = arena(*RUN, "--turn", "1ms", "--policy", "strict", *more, cwd=tmp_path, code=2).stderr
    assert (
        "--turn 1ms with --policy strict: a bot that answers at once would forfeit whenever the "
        "machine is busy for a moment; take --turn"
    ) in said
    assert not (tmp_path / "out").exists()


def test_one_that_is_there_already_is_played_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As one that 0.2.0 began."""
    words = (*RUN, "--turn", "20ms", "--policy", "strict")
    with monkeypatch.context() as patched:
        patched.setattr(define, "SHORTEST_MS", 0)
        arena(*words, "--commit", cwd=tmp_path)
    said = arena(*words, cwd=tmp_path).stderr
    assert f"--turn 20ms: {REASON}" in said
    arena("verify", "out", cwd=tmp_path)
    assert "nothing is played" in arena(*words, cwd=tmp_path).stderr
    arena(*words, "--new-event", cwd=tmp_path, code=2)
