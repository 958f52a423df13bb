"""Players who are no local program: people and remote bots. Begin with
``seating.py``.
"""
