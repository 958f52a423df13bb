"""A seat that a model plays: it is asked, asked again if that helps, and where it gives no answer in time, lots are drawn."""

import time
from hashlib import sha256
from urllib.parse import urlsplit

from answers import choice
from endpoint import Failed, Reply, ask, without
from khiva_kit import Lottery, note
from prompt import Prompt
from settings import Settings

BANK_SHARE = 4
"""A decision may use a turn and one part in so many of what is left in the bank."""
MARGIN, MARGIN_SHARE = 0.15, 0.05
"""Seconds, or part of the time, that are kept for the answer to get to the arbiter."""
MOST_SECONDS = 600.0
"""However long a turn is: an endpoint that hangs must not keep people waiting for a day."""
LEAST_SECONDS = 0.1
"""A request that has less is not sent."""
MOST_TRIES = 6
FIRST_PAUSE = 0.5
MOST_NOTED = 2_000
"""Characters of an answer."""


class Tally:
    """What was asked and what it cost.

    decisions, lots, tries: how many; lots are the choices that no model made.
    untold: tries of which the API did not say what they cost, those that failed among them.
    into, cached, out: tokens.
    failed: 1 if the last try failed or had no answer in time, so that the model gave none.
    """

    def __init__(self) -> None:
        self.decisions = self.lots = self.tries = self.untold = self.into = self.cached = self.out = self.failed = 0

    def add(self, other: "Tally") -> None:
        """Count these, too."""
        for name, number in vars(other).items():
            setattr(self, name, getattr(self, name) + number)

    def count(self, reply: Reply) -> None:
        """Count the tokens of a reply."""
        if reply.tokens is not None:
            self.untold -= 1
            self.into += reply.tokens[0]
            self.cached += reply.cached
            self.out += reply.tokens[1]

    def text(self, prices: tuple[float, float] | None) -> str:
        """In words; the cost is what the tokens that are known would cost if none were cached."""
        cost = f"{(self.into * prices[0] + self.out * prices[1]) / 1e6:.6f}" if prices else "n/a"
        untold = f" ({self.untold} not told)" if self.untold else ""
        least = ">=" if self.untold and prices else ""
        return f"tries {self.tries}, tokens in {self.into} (cached {self.cached}), out {self.out}{untold}, cost {least}{cost}"


class Player:
    """One match of one model."""

    def __init__(self, settings: Settings, match: dict, spent: dict) -> None:
        """Begin. ``spent``: the totals that the arena is told, which each decision adds to."""
        self._settings, self._match, self._spent = settings, match, spent
        self._prompt = Prompt(settings.prompt, settings.usual_prompt)
        self._system = self._prompt.system(match)
        self._sum = Tally()
        host, heat = urlsplit(settings.url).netloc, "left out" if settings.temperature is None else f"{settings.temperature:g}"
        digest = sha256(self._system.encode()).hexdigest()[:16]
        text = f"system text {len(self._system)} characters, sha256 {digest}"
        name = f"prompt {settings.prompt}, sha256 {sha256(self._prompt.text.encode()).hexdigest()[:16]}"
        self._note(f"llm: model {settings.model} at {host}, temperature {heat}; {name}; {text}")
        self._note(f"prompt: {self._prompt.text}".replace("\n", "\n  "))  # one of the user's own stands nowhere else

    def choose(self, decide: dict, began: float) -> int:
        """The model's choice, or one by lot. ``began``: when it was asked for, by the monotonic clock."""
        count, this = len(decide["legal"]), Tally()
        this.decisions = 1
        asked = self._prompt.question(decide, self._match)
        said: list[str] = []
        found, problem = self._ask(asked, decide, began + _seconds(decide), this, said)
        by = "retry" if len(said) > 1 else "model"  # a try that failed is no answer
        if found is None:
            this.lots, by = 1, "failed" if this.failed or not this.tries else "lot"
            found = Lottery(self._match["seed"], decide["view"]).below(count)
        self._sum.add(this)
        how = f"by lot: {problem}" if this.lots else "by the model"
        ms = int((time.monotonic() - began) * 1000)
        self._tell(by, ms)
        lines = [f"llm: {decide['kind']}: {found} of 0-{count - 1} {how}; {ms} ms, {this.text(self._settings.prices)}"]
        lines += [f"said: {text}" for text in said]
        lines += [f"asked: {asked}"] if self._settings.prompts else []
        self._note("\n".join(line.replace("\n", "\n  ") for line in lines))  # what a model says begins no line of ours
        return found

    def _tell(self, by: str, ms: int) -> None:
        """Add a decision to the totals of the arena. ``by``: which of the four counts it is one of."""
        spent, prices = self._spent, self._settings.prices
        spent[by] += 1
        spent["waited_ms"] += ms
        if self._sum.untold:
            spent.pop("tokens_in", None)
        spent["tokens_in_told" if self._sum.untold else "tokens_in"] = self._sum.into
        spent["tokens_out"] = self._sum.out
        if prices:  # of a million tokens, so tokens times prices are millionths
            spent["cost"] = round(self._sum.into * prices[0] + self._sum.out * prices[1])

    def total(self) -> str:
        """What the match has cost, in a line."""
        decisions = f"{self._sum.decisions} decisions, {self._sum.lots} by lot"
        return f"llm: in all {decisions}; {self._sum.text(self._settings.prices)}"

    def _ask(self, asked: str, decide: dict, ends: float, this: Tally, said: list[str]) -> tuple[int | None, str]:
        """The model's choice, or None and why there is none. What it said goes into ``said``."""
        messages = [{"role": "system", "content": self._system}, {"role": "user", "content": asked}]
        problem, pause, wrong = "no time to ask", FIRST_PAUSE, 0
        while this.tries < MOST_TRIES and (left := ends - time.monotonic()) >= LEAST_SECONDS:
            this.tries += 1
            this.untold += 1
            try:
                reply = ask(self._settings, messages, left)
            except Failed as failed:
                problem, this.failed = str(failed), 1
                wait = pause if failed.wait is None else max(failed.wait, pause / 2)
                if not failed.again or not time.monotonic() + wait + LEAST_SECONDS <= ends:
                    break
                time.sleep(wait)
                pause *= 2
                continue
            this.count(reply)
            this.failed = 0
            text = without(self._settings.key, reply.text)  # before what was wrong repeats a part of it
            said.append((text or reply.refusal)[:MOST_NOTED])
            found, problem = choice(text, reply.refusal, decide["legal"], self._settings.legal)
            if found is not None or wrong >= self._settings.retries:
                return found, problem
            wrong += 1
            messages.append({"role": "assistant", "content": reply.text[:MOST_NOTED] or "(nothing)"})
            messages.append({"role": "user", "content": self._prompt.again(problem, decide)})
        return None, problem

    def _note(self, text: str) -> None:
        """Notes are kept and shown: an API that repeats the key in its answer does not bring it there."""
        note(without(self._settings.key, text))


def _seconds(decide: dict) -> float:
    """How long a model may take for a decision."""
    limit = min((decide["turn_ms"] + decide["bank_ms"] / BANK_SHARE) / 1000, MOST_SECONDS)
    return limit - max(MARGIN, limit * MARGIN_SHARE)
