"""Looks one turn ahead, from the view alone."""

from khiva_kit import play
from policy import choose

if __name__ == "__main__":
    play("greedy", choose, version="1")
