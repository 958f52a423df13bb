"""What a model means: a number in an object, a bare number, or the last number of its prose."""

import re

from endpoint import Reply
from prompt import FORM

MOST_READ = 100_000
"""Characters, counted from the end: that is where an answer stands."""
OBJECT = re.compile(r'"choice"\s*:\s*"?(-?\d{1,9})"?\s*[,}]')
# Neither a part of a word or of another number, such as 2.5 or 1,000, nor a figure of a list, such as "2." before a word.
NUMBER = re.compile(r"(?<![\w.,-])(-?\d{1,9})(?![\w]|[.,]\d)")


def choice(reply: Reply, count: int) -> tuple[int | None, str]:
    """The number of a choice, or None and what was wrong."""
    if reply.refusal:
        return None, f"a refusal: {reply.refusal}"
    text = reply.text[-MOST_READ:]
    found = OBJECT.findall(text) or NUMBER.findall(text)
    if not found:
        return None, "there is no number in it" if text.strip() else "it is empty"
    number = int(found[-1])
    if not 0 <= number < count:
        return None, f"{number} is not from 0 to {count - 1}"
    return number, ""


def complaint(problem: str, count: int) -> str:
    """What a model is told after a wrong answer."""
    return f"That was no choice: {problem}. Answer with {FORM} and nothing else, n from 0 to {count - 1}."
