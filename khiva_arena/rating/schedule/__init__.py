"""Formats: who plays whom, in which seats, in which round. Begin with
``formats.py``.
"""
