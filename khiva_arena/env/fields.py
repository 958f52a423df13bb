"""Fields: plain values made into numbers and back. An observation is put together from them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial, wraps
from typing import Any, NamedTuple, ParamSpec

from khiva_arena.games.base import Plain

FieldBounds = tuple[tuple[int, int], ...]
"""The least and the largest value of each number."""
Numbers = Iterator[int]
P = ParamSpec("P")


class Field(NamedTuple):
    """One value, or a list or record of values, as numbers.

    bounds: of each of its numbers.
    put: appends the numbers of a value.
    get: takes as many numbers and returns the value made of them.
    """

    bounds: FieldBounds
    put: Callable[[Plain, list[int]], None]
    get: Callable[[Numbers], Plain]
    recipe: tuple[Callable[..., "Field"], tuple[Any, ...], dict[str, Any]] | None = None
    """The function that made the field, and its arguments. A field is pickled as these, since its functions cannot be."""

    def __reduce__(self) -> tuple[Any, ...]:
        if self.recipe is None:
            return type(self), tuple(self)
        make, given, named = self.recipe
        return partial(make, **named), given


def known(make: Callable[P, Field]) -> Callable[P, Field]:
    """Wrap a maker of fields so that its fields are pickled as its name and arguments."""

    @wraps(make)
    def made(*given: P.args, **named: P.kwargs) -> Field:
        return make(*given, **named)._replace(recipe=(made, given, named))

    return made


@known
def always(value: Plain) -> Field:
    """Make a field of no numbers for a value that is known anyway."""
    return Field((), lambda _, into: None, lambda _: value)


@known
def number(most: int, least: int = 0) -> Field:
    """Make a field for a number as it is."""
    return Field(((least, most),), lambda value, into: into.append(value), next)


@known
def switch() -> Field:
    """Make a field for a bool: 1 for yes, 0 for no."""
    return Field(((0, 1),), lambda value, into: into.append(int(value)), lambda numbers: bool(next(numbers)))


@known
def maybe(field: Field) -> Field:
    """Make a field for a value or null: 1 and the value; zeros for null."""
    size = len(field.bounds)

    def put(value: Plain, into: list[int]) -> None:
        into.append(int(value is not None))
        if value is None:
            into.extend([0] * size)
        else:
            field.put(value, into)

    def get(numbers: Numbers) -> Plain:
        if next(numbers):
            return field.get(numbers)
        for _ in range(size):
            next(numbers)
        return None

    zero = tuple((min(least, 0), max(most, 0)) for least, most in field.bounds)
    return Field(((0, 1), *zero), put, get)


@known
def one_of(words: Sequence[Plain]) -> Field:
    """Make a field for one of the words: a 1 at its place among the words, zeros elsewhere; zeros alone for null."""
    place = {_key(word): i for i, word in enumerate(words)}

    def put(value: Plain, into: list[int]) -> None:
        bits = [0] * len(words)
        if value is not None:
            bits[place[_key(value)]] = 1
        into.extend(bits)

    def get(numbers: Numbers) -> Plain:
        bits = [next(numbers) for _ in words]
        return _fresh(words[bits.index(1)]) if any(bits) else None

    return Field(((0, 1),) * len(words), put, get)


@known
def some_of(words: Sequence[Plain], order: Callable[[Plain], object] | None = None) -> Field:
    """Make a field for a list of words: a 1 for each word in it. Lists have the order of the words, or that of the key
    ``order``."""
    place = {_key(word): i for i, word in enumerate(words)}

    def put(value: Plain, into: list[int]) -> None:
        bits = [0] * len(words)
        for item in value:
            bits[place[_key(item)]] = 1
        into.extend(bits)

    def get(numbers: Numbers) -> Plain:
        words_held = [_fresh(word) for word in words if next(numbers)]
        return sorted(words_held, key=order) if order else words_held  # type: ignore[arg-type]

    return Field(((0, 1),) * len(words), put, get)


@known
def counts(words: Sequence[Plain], most: int) -> Field:
    """Make a field for a list with repeated words: how often each is in it. Lists have the order of the words."""
    place = {_key(word): i for i, word in enumerate(words)}

    def put(value: Plain, into: list[int]) -> None:
        found = [0] * len(words)
        for item in value:
            found[place[_key(item)]] += 1
        into.extend(found)

    return Field(
        ((0, most),) * len(words),
        put,
        lambda numbers: [_fresh(word) for word in words for _ in range(next(numbers))],
    )


@known
def ranked(pieces: Sequence[Plain]) -> Field:
    """Make a field for a list of pieces: for each piece its place in the list, from 1; 0 if it is absent. Of equal pieces the
    first stands first. A null in the list is the place of an unknown piece: only ``deck`` counts these."""
    copies: dict[object, list[int]] = {}
    for i, piece in enumerate(pieces):
        copies.setdefault(_key(piece), []).append(i)

    def put(value: Plain, into: list[int]) -> None:
        places, used = [0] * len(pieces), dict.fromkeys(copies, 0)
        for place, item in enumerate(value, 1):
            if item is not None:
                key = _key(item)
                places[copies[key][used[key]]] = place
                used[key] += 1
        into.extend(places)

    def get(numbers: Numbers) -> Plain:
        places = [next(numbers) for _ in pieces]
        return [_fresh(pieces[i]) for i in sorted(range(len(pieces)), key=places.__getitem__) if places[i]]

    return Field(((0, len(pieces)),) * len(pieces), put, get)


@known
def deck(pieces: Sequence[Plain]) -> Field:
    """Make a field for a deck: the number of its cards, then the known cards as ``ranked`` has them, the top being the first."""
    known = ranked(pieces)

    def put(value: Plain, into: list[int]) -> None:
        into.append(len(value))
        known.put(value, into)

    def get(numbers: Numbers) -> Plain:
        cards: list[Plain] = [None] * next(numbers)
        for piece in pieces:
            if place := next(numbers):
                cards[place - 1] = _fresh(piece)
        return cards

    return Field(((0, len(pieces)), *known.bounds), put, get)


@known
def listed(most: int, words: Sequence[Plain]) -> Field:
    """Make a field for a list item by item: 1 for the first word, 2 for the second; zeros after the end. A longer list keeps its
    last ``most`` items."""
    place = {_key(word): i for i, word in enumerate(words, 1)}

    def put(value: Plain, into: list[int]) -> None:
        last = value[-most:]
        into.extend(place[_key(item)] for item in last)
        into.extend([0] * (most - len(last)))

    def get(numbers: Numbers) -> Plain:
        codes = [next(numbers) for _ in range(most)]
        return [_fresh(words[i - 1]) for i in codes if i]

    return Field(((0, len(words)),) * most, put, get)


@known
def each(count: int, field: Field) -> Field:
    """Make a field for a list of exactly ``count`` values of one field."""

    def put(value: Plain, into: list[int]) -> None:
        for item in value:
            field.put(item, into)

    return Field(field.bounds * count, put, lambda numbers: [field.get(numbers) for _ in range(count)])


@known
def up_to(most: int, field: Field) -> Field:
    """Make a field for a list of at most ``most`` values of one field: for each place a 1 and the value, zeros after the end."""
    places = each(most, maybe(field))

    def put(value: Plain, into: list[int]) -> None:
        places.put([*value, *[None] * (most - len(value))], into)

    return Field(places.bounds, put, lambda numbers: [item for item in places.get(numbers) if item is not None])


@known
def row(*fields: Field) -> Field:
    """Make a field for a list with a value for each field."""

    def put(value: Plain, into: list[int]) -> None:
        for item, field in zip(value, fields, strict=True):
            field.put(item, into)

    return Field(sum((field.bounds for field in fields), ()), put, lambda numbers: [field.get(numbers) for field in fields])


@known
def record(keys: Mapping[str, Field], optional: Mapping[str, Field] | None = None) -> Field:
    """Make a field for a dict with these keys; each optional one begins with a 1 if it is there."""
    extra = {key: maybe(field) for key, field in (optional or {}).items()}

    def put(value: Plain, into: list[int]) -> None:
        for key, field in keys.items():
            field.put(value[key], into)
        for key, field in extra.items():
            field.put(value.get(key), into)

    def get(numbers: Numbers) -> Plain:
        values = {key: field.get(numbers) for key, field in keys.items()}
        extras = {key: field.get(numbers) for key, field in extra.items()}
        return {**values, **{key: value for key, value in extras.items() if value is not None}}

    return Field(sum((field.bounds for field in (*keys.values(), *extra.values())), ()), put, get)


def _key(value: Plain) -> object:
    """Return a plain value in a form that can be a key of a dict."""
    return tuple(map(_key, value)) if isinstance(value, list | tuple) else value


def _fresh(value: Plain) -> Plain:
    """Copy a plain value, so that its owner may change it."""
    return [_fresh(item) for item in value] if isinstance(value, list | tuple) else value
