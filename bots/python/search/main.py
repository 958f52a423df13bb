"""Imagines a few worlds and looks a turn ahead in each of them."""

from khiva_kit import play
from search import choose as search

WORLDS, PROMISING = 6, 4


def choose(decide: dict, match: dict) -> int:
    return search(decide, match, WORLDS, PROMISING)


if __name__ == "__main__":
    play("search", choose, version="2")
