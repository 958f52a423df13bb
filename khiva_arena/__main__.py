"""``python -m khiva_arena`` is ``khiva-arena``."""

from khiva_arena.interface.cli.start import main

main()
