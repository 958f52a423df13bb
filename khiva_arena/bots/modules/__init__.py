"""Bots as WebAssembly: paid in ticks, worked out again by anyone. Begin with
``runner/main.py``.
"""
