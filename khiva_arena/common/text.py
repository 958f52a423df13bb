"""The text of others, made harmless: every foreign word passes through here before it
reaches a terminal.

Others write the names and messages of bots, the files of stores, bundles and settings,
and paths. On a terminal a control character of theirs could hide, recolour or forge
lines; one that changes the direction of writing could reorder them.
"""

from unicodedata import bidirectional

LONGEST = 500
"""The most characters of a word of a hostile file within a line."""
WIDTH = 100
"""The columns of printed text if the width of the terminal is unknown."""


def harmless(text: str, length_most: int | None = None, keep: str = "") -> str:
    """Return ``text`` with each character that does not show as itself replaced by its
    escape.

    These are control characters, line ends, marks that turn the direction of writing,
    halves of characters, odd spaces.

    most: the most characters of ``text`` that are shown; longer text ends in "...".
    keep: characters that are let through, as "\\n" for text of several lines.
    """
    if length_most is not None and len(text) > length_most:
        text = f"{text[:length_most]}..."
    bare = text
    for letter in keep:
        bare = bare.replace(letter, "")
    if bare.isprintable():  # true of nearly every text, and quickly found out
        return text
    return "".join(
        letter if letter.isprintable() or letter in keep else _escape(letter) for letter in text
    )


ISOLATES = "\u2068\u2069"
"""The marks that ``isolated`` puts around a text."""


def isolated(text: str, length_most: int | None = None, keep: str = "") -> str:
    """Return ``harmless`` text for a page, which reorders nothing around it: text with
    letters that are written from right to left stands between marks that isolate it.
    """
    text = harmless(text, length_most, keep)
    if text.isascii() or not any(bidirectional(letter) in ("R", "AL", "AN") for letter in text):
        return text
    return f"{ISOLATES[0]}{text}{ISOLATES[1]}"


def preformatted(text: str) -> str:
    """Return text of several lines as a notebook shows it: HTML, in which nothing is
    markup.
    """
    import html  # no command needs it

    return f"<pre>{html.escape(text)}</pre>"


def printable(data: bytes | bytearray) -> str:
    """Return the output of a program, made harmless: undecodable bytes and control
    characters become escapes, except tab and newline.
    """
    return harmless(data.decode("utf-8", "backslashreplace"), keep="\t\n")


def file_name(name: str) -> str:
    """Return the name or the path of a file, made harmless. Each byte of it that is no
    UTF-8 becomes an escape: ``\\xff``.
    """
    return harmless(
        "".join(
            f"\\x{ord(sign) - 0xDC00:02x}" if "\udc80" <= sign <= "\udcff" else sign
            for sign in name
        )
    )


def _escape(letter: str) -> str:
    # DEL is the one control character that JSON writes as it is: in this form it is
    # JSON's own escape.
    return (
        "\\u007f" if letter == "\x7f" else letter.encode("unicode_escape", "surrogatepass").decode()
    )


def is_text(word: str) -> bool:
    """Tell whether a word of the command line, the environment or a file is Unicode
    text that a path, a hash or a file can hold.
    """
    return "\0" not in word and not any("\ud800" <= letter <= "\udfff" for letter in word)
