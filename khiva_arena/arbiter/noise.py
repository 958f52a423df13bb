"""Lines that runtimes write on stderr at each start because of the sandbox, word for word.

They are left out of a bot's notes. Text that a bot writes is never left out: only whole lines of this list are, and only at the
beginning.
"""

RUBY = "<main>: warning: timer_create failed: Resource temporarily unavailable, signals racy\n"
MONO = 'mono_thread_internal_set_priority: pthread_setschedparam failed, error: "Operation not permitted" (1)\n'
JAVA = "Picked up JAVA_TOOL_OPTIONS: {options}\n"


def lines(java_options: str) -> tuple[bytes, ...]:
    """Return the lines. ``java_options``: the value of JAVA_TOOL_OPTIONS, which every JVM reports."""
    return tuple(line.encode() for line in (RUBY, MONO, JAVA.format(options=java_options)))


class Quiet:
    """A filter of a bot's stderr: it takes out lines of runtimes at the beginning, and passes everything else."""

    __slots__ = ("_lines", "_pending")

    def __init__(self, noise: tuple[bytes, ...]) -> None:
        self._lines = noise
        self._pending = b""

    def take(self, data: bytes) -> bytes:
        """Take in more of the stderr. Return the bot's own text in it and in the bytes held back, b"" while that is not known."""
        if not self._lines:
            return data
        text = self._pending + data
        while prefix := next((line for line in self._lines if text.startswith(line)), b""):
            text = text[len(prefix) :]
        if any(line.startswith(text) for line in self._lines):
            self._pending = text
            return b""
        self._lines, self._pending = (), b""
        return text

    def rest(self) -> bytes:
        """Return the bytes held back, once the output has ended."""
        pending, self._pending = self._pending, b""
        return pending
