"""Pages of results: read from the events of a store or a bundle, and written. Begin
with ``write.py``.
"""
