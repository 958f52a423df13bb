"""Bots that are written and played in a page. ``in_pyodide`` is its door, and ``typed``
makes the line that all begins with.
"""
