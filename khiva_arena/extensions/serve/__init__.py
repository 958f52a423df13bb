"""Pages that are served to browsers while a run lasts. Begin with
``served_page.py``.
"""
