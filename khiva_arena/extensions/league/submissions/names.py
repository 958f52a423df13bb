"""The names of authors and bots: which can stand on a page, and which look alike."""

import unicodedata

from khiva_arena.errors import ConfigError

LOOK_ALIKE = str.maketrans({"0": "o", "1": "l", "i": "l", "|": "l", "5": "s", "8": "b", "2": "z"})


def compared(name: str) -> str:
    """Return a name as names are compared, so that two that look alike are equal. It
    has no case, accents, spaces or marks, and letters in place of digits that look like
    them.
    """
    plain = unicodedata.normalize("NFKD", name.casefold())
    return (
        "".join(sign for sign in plain if sign.isalnum())
        .translate(LOOK_ALIKE)
        .replace("rn", "m")
        .replace("vv", "w")
    )


def name_taken(name: str, what: str) -> ConfigError:
    """Return the error for a name that another one has, or that looks like another
    one's.
    """
    return ConfigError(
        f"{name!r}: {what} of this name, or of one that looks like it, is in the league; "
        "take another name",
    )


def check_name(name: str, what: str) -> None:
    """Raise ConfigError for a name that cannot stand on a page: it has letters and
    digits of ASCII, spaces, and ``._-``.
    """
    if not (
        1 <= len(name) <= 40
        and all(sign.isascii() and (sign.isalnum() or sign in " ._-") for sign in name)
    ):
        raise ConfigError(
            f"{name[:60]!r}: the name of {what} has 1 to 40 letters, digits, spaces, dots, "
            "dashes or underscores"
        )
    if not (name[0].isalnum() and name[-1].isalnum()) or name != " ".join(name.split()):
        raise ConfigError(
            f"{name!r}: the name of {what} begins and ends with a letter or digit, and has "
            "one space at a time"
        )
