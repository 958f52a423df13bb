"""Fields: plain values made into numbers and back. An observation is put together from
them.
"""

from array import array
from collections.abc import Callable, Iterator, Mapping, MutableSequence, Sequence
from functools import partial, wraps
from itertools import accumulate, compress, islice
from typing import Any, NamedTuple, ParamSpec

from khiva_arena.games.base import Plain

FieldBounds = tuple[tuple[int, int], ...]
"""The least and the largest value of each number."""
Numbers = Iterator[int]
PutFunction = Callable[[Plain, MutableSequence[Any], int], None]
"""(value, zeros, place): writes the numbers of a value that are not 0 into zeros, from
that place on.
"""
P = ParamSpec("P")


class Field(NamedTuple):
    """One value, or a list or record of values, as numbers.

    bounds: of each of its numbers.
    put: writes the numbers of a value.
    get: takes as many numbers and returns the value made of them.
    """

    bounds: FieldBounds
    put: PutFunction
    get: Callable[[Numbers], Plain]
    recipe: tuple[Callable[..., "Field"], tuple[Any, ...], dict[str, Any]] | None = None
    """The function that made the field, and its arguments. A field is pickled as these,
    since its functions cannot be.
    """

    def __reduce__(self) -> tuple[Any, ...]:
        if self.recipe is None:
            return type(self), tuple(self)
        make, given, named = self.recipe
        return partial(make, **named), given


def known(make: Callable[P, Field]) -> Callable[P, Field]:
    """Wrap a maker of fields so that its fields are pickled as its name and
    arguments.
    """

    @wraps(make)
    def made(*given: P.args, **named: P.kwargs) -> Field:
        return make(*given, **named)._replace(recipe=(made, given, named))

    return made


@known
def always(value: Plain) -> Field:
    """Make a field of no numbers for a value that is known anyway."""
    return Field((), lambda _, into, at: None, lambda _: value)


@known
def number(most: int, least: int = 0) -> Field:
    """Make a field for a number as it is."""
    return Field(((least, most),), _put_number, next)


@known
def switch() -> Field:
    """Make a field for a bool: 1 for yes, 0 for no."""
    return Field(((0, 1),), _put_number, lambda numbers: bool(next(numbers)))


@known
def maybe(field: Field) -> Field:
    """Make a field for a value or null: 1 and the value; zeros for null."""
    size = len(field.bounds)

    def put(value: Plain, into: MutableSequence[Any], at: int) -> None:
        if value is not None:
            into[at] = 1
            field.put(value, into, at + 1)

    def get(numbers: Numbers) -> Plain:
        if next(numbers):
            return field.get(numbers)
        _taken(numbers, size)
        return None

    zero = tuple((min(least, 0), max(most, 0)) for least, most in field.bounds)
    return Field(((0, 1), *zero), put, get)


@known
def one_of(words: Sequence[Plain]) -> Field:
    """Make a field for one of the words: a 1 at its place among the words, zeros
    elsewhere; zeros alone for null.
    """
    place = _places(words)

    def put(value: Plain, into: MutableSequence[Any], at: int) -> None:
        if value is not None:
            into[at + place(value)] = 1

    def get(numbers: Numbers) -> Plain:
        bits = _taken(numbers, len(words))
        return _fresh(words[bits.index(1)]) if any(bits) else None

    return Field(((0, 1),) * len(words), put, get)


@known
def some_of(words: Sequence[Plain], order: Callable[[Plain], object] | None = None) -> Field:
    """Make a field for a list of words: a 1 for each word in it. Lists have the order
    of the words, or that of the key ``order``.
    """
    place = _places(words)

    def put(value: Plain, into: MutableSequence[Any], at: int) -> None:
        for item in value:
            into[at + place(item)] = 1

    def get(numbers: Numbers) -> Plain:
        words_held = [*map(_fresh, compress(words, _taken(numbers, len(words))))]
        return sorted(words_held, key=order) if order else words_held  # type: ignore[arg-type]

    return Field(((0, 1),) * len(words), put, get)


@known
def counts(words: Sequence[Plain], most: int) -> Field:
    """Make a field for a list with repeated words: how often each is in it. Lists have
    the order of the words.
    """
    place = _places(words)

    def put(value: Plain, into: MutableSequence[Any], at: int) -> None:
        for item in value:
            into[at + place(item)] += 1

    return Field(
        ((0, most),) * len(words),
        put,
        lambda numbers: [
            _fresh(word)
            for word, held in zip(words, _taken(numbers, len(words)), strict=True)
            for _ in range(held)
        ],
    )


@known
def ranked(pieces: Sequence[Plain]) -> Field:
    """Make a field for a list of pieces: for each piece its place in the list, from 1;
    0 if it is absent. Of equal pieces the first stands first. A null in the list is the
    place of an unknown piece: only ``deck`` counts these.
    """
    key, keys = _key_of(pieces), [*map(_key, pieces)]
    firsts = {one: keys.index(one) for one in keys}
    following = [keys.index(one, i) if one in keys[i:] else None for i, one in enumerate(keys, 1)]

    def put(value: Plain, into: MutableSequence[Any], at: int) -> None:
        free: dict[object, Any] = firsts.copy() if value else {}
        for place, item in enumerate(value, 1):
            if item is not None:
                one = key(item) if key else item
                i = free[one]
                into[at + i] = place
                free[one] = following[i]

    def get(numbers: Numbers) -> Plain:
        places = _taken(numbers, len(pieces))
        held = compress(range(len(pieces)), places)
        return [_fresh(pieces[i]) for i in sorted(held, key=places.__getitem__)]

    return Field(((0, len(pieces)),) * len(pieces), put, get)


