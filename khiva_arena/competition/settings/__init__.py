"""Words that a user typed, made into the definition of an event. Begin with
``table.py``.
"""
