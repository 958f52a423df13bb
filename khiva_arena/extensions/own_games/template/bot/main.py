"""A bot that bids the card nearest to the prize."""

from khiva_kit import play


def choose(decide: dict, match: dict) -> int:
    prize = decide["view"]["prize"]
    distances = [abs(card - prize) for _, card in decide["legal"]]
    return distances.index(min(distances))


if __name__ == "__main__":
    play("nearest", choose, version="1")
