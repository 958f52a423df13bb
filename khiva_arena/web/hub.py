"""The hub: a process of its own at which players arrive who are no programs of this machine, ``python -m khiva_arena.web.hub``.

The command that needs it starts it (hub_process.py) and says on its stdin what there is to be done; the hub answers on stdout,
and ends at the end of its stdin, so that it never outlives the command. At the table a link (link.py) stands for each player.
"""

import sys
from typing import Any

import trio

from khiva_arena.outside import handed
from khiva_arena.web.links import listen
from khiva_arena.web.orders import Orders, tell


async def _main() -> None:
    orders = Orders()
    first = await orders.next()
    if first is None:
        return
    async with trio.open_nursery() as nursery:
        if "relays" in first:
            await _with_relays(first, orders, nursery)
        else:
            await _with_persons(first, orders, nursery)
        nursery.cancel_scope.cancel()


async def _with_persons(first: dict[str, Any], orders: Orders, nursery: trio.Nursery) -> None:
    persons: Any
    if first["terminal"]:
        from khiva_arena.web.terminal_seat import TerminalPersons  # not above: rich comes with it

        persons = TerminalPersons(first)
    else:
        from khiva_arena.web.persons import Persons  # not above: Starlette comes with it

        persons = Persons(first)
    await nursery.start(listen, first["socket"], persons.seats())
    try:
        tell({"addresses": await nursery.start(persons.serve)})
    except* OSError as errors:
        first_error = errors.exceptions[0]
        tell({"cannot": getattr(first_error, "strerror", None) or str(first_error)})
    while (order := await orders.next()) is not None:
        await persons.order(order)


async def _with_relays(first: dict[str, Any], orders: Orders, nursery: trio.Nursery) -> None:
    from khiva_arena.web.relays import Relays

    relays = Relays(first)
    await nursery.start(listen, first["socket"], relays.seats())
    try:
        tell({"port": await nursery.start(relays.serve)})
    except OSError as error:
        tell({"cannot": error.strerror or str(error)})
        return
    while (order := await orders.next()) is not None:
        await relays.order(order)
    await relays.bye(over=False)


def main() -> int:
    """Serve until the command ends."""
    handed.take()
    trio.run(_main)
    return 0


if __name__ == "__main__":
    sys.exit(main())