@known
def deck(pieces: Sequence[Plain]) -> Field:
    """Make a field for a deck: the number of its cards, then the known cards as
    ``ranked`` has them, the top being the first.
    """
    known = ranked(pieces)

    def put(value: Plain, into: MutableSequence[Any], at: int) -> None:
        into[at] = len(value)
        known.put(value, into, at + 1)

    def get(numbers: Numbers) -> Plain:
        cards: list[Plain] = [None] * next(numbers)
        for piece, place in zip(pieces, _taken(numbers, len(pieces)), strict=True):
            if place:
                cards[place - 1] = _fresh(piece)
        return cards

    return Field(((0, len(pieces)), *known.bounds), put, get)


@known
def listed(most: int, words: Sequence[Plain]) -> Field:
    """Make a field for a list item by item: 1 for the first word, 2 for the second;
    zeros after the end. A longer list keeps its last ``most`` items.
    """
    place = _places(words, 1)

    def put(value: Plain, into: MutableSequence[Any], at: int) -> None:
        last = value[-most:]
        into[at : at + len(last)] = array("f", map(place, last))

    def get(numbers: Numbers) -> Plain:
        return [_fresh(words[i - 1]) for i in _taken(numbers, most) if i]

    return Field(((0, len(words)),) * most, put, get)


@known
def each(count: int, field: Field) -> Field:
    """Make a field for a list of exactly ``count`` values of one field."""
    return row(*[field] * count)


@known
def up_to(most: int, field: Field) -> Field:
    """Make a field for a list of at most ``most`` values of one field: for each place a
    1 and the value, zeros after the end.
    """
    places = each(most, maybe(field))

    def put(value: Plain, into: MutableSequence[Any], at: int) -> None:
        places.put([*value, *[None] * (most - len(value))], into, at)

    return Field(
        places.bounds,
        put,
        lambda numbers: [item for item in places.get(numbers) if item is not None],
    )


@known
def row(*fields: Field) -> Field:
    """Make a field for a list with a value for each field."""
    count, ends = len(fields), [*accumulate((len(field.bounds) for field in fields), initial=0)]
    puts = [(field.put, start) for field, start in zip(fields, ends, strict=False)]

    def put(value: Plain, into: MutableSequence[Any], at: int) -> None:
        for item, (put_one, start) in zip(value, puts, strict=True):
            put_one(item, into, at + start)

    def put_numbers(value: Plain, into: MutableSequence[Any], at: int) -> None:
        if len(value) != count:
            raise ValueError(f"{len(value)} numbers, not {count}")
        into[at : at + count] = array("f", value)

    bounds = sum((field.bounds for field in fields), ())
    if all(field.put is _put_number and field.get is next for field in fields):
        return Field(bounds, put_numbers, lambda numbers: _taken(numbers, count))
    return Field(bounds, put, lambda numbers: [field.get(numbers) for field in fields])


@known
def record(keys: Mapping[str, Field], optional: Mapping[str, Field] | None = None) -> Field:
    """Make a field for a dict with these keys; each optional one begins with a 1 if it
    is there.
    """
    fields = {**keys, **{key: maybe(field) for key, field in (optional or {}).items()}}
    values = row(*fields.values())

    def put(value: Plain, into: MutableSequence[Any], at: int) -> None:
        values.put([value[key] if key in keys else value.get(key) for key in fields], into, at)

    def get(numbers: Numbers) -> Plain:
        pairs = zip(fields, values.get(numbers), strict=True)
        return {key: value for key, value in pairs if key in keys or value is not None}

    return Field(values.bounds, put, get)


def _taken(numbers: Numbers, count: int) -> list[int]:
    """Return the next ``count`` numbers."""
    return [*islice(numbers, count)]


def _put_number(value: Plain, into: MutableSequence[Any], at: int) -> None:
    into[at] = value


def _places(words: Sequence[Plain], first: int = 0) -> Callable[[Plain], int]:
    """Return the function that finds the place of a word, counted from ``first``."""
    key, place = _key_of(words), {_key(word): i for i, word in enumerate(words, first)}
    return (lambda word: place[key(word)]) if key else place.__getitem__


def _key_of(words: Sequence[Plain]) -> Callable[[Plain], object] | None:
    """Return the quickest function that makes values like these words keys of a dict;
    None for words that are keys themselves.
    """
    depths = {_depth(word) for word in words}
    if depths <= {0}:
        return None
    if depths == {1}:
        return tuple
    if depths == {2}:
        return _key_of_lists
    return _key


def _key_of_lists(word: Plain) -> object:
    return tuple(map(tuple, word))


def _depth(value: Plain) -> int:
    return 1 + max(map(_depth, value), default=0) if isinstance(value, list | tuple) else 0


def _key(value: Plain) -> object:
    """Return a plain value in a form that can be a key of a dict."""
    return tuple(map(_key, value)) if isinstance(value, list | tuple) else value


def _fresh(value: Plain) -> Plain:
    """Copy a plain value, so that its owner may change it."""
    return [_fresh(item) for item in value] if isinstance(value, list | tuple) else value
