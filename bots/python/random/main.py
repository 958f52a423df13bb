"""Any legal choice, each equally likely. Plays every game; equal seeds and views give equal choices."""

from khiva_kit import Lottery, play


def choose(decide: dict, match: dict) -> int:
    return Lottery(match["seed"], decide["view"]).below(len(decide["legal"]))


if __name__ == "__main__":
    play("random", choose, version="1")
