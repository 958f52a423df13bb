"""What people look at: the page in a browser and the screen on a terminal.

A module may import common, rating, bots, records and the games. Begin with
``display/page/html.py`` or ``display/terminal/screen.py``.
"""
