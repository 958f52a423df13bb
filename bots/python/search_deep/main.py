"""Imagines many worlds and plays each of its choices in them against what the quick searching bot would choose."""

from deep import choose
from khiva_kit import play

if __name__ == "__main__":
    play("search-deep", choose, version="2")
