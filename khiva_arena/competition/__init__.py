"""One competition, from its settings to sound rows.

A module may import every folder but extensions and interface. Begin with
``competition/run/run.py`` for a whole run, or follow the folders: settings, events,
playing, audit, pages, run; conformance checks a single bot.
"""
