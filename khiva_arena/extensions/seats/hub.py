"""The hub: a process of its own, ``python -m khiva_arena.extensions.seats.hub``, for
players who are no programs of this machine.

The command that needs the hub starts it (hub_process.py) and sends orders on its stdin.
The hub answers on stdout, and ends at the end of its stdin, so that it never outlives
the command. At the table a link (link.py) stands for each player.
"""

import gc
import os
import sys
from contextlib import suppress
from typing import Any

import trio

from khiva_arena.arbiter import handed_over
from khiva_arena.extensions.seats.hub_messages import Orders, tell
from khiva_arena.extensions.seats.links import listen


async def _main() -> None:
    orders = Orders()
    first = await orders.next()
    if first is None:
        return
    async with trio.open_nursery() as nursery:
        await _serve(first, orders, nursery)
        nursery.cancel_scope.cancel()
    with suppress(OSError):  # the command removes the folder, too, unless it was killed
        os.unlink(first["socket"])
        os.rmdir(os.path.dirname(first["socket"]))


async def _serve(first: dict[str, Any], orders: Orders, nursery: trio.Nursery) -> None:
    """Serve the persons and relays that the first order names, until the orders end."""
    persons, relays = _persons(first), _relays(first)
    seats = {**(persons.seats() if persons else {}), **(relays.seats() if relays else {})}
    await nursery.start(listen, first["socket"], seats)
    if persons and not await _begin(nursery, persons.serve, "addresses"):
        return
    if relays and not await _begin(nursery, relays.serve, "port"):
        return
    while (order := await orders.next()) is not None:
        if relays and ("over" in order or "figures" in order):
            await relays.order(order)
        elif persons:
            await persons.order(order)
    if relays:
        await relays.bye(over=False)


async def _begin(nursery: trio.Nursery, serve: Any, key: str) -> bool:
    """Start to serve, and tell the command where. Returns whether that is possible."""
    cannot: BaseException | None = None
    try:
        tell({key: await nursery.start(serve)})
    except* OSError as errors:
        cannot = errors
        while isinstance(cannot, BaseExceptionGroup):
            cannot = cannot.exceptions[0]
    if cannot:
        tell({"cannot": getattr(cannot, "strerror", None) or str(cannot)})
    return cannot is None


def _persons(first: dict[str, Any]) -> Any:
    if "persons" not in first:
        return None
    if first["mcp"]:
        # not above: the package mcp comes with it
        from khiva_arena.extensions.seats.mcp_server import Agent

        return Agent(first)
    if first["terminal"]:
        # not above: rich comes with it
        from khiva_arena.extensions.seats.terminal_seat import TerminalPersons

        return TerminalPersons(first)
    from khiva_arena.extensions.seats.persons import Persons  # not above: Starlette comes with it

    return Persons(first)


def _relays(first: dict[str, Any]) -> Any:
    if "relays" not in first:
        return None
    from khiva_arena.extensions.seats.relays import Relays

    return Relays(first)


def main() -> int:
    """Serve until the command ends."""
    handed_over.take()
    trio.run(_main)
    # or Python would look through all modules for garbage while it ends, and the
    # command waits
    gc.freeze()
    return 0


if __name__ == "__main__":
    sys.exit(main())
