"""The files of each extension, which is a part of the package that can be left out. Each other file belongs to the core."""

from fnmatch import fnmatch
from functools import cache

CORE = {
    *("api", "arbiter", "audit", "check", "cli", "commands", "competition", "crules", "entrants", "env", "events", "games"),
    *("hints", "modules", "native", "page", "playing", "protocol", "ratings", "replay", "report", "sandbox", "schedule"),
    *("settings", "store", "terminal"),
}
"""The rooms of the core. A file in one of them is the core's, unless an extension names it."""
HOOKED = "extensions"
"""The room of the list of extensions, and of a folder for each with its row and its hooks."""
EXTENSIONS = {
    "checker": (
        *(
            "extensions/checker/in_page.py",
            "extensions/checker/in_pyodide.py",
            "extensions/checker/page_options.py",
            "extensions/checker/page_command.py",
        ),
        *("extensions/checker/checker.py", "extensions/checker/runtime.toml"),
    ),
    "cluster": ("cluster/*",),
    "league": (
        *("extensions/league/cli/league.py", "extensions/league/cli/submit.py"),
        *(
            "extensions/league/commands/league.py",
            "extensions/league/commands/league_author.py",
            "extensions/league/commands/league_serve.py",
            "extensions/league/commands/submit.py",
        ),
        "league/*",
    ),
    "own_games": ("extensions/own_games/own_game.py", "extensions/own_games/check_game.py", "outside/*"),
    "seats": (
        "extensions/seats/play_options.py",
        "extensions/seats/relay_options.py",
        "extensions/seats/play_command.py",
        "extensions/seats/relay_command.py",
        "extensions/seats/taken_seat.py",
        "seats/*",
    ),
    "serve": ("extensions/serve/live_web.py", "web/*"),
    "shards": (
        "extensions/shards/merge_function.py",
        "extensions/shards/merge_options.py",
        "extensions/shards/merge_command.py",
        "extensions/shards/plans.py",
        "shards/*",
    ),
}
"""The files of each extension, below the package."""


@cache
def extensions_of(path: str) -> tuple[str, ...]:
    """Return the extensions that name a file of the package, () for one of the core.

    path: below the package, as ``interface/api/host.py``

    Raises ValueError for a file in a room that is not the core's and that no extension names.
    """
    names = tuple(name for name, files in EXTENSIONS.items() if any(fnmatch(path, pattern) for pattern in files))
    room, _, rest = path.partition("/")
    if room == HOOKED:
        own = rest.partition("/")[0]
        return (own,) if own in EXTENSIONS else ()
    if not names and rest and room not in CORE:
        raise ValueError(f"{path}: the room {room} is neither the core's nor an extension's: tests/support/extensions.py")
    return names
