"""The extension ``spending``: columns and marks for what bots report of themselves, such as language models: tokens and lots.

A module may import the core, but no other extension. Begin with ``spent_columns.py``.
"""
