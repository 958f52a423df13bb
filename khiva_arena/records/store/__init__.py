"""The SQLite file of events, and bundles of events. Begin with ``db.py``."""
