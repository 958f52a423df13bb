"""A person at a seat of the workbench who chooses by a rule, without a browser."""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from native_page import NativePage
from workbench_played import WISH, Event, block, template

from khiva_arena.extensions.checker.workbench.workbench import Workbench

Answer = Callable[[int, int], Any]
"""Returns the choice, or ``LEAVE``, from how many questions came before, and how many
choices there are.
"""
LEAVE = {"type": "leave"}
SEATED = {"do": "sit", "game": "khiva", "seats": 2, "seat": 0, "seed": "x", "opponent": "greedy"}


def sat(
    home: Path,
    answer: Answer,
    *,
    live: bool = True,
    files: Mapping[str, str] | None = None,
    **wish: Any,
) -> list[Event]:
    """All that the workbench tells of a person's match."""
    return asyncio.run(_sat(home, answer, live, SEATED | {"files": files or template()} | wish))


def asked_from(home: Path, seat: int, least: int) -> int:
    """Return the first step, ``least`` or later, at which a seat of the match that
    ``taken_over`` plays is asked.
    """
    play, replay = WISH | {"do": "play", "files": template()}, {"do": "replay", "name": "1/0"}
    told = asyncio.run(_sat(home, lambda *_: LEAVE, True, play, replay))
    asked = next(event for event in told if event["kind"] == "replay")["block"]["asked"][0]
    return next(
        step
        for step, choices in enumerate(asked)
        if step >= least and any(who[0] == seat for who in choices)
    )


def taken_over(
    home: Path,
    answer: Answer,
    step: Any,
    seat: Any,
    *,
    live: bool = True,
    after: Sequence[Event] = (),
) -> list[Event]:
    """All that the workbench tells of a match of two bots, of its replay, and of the
    person who takes a seat of it over.

    after: what is asked of it after that
    """
    play, replay = WISH | {"do": "play", "files": template()}, {"do": "replay", "name": "1/0"}
    taken = replay | {"do": "take_over", "step": step, "seat": seat}
    return asyncio.run(_sat(home, answer, live, play, replay, taken, *after))


async def _sat(home: Path, answer: Answer, live: bool, *requests: Mapping[str, Any]) -> list[Event]:
    told: list[Event] = []
    heard: list[asyncio.Task[None]] = []
    ask: dict[str, Any] = {}
    asked = 0

    def tell(event: Event) -> None:
        nonlocal asked
        told.append(json.loads(json.dumps(event)))
        message = event.get("message", {})
        if message.get("type") == "ask":
            ask.update(message["ask"])
        if message.get("type") in ("ask", "said"):  # the latter if the choice was refused
            choice = answer(asked, len(ask["legal"]))
            choice = (
                choice
                if choice is LEAVE
                else {"type": "choose", "req": ask["req"], "choice": choice}
            )
            asked += 1
            heard.append(asyncio.create_task(bench.work({"do": "hear", "message": choice})))

    bench = Workbench(NativePage(live=live), tell, home, block("opponents"))
    for request in requests:
        await bench.work(request)
    await asyncio.gather(*heard)
    return told
