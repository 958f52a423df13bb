"""An OpenAI-compatible endpoint on loopback that behaves as the model that is asked for
is called: well, or in a bad way.

``python tests/support/fake_llm.py`` prints its address and serves until it is ended.
"""

import json
import re
import socket
import ssl
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

CACHED = 64
"""Tokens: what is read twice counts as cached in steps of so many."""


class Fake(ThreadingHTTPServer):
    """``asked``: each request's body, with its key as "key". ``times``: when it came,
    by model. ``told``: the tokens in and out that models were told, by
    model. ``decisions``: how many were asked for, by model.
    """

    daemon_threads = True
    block_on_close = False

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.scheme = "http"
        self.asked: list[dict[str, Any]] = []
        self.tries: Counter[tuple[str, str]] = Counter()
        self.times: dict[str, list[float]] = {}
        self.seen: set[str] = set()
        self.over = threading.Event()
        self.told: Counter[tuple[str, str]] = Counter()
        self.decisions: Counter[str] = Counter()
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"{self.scheme}://127.0.0.1:{self.server_address[1]}/v1"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A bot that gives up closes its end: nothing to tell."""


@contextmanager
def serving(tls: ssl.SSLContext | None = None) -> Iterator[Fake]:
    server = Fake()
    if tls:
        server.socket, server.scheme = tls.wrap_socket(server.socket, server_side=True), "https"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield server
    finally:
        server.over.set()
        server.shutdown()
        thread.join()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    server: Fake
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        model, question = body["model"], body["messages"][1]["content"]
        self.body, self.most = (
            body,
            int((re.findall(r"n from 0 to (\d+)\.$", question) or [-1])[-1]),
        )
        self.kind = re.findall(r"^Decision: (\w+)$", question, re.MULTILINE)[-1]
        self.server.asked.append(
            {**body, "key": self.headers.get("Authorization", ""), "path": self.path}
        )
        self.server.times.setdefault(model, []).append(time.monotonic())
        self.server.tries[model, question] += 1
        self.again = self.server.tries[model, question] > 1
        self.corrected = len(body["messages"]) > 2
        with self.server.lock:
            self.server.decisions[model] += not self.corrected
            self.nth = self.server.decisions[model]
        with suppress(OSError):
            getattr(self, f"say_{model.replace('-', '_')}")()
        self.close_connection = True

    def log_message(self, *words: Any) -> None:
        pass

    def bytes(self, data: bytes, status: int = 200, **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def message(self, message: dict[str, Any], reason: str = "stop") -> None:
        text = "".join(str(one["content"]) for one in self.body["messages"])
        system = self.body["messages"][0]["content"]
        known = len(system) // 4 // CACHED * CACHED if system in self.server.seen else 0
        self.server.seen.add(system)
        usage: dict[str, Any] = {
            "prompt_tokens": len(text) // 4,
            "completion_tokens": max(1, len(str(message)) // 4),
        }
        usage["prompt_tokens_details"] = {"cached_tokens": known}
        with self.server.lock:
            self.server.told[self.body["model"], "tokens_in"] += usage["prompt_tokens"]
            self.server.told[self.body["model"], "tokens_out"] += usage["completion_tokens"]
        choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": reason}
        self.bytes(
            json.dumps({"object": "chat.completion", "choices": [choice], "usage": usage}).encode()
        )

    def text(self, content: Any) -> None:
        self.message({"content": content})

    # --- models that answer ---

    def say_last(self) -> None:
        self.text(json.dumps({"choice": self.most}))

    def say_first(self) -> None:
        self.text("0")

    def say_middle(self) -> None:
        self.text(f'```json\n{{"choice": {self.most // 2}, "why": "of 99 reasons"}}\n```')

    def say_prose(self) -> None:
        self.text(
            f"<think>0 or 1? 2.5 is too much.</think>\nThere are {self.most + 1} "
            f"choices.\n\nI choose **{self.most}**."
        )

    def say_parts(self) -> None:
        self.text(
            [{"type": "text", "text": '{"choice":'}, {"type": "text", "text": f" {self.most}}}"}, 7]
        )

    def say_by_words(self) -> None:
        """For a match of Khiva at two seats, without a list of legal choices."""
        words = {"play_pass": [0, 1, 2, 3], "boost": [0], "shop4": ["carpet"], "move": ["move"]}
        self.text(json.dumps({"choice": words[self.kind]}))

    # --- models that have to be asked again ---

    def say_out_of_range(self) -> None:
        self.text(f'{{"choice": {self.most if self.again else self.most + 1}}}')

    def say_negative(self) -> None:
        self.text(f'{{"choice": {self.most if self.again else -1}}}')

    def say_wordy(self) -> None:
        self.text(str(self.most) if self.again else "I would rather wait and see.")

    def say_unsure(self) -> None:
        self.text(str(self.most) if self.again else f"0 is fine, and {self.most} is better.")

    def say_error(self) -> None:
        self.text(str(self.most)) if self.again else self.bytes(b"the upstream is gone", 502)

    def say_limited(self) -> None:
        self.text(str(self.most)) if self.again else self.bytes(
            b'{"error": "slow down"}', 429, Retry_After="1"
        )

    def say_limited_until(self) -> None:
        until = formatdate(time.time() + 2, usegmt=True)
        self.text(str(self.most)) if self.again else self.bytes(b"", 503, Retry_After=until)

    def say_reset(self) -> None:
        if self.again:
            self.text(str(self.most))
        else:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            self.connection.close()

    # --- models that are asked again, or give none, now and then ---

    def say_garbles(self) -> None:
        self.text(str(self.most) if self.corrected or self.nth % 10 else "{\x00\ufffd 0 1 2")

    def say_tenth(self) -> None:
        self.text(str(self.most) if not self.corrected and self.nth % 10 else "0 or 1")

    def say_overloaded(self) -> None:
        self.text(str(self.most)) if self.nth % 3 else self.bytes(
            b"slow down", 429, Retry_After="3600"
        )

    # --- models that give none ---

    def say_refusal(self) -> None:
        self.message({"content": None, "refusal": "I can't help with 3 camels."})

    def say_filtered(self) -> None:
        self.message({"content": "0"}, "content_filter")

    def say_always_wrong(self) -> None:
        self.text("1000000")

    def say_empty(self) -> None:
        self.text("")

    def say_late(self) -> None:
        self.server.over.wait(3)
        self.say_last()

    def say_hangs(self) -> None:
        self.server.over.wait()

    def say_down(self) -> None:
        self.bytes(b"down", 503)

    def say_limited_for_long(self) -> None:
        self.bytes(b"", 429, Retry_After="3600")

    def say_limited_oddly(self) -> None:
        self.bytes(b"", 429, Retry_After="soon")

    def say_unauthorised(self) -> None:
        self.bytes(f"wrong key: {self.headers.get('Authorization')}".encode(), 401)

    def repeated(self, characters: int) -> str:
        """So many, and then the key that came."""
        return f"{'x' * (characters - 1)} {self.headers['Authorization'].split()[1]} is yours"

    def say_repeats_in_status(self) -> None:
        self.bytes(self.repeated(190).encode(), 401)

    def say_repeats_in_html(self) -> None:
        self.bytes(self.repeated(190).encode())

    def say_repeats_in_refusal(self) -> None:
        self.message({"content": None, "refusal": self.repeated(190)})

    def say_repeats_in_text(self) -> None:
        self.text(self.repeated(1_990))

    def say_repeats_in_choice(self) -> None:
        self.text(json.dumps({"choice": self.repeated(30)}))

    def say_elsewhere(self) -> None:
        self.bytes(b"", 307, Location=f"{self.server.url}/chat/completions")

    def say_not_utf8(self) -> None:
        self.bytes(b'\xff\xfe{"choices": \x80')

    def say_html(self) -> None:
        self.bytes(b"<html>Welcome to page 1</html>")

    def say_other_json(self) -> None:
        self.bytes(b'{"choices": [{"message": "3"}]}')

    def say_deep(self) -> None:
        self.bytes(b"[" * 500_000)

    def say_long_number(self) -> None:
        self.bytes(b'{"choices": ' + b"9" * 9_000 + b"}")

    def say_odd_usage(self) -> None:
        usage = {"prompt_tokens": -5, "completion_tokens": 1e300, "prompt_tokens_details": 3}
        self.bytes(
            json.dumps(
                {"choices": [{"message": {"content": str(self.most)}}], "usage": usage}
            ).encode()
        )

    def say_huge(self) -> None:
        self.send_response(200)
        self.end_headers()
        while not self.server.over.is_set():
            self.wfile.write(b" " * 65_536)

    def say_chunked_forever(self) -> None:
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        while not self.server.over.wait(0.05):
            self.wfile.write(b"1\r\n \r\n")

    def say_dripping_head(self) -> None:
        self.wfile.write(b"HTTP/1.1 200 OK\r\nX: ")
        while not self.server.over.wait(0.05):
            self.wfile.write(b"x")

    def say_continue_forever(self) -> None:
        while not self.server.over.wait(0.01):
            self.wfile.write(b"HTTP/1.1 100 Continue\r\n\r\n")

    def say_no_http(self) -> None:
        self.wfile.write(b"SSH-2.0-OpenSSH_9.9\r\n")


ANSWERS = ("last", "first", "middle", "prose", "parts")
ASKED_TWICE = (
    "out-of-range",
    "negative",
    "wordy",
    "unsure",
    "error",
    "limited",
    "limited-until",
    "reset",
)
"""These answer the same question at the second time."""


if __name__ == "__main__":
    with serving() as server:
        print(server.url, flush=True)
        threading.Event().wait()
