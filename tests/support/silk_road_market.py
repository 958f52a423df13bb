"""Positions of Silk Road at a market."""

I, S, P, K, T = range(5)  # noqa: E741


def market(table, displays, drivers=(1, 2, 3, 4), camels=(8,), **rules):
    """Caravan 1, 2 or 3 reaches its target by seat 0's tea."""
    size = len(camels)
    t = table(**rules)
    t.state.places = [t.board.index["r1"]] * 3
    t.caravan(size, "in_Byz", "Byzanz", list(camels))
    others = [camel for camel in range(1, 11) if camel not in camels]
    for other, target in zip(
        (n for n in (1, 2, 3) if n != size), ("Samarkand", "Isfahan"), strict=True
    ):
        t.caravan(
            other, ("r2", "r5")[target == "Isfahan"], target, [others.pop(0) for _ in range(other)]
        )
    t.queue(*others).jewels(Byzanz="BYG"[:size], Samarkand="R", Isfahan="V").drivers(*drivers).deal(
        displays=displays
    ).start(0)
    return t.step(T, I, size=size, place="Byzanz")
