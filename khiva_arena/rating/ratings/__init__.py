"""Elo and its errors, tests, planning, biases. Begin with ``elo.py``."""
