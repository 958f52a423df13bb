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
            ("run", "sprt"),
            "Also show how it goes in a browser of this machine: progress, and the page of results again after each complete "
            "seed. The address is printed and lasts as long as the command.",
        ),
        Flag("web", ("watch",), "Show it in a browser of this machine instead; the address is printed, until Ctrl-C."),
    ),
    extra=Extra("web", ("hypercorn", "starlette"), "pages are served by Hypercorn and Starlette"),
)
