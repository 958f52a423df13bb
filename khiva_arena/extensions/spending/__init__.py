"""The extension ``spending``: files of language models that play, and columns and marks
for what bots report of themselves.

A module may import the core, but no other extension. Begin with ``spent_columns.py``,
or ``models_file.py`` for models.
"""
