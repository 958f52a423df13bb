"""The bounds of a module: compiling takes more than linear time, so each count is held
before the module reaches a compiler.
"""

MODULE_BYTES = 32 * 2**20
SECTIONS = 1_000
TYPES = 10_000
PARAMS = 128
RESULTS = 16
"""The most results of a type: few bytes may not make the walk handle many values."""
IMPORTS = 100
FUNCTIONS = 20_000
TABLE = 100_000
"""The most entries of the table, and of all element segments together."""
GLOBALS = 1_000
EXPORTS = 10_000
SEGMENTS = 50_000
BODY_BYTES = 2**20
LOCALS = 5_000
"""The most locals of a function, its parameters counted, and the most groups in which
they are declared.
"""
OPERANDS = 5_000
EFFORT = 1_000_000
"""The most effort of compiling a function: its blocks that pay, in the sense of
METER.md, times 100 more than its locals.
"""
EFFORTS = 50 * EFFORT
"""The most effort of compiling all functions of a module together."""
HEAVY = 10_000
HEAVY_BYTES = 64
"""The most heavy instructions of a module are HEAVY, and one for each HEAVY_BYTES of
its code section. They become so much code of the machine that *cold* could not follow
from the bytes if there were more.
"""
NESTING = 5_000
BR_TABLE = 10_000
"""The most entries of one br_table."""
TARGETS = 500_000
"""The most entries of all br_tables of a module together."""
NAME = 100
"""The most characters of a function's name that are shown."""
