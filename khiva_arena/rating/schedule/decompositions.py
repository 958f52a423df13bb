"""Circular orders of more than 5 positions that hold each ordered pair of neighbours
equally often.

They were found by a search, and are part of every schedule of such a table: never
change them. For 7 to 10 positions each pair occurs once (the arcs of the complete
digraph fall into directed Hamiltonian cycles, as they do for all numbers but 4 and 6:
Tillson 1980); for 6 each occurs twice.
"""

DECOMPOSITIONS: dict[int, tuple[tuple[int, ...], ...]] = {
    6: (
        (0, 1, 5, 2, 4, 3),
        (0, 5, 1, 4, 2, 3),
        (0, 3, 1, 2, 4, 5),
        (0, 4, 1, 5, 3, 2),
        (0, 4, 5, 2, 3, 1),
        (0, 5, 4, 1, 3, 2),
        (0, 2, 5, 1, 3, 4),
        (0, 1, 2, 5, 3, 4),
        (0, 3, 5, 4, 2, 1),
        (0, 2, 1, 4, 3, 5),
    ),
    7: (
        (0, 2, 5, 3, 6, 1, 4),
        (0, 3, 5, 6, 2, 4, 1),
        (0, 5, 1, 2, 3, 4, 6),
        (0, 4, 2, 6, 3, 1, 5),
        (0, 6, 4, 5, 2, 1, 3),
        (0, 1, 6, 5, 4, 3, 2),
    ),
    8: (
        (0, 2, 5, 3, 4, 7, 1, 6),
        (0, 1, 3, 5, 6, 7, 2, 4),
        (0, 5, 7, 3, 6, 4, 1, 2),
        (0, 4, 3, 7, 6, 5, 2, 1),
        (0, 7, 5, 1, 4, 6, 2, 3),
        (0, 3, 2, 6, 1, 7, 4, 5),
        (0, 6, 3, 1, 5, 4, 2, 7),
    ),
    9: (
        (0, 1, 7, 8, 5, 2, 6, 4, 3),
        (0, 8, 1, 3, 5, 6, 7, 2, 4),
        (0, 6, 8, 2, 3, 7, 5, 4, 1),
        (0, 7, 4, 6, 5, 3, 2, 1, 8),
        (0, 5, 8, 6, 3, 4, 7, 1, 2),
        (0, 4, 2, 8, 3, 6, 1, 5, 7),
        (0, 3, 1, 4, 8, 7, 6, 2, 5),
        (0, 2, 7, 3, 8, 4, 5, 1, 6),
    ),
    10: (
        (0, 2, 9, 4, 7, 3, 6, 5, 8, 1),
        (0, 7, 4, 3, 1, 8, 6, 9, 2, 5),
        (0, 9, 7, 5, 4, 1, 3, 2, 6, 8),
        (0, 6, 7, 9, 3, 5, 1, 2, 8, 4),
        (0, 8, 2, 3, 4, 9, 5, 6, 1, 7),
        (0, 1, 9, 6, 2, 4, 5, 7, 8, 3),
        (0, 4, 6, 3, 9, 8, 7, 1, 5, 2),
        (0, 5, 3, 8, 9, 1, 4, 2, 7, 6),
        (0, 3, 7, 2, 1, 6, 4, 8, 5, 9),
    ),
}
"""The orders by number of positions, each written from position 0."""
