"""The row of the extension ``serve``: a run in browsers, while it lasts."""

from khiva_arena.common.hooks import ExtensionRow, Extra, FilledHook, Flag


def _load() -> tuple[FilledHook, ...]:
    from khiva_arena.extensions.serve.extension import EXTENSION

    return EXTENSION


ROW = ExtensionRow(
    "serve",
    _load,
    flags=(
        Flag(
            "web",
            ("run", "compare", "sprt"),
            "Also show it in a browser of this machine. There is progress, and the page of "
            "results again after each complete "
            "seed. The address is printed and lasts as long as the command.",
        ),
        Flag(
            "web",
            ("watch",),
            "Show it in a browser of this machine, until Ctrl-C. The address is printed.",
        ),
    ),
    guesses={
        "serve": "`khiva-arena run ... --web` shows a run in a browser",
        "run --open": "`--web` shows the run in a browser, `--report FILE` writes a page",
        "run --serve": "`--web` shows the run in a browser",
        "web": "`khiva-arena run ... --web` shows a run in a browser",
    },
    extra=Extra("web", ("hypercorn", "starlette"), "pages are served by Hypercorn and Starlette"),
)
