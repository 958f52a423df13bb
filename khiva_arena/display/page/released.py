"""The page that checks bundles, as the pages of organisers point at it: none of them
says of itself that it is right.
"""

from importlib.resources import files

from khiva_arena import __version__
from khiva_arena.common.version import is_released

HASH = "khiva-arena.sha256"
"""The file with the hash of a release's page, which `make release` writes into the
wheel. A checkout has none.
"""


def _digest() -> str:
    """Return the SHA-256 of the release's page, "" for a checkout."""
    file = files(__package__) / HASH
    return file.read_text("ascii").strip() if file.is_file() else ""


def whose_page(digest: str) -> str:
    """Return in words whether a page with this SHA-256 is that of the release, as far
    as this installation knows.
    """
    if not (known := _digest()):
        return "which you can compare with the one that the release names"
    release = f"the release of Khiva Arena {__version__} has"
    return (
        f"as {release} it; compare it yourself" if known == digest else f"and {release} another one"
    )


def check_it_yourself() -> str:
    """Return in sentences how the reader of a page checks what it shows."""
    has_hash = f" (SHA-256 {known})" if (known := _digest()) else ""
    release = (
        f"the release of Khiva Arena {__version__}{has_hash}"
        if is_released()
        else "a later release of Khiva Arena"
    )
    return (
        f"Check it yourself, in a browser: take khiva-arena.html from {release}, and drop the "
        "bundle into it, which the organiser writes by khiva-arena bundle --with-modules. A copy "
        "of that page that lies beside this one is the organiser's, and may say anything."
    )
