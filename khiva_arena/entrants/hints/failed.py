"""The failure of a bot, as hints take it."""


class Failed(Exception):
    """A failure of a step: the bot does not do as the step asks.

    notes: the bot's stderr, added when it has ended
    received: the bot's stdout from the beginning, added when it has ended
    """

    def __init__(self, expected: str, got: str) -> None:
        self.expected = expected
        self.got = got
        self.notes = ""
        self.received = b""
        super().__init__(got)
