"""What users call: the command line and ``import khiva_arena``.

A module may import every folder of the core. Begin with ``interface/cli/main.py`` for a
command and ``interface/api`` for a function.
"""
