"""Looks at what each choice brings at once and what it promises at the next markets, from the view alone."""

from khiva_kit import play
from policy import choose

if __name__ == "__main__":
    play("greedy_silk_road", choose, version="1")
