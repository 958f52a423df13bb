"""``python -m khiva_arena`` is ``khiva-arena``."""

from khiva_arena.cli.start import main

main()
