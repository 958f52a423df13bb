"""The hub: a process of its own at which players arrive who are no programs of this machine, ``python -m khiva_arena.web.hub``.

The command that needs it starts it (hub_process.py) and says on its stdin what there is to be done; the hub answers on stdout,
and ends at the end of its stdin, so that it never outlives the command. At the table a link (link.py) stands for each player.
"""

import sys

import trio

from khiva_arena.web.links import Seated, listen
from khiva_arena.web.orders import Orders, tell


async def _main() -> None:
    orders = Orders()
    first = await orders.next()
    if first is None:
        return
    players: dict[str, Seated] = {}
    async with trio.open_nursery() as nursery:
        if first["persons"]:
            from khiva_arena.web.persons import Persons  # not above: Starlette comes with it

            persons = Persons(first)
            players |= persons.seats()
            await nursery.start(listen, first["socket"], players)
            addresses = await nursery.start(persons.serve)
            tell({"addresses": addresses})
        while (order := await orders.next()) is not None:
            await persons.order(order)
        nursery.cancel_scope.cancel()


def main() -> int:
    """Serve until the command ends."""
    trio.run(_main)
    return 0


if __name__ == "__main__":
    sys.exit(main())
