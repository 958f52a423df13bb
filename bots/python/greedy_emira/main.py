"""Tries each choice on paper and takes the one that leaves it best off, from the view alone."""

from khiva_kit import play
from policy import choose

if __name__ == "__main__":
    play("greedy_emira", choose, version="1")
