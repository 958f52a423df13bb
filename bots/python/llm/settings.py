"""What the bot is told: by words of its run line, which its identity covers, or else by variables of its environment."""

# No dataclasses and no typing: a bot is started for each match, and most of a start is imports.
from collections.abc import Mapping, Sequence

PREFIX = "KHIVA_LLM_"
NAMES = ("url", "model", "key_in", "temperature", "price_in", "price_out", "currency", "notes")
"""Each is the word ``--key-in`` and the variable KHIVA_LLM_KEY_IN; the word wins."""
NOTES = ("all", "short")
MOST_CURRENCY = 16


class Wrong(Exception):
    """What is missing or wrong, in one line."""


class Settings:
    """What the bot plays with.

    url: of the API, such as https://api.example.com/v1; /chat/completions comes behind it.
    model: its name, as the API knows it.
    key: sent as a bearer token; "" for none.
    temperature: of the sampling; None leaves it to the API.
    prices: of a million tokens in and out, in any currency; None if they are not known.
    prompts: whether each prompt is noted, too.
    currency: of the prices, as the arena shows it; "" for none.
    """

    def __init__(
        self,
        url: str,
        model: str,
        key: str,
        temperature: float | None,
        prices: tuple[float, float] | None,
        prompts: bool,
        currency: str = "",
    ) -> None:
        self.url, self.model, self.key, self.temperature = url, model, key, temperature
        self.prices, self.prompts, self.currency = prices, prompts, currency


def settle(words: Sequence[str], environment: Mapping[str, str]) -> Settings:
    """The settings of these words and variables. Raises Wrong with everything that is wrong."""
    given = {name: environment.get(PREFIX + name.upper(), "").strip() for name in NAMES}
    problems: list[str] = []
    for at in range(0, len(words), 2):
        name = words[at].removeprefix("--").replace("-", "_")
        if not words[at].startswith("--") or name not in NAMES or at + 1 == len(words):
            known = ", ".join(f"--{name.replace('_', '-')}" for name in NAMES)
            raise Wrong(f"{words[at]!r}: known are {known}, each with a value")
        given[name] = words[at + 1]
    problems += [f"{PREFIX}{name.upper()} is missing: {what}" for name, what in MISSING.items() if not given[name]]
    if given["url"] and not _is_url(given["url"]):
        problems.append(f"{PREFIX}URL: http:// or https:// and a host, without user, ? or #, is expected")
    key = environment.get(given["key_in"] or f"{PREFIX}KEY", "").strip()
    if given["key_in"] and not key:
        problems.append(f"{given['key_in']} is missing, which --key-in names")
    if not (key.isascii() and key.isprintable()):
        problems.append("the key has characters that no header can have")
    temperature = _number(given["temperature"] or "0", "TEMPERATURE", problems) if given["temperature"] != "none" else None
    prices = [_number(given[name], name.upper(), problems) for name in ("price_in", "price_out") if given[name]]
    if len(prices) == 1:
        problems.append(f"{PREFIX}PRICE_IN and {PREFIX}PRICE_OUT go together")
    if len(given["currency"]) > MOST_CURRENCY or not given["currency"].isprintable():
        problems.append(f"{PREFIX}CURRENCY: at most {MOST_CURRENCY} printable characters are expected, as EUR")
    if given["notes"] not in ("", *NOTES):
        problems.append(f"{PREFIX}NOTES: {' or '.join(NOTES)}, not {given['notes']!r}")
    if problems:
        raise Wrong("; ".join(problems))
    pair = (prices[0], prices[1]) if prices else None
    return Settings(
        given["url"].rstrip("/"), given["model"], key, temperature, pair, given["notes"] != "short", given["currency"]
    )


MISSING = {
    "url": "the address of an OpenAI-compatible API, such as https://api.example.com/v1",
    "model": "the name of a model of that API",
}


def _is_url(text: str) -> bool:
    from urllib.parse import urlsplit

    try:
        url = urlsplit(text)
        whole = url.scheme in ("http", "https") and bool(url.hostname) and url.port != 0
    except ValueError:
        return False
    return whole and text.isascii() and text.isprintable() and not set("@?# ") & set(text)


def _number(text: str, name: str, problems: list[str]) -> float:
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number < 1e9:
        problems.append(f"{PREFIX}{name}: a number from 0 on is expected, not {text!r}")
    return number
