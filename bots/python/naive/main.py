"""A player in its first game: it plays its highest card, passes its lowest, boosts all it can, and buys salt when it may.

It never looks at the board, the neighbours or the cards that are gone.
"""

from khiva_kit import play


def choose(decide: dict, match: dict) -> int:
    legal = decide["legal"]
    if decide["kind"] == "play_pass":
        # A hand is sorted by value downwards, and an entry is first the positions played, then the positions passed.
        half = len(legal[0]) // 2
        best = max(legal, key=lambda entry: (-sum(entry[:half]), sum(entry[half:])))
        return legal.index(best)
    return len(legal) - 1


if __name__ == "__main__":
    play("naive", choose, version="1")
