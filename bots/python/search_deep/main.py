"""Imagines many worlds and looks a turn ahead in each of them: the quick searching bot with more patience."""

from khiva_kit import play
from search import choose as search

WORLDS, PROMISING = 40, 8


def choose(decide: dict, match: dict) -> int:
    return search(decide, match, WORLDS, PROMISING)


if __name__ == "__main__":
    play("search-deep", choose, version="1")
