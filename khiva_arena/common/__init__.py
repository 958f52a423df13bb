"""Helpers that every other folder may use: results, texts, the events of a run, the
files that are shipped.

They import nothing of the arena but errors, rng and words. Begin with ``result``: who
is to blame, and how a match ended.
"""
