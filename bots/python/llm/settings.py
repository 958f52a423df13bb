"""What the bot is told: by words of its run line, which its identity covers, or else by variables, but for WORDS_ONLY."""

# No dataclasses and no typing: a bot is started for each match, and most of a start is imports.
from collections.abc import Mapping, Sequence

PREFIX = "KHIVA_LLM_"
NAMES = ("url", "model", "key_in", "prompt", "legal", "retries", "temperature", "price_in", "price_out", "currency", "notes")
"""Each is the word ``--key-in`` and the variable KHIVA_LLM_KEY_IN; the word wins."""
WORDS_ONLY = ("prompt", "legal", "retries")
"""These decide how a model plays and are in no variable, so that the bot's identity covers them."""
NOTES = ("all", "short")
LEGAL = {"yes": "legal-1", "no": "free-1"}
"""Whether a model is shown the legal choices, and the usual prompt for it."""
MOST_RETRIES = 5
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
    prompts: whether what the model is asked is noted for each decision, too.
    currency: of the prices, as the arena shows it; "" for none.
    prompt: the name of a file in the folder prompts.
    legal: whether the model is shown the legal choices, and answers with a number.
    retries: how many more times a model is asked whose answer is no choice.
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
        prompt: str = LEGAL["yes"],
        legal: bool = True,
        retries: int = 1,
    ) -> None:
        self.url, self.model, self.key, self.temperature = url, model, key, temperature
        self.prices, self.prompts, self.currency = prices, prompts, currency
        self.prompt, self.legal, self.retries = prompt, legal, retries

    @property
    def usual_prompt(self) -> str:
        """The prompt of the arena for models that are shown the legal choices, or for those that are not."""
        return LEGAL["yes" if self.legal else "no"]


def settle(words: Sequence[str], environment: Mapping[str, str]) -> Settings:
    """The settings of these words and variables. Raises Wrong with everything that is wrong."""
    given = {name: environment.get(PREFIX + name.upper(), "").strip() for name in NAMES}
    unread = [name for name in WORDS_ONLY if given[name]]
    problems = [f"{PREFIX}{name.upper()} is not read: write --{name} into the run line of bot.toml" for name in unread]
    given |= dict.fromkeys(WORDS_ONLY, "")
    left = list(words)
    while left:
        word, equals, value = left.pop(0).partition("=")
        name = word.removeprefix("--").replace("-", "_")
        if not word.startswith("--") or name not in NAMES or not (equals or left):
            known = ", ".join(f"--{name.replace('_', '-')}" for name in NAMES)
            raise Wrong(f"{word!r}: known are {known}, each with a value")
        given[name] = value if equals else left.pop(0)
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
    if given["legal"] not in ("", *LEGAL):
        problems.append(f"--legal: {' or '.join(LEGAL)}, not {given['legal']!r}")
    prompt = given["prompt"] or LEGAL.get(given["legal"], LEGAL["yes"])
    if not _is_prompt(prompt):
        problems.append(f"--prompt: the name of a file in the folder prompts is expected, as legal-1, not {prompt!r}")
    retries = given["retries"] or "1"
    if retries not in map(str, range(MOST_RETRIES + 1)):
        problems.append(f"--retries: a whole number from 0 to {MOST_RETRIES} is expected, not {retries!r}")
    if given["notes"] not in ("", *NOTES):
        problems.append(f"{PREFIX}NOTES: {' or '.join(NOTES)}, not {given['notes']!r}")
    if problems:
        raise Wrong("; ".join(problems))
    pair = (prices[0], prices[1]) if prices else None
    return Settings(
        given["url"].rstrip("/"),
        given["model"],
        key,
        temperature,
        pair,
        given["notes"] != "short",
        given["currency"],
        prompt,
        given["legal"] != "no",
        int(retries),
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


def _is_prompt(name: str) -> bool:
    import os

    file = os.path.join(os.path.dirname(os.path.abspath(__file__)), "prompts", f"{name}.md")
    return not set("/\0") & set(name) and os.path.isfile(file)


def _number(text: str, name: str, problems: list[str]) -> float:
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number < 1e9:
        problems.append(f"{PREFIX}{name}: a number from 0 on is expected, not {text!r}")
    return number
