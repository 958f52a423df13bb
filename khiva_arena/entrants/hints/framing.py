"""Tell of a frame that fails how the bot's language comes to send such bytes."""

from khiva_arena.bots.protocol.messages import FRAME_MOST_TO_ARBITER
from khiva_arena.entrants.hints import causes
from khiva_arena.entrants.hints.describe import whole_frames

LINE = 60
STDERR = {
    "python": "print(..., file=sys.stderr)",
    "javascript": "console.error(...)",
    "typescript": "console.error(...)",
    "c": "fprintf(stderr, ...)",
    "cpp": "std::cerr",
    "rust": "eprintln!",
    "go": "fmt.Fprintln(os.Stderr, ...)",
    "java": "System.err.println(...)",
    "csharp": "Console.Error.WriteLine(...)",
    "ruby": "warn",
    "php": "fwrite(STDERR, ...)",
    "perl": "print STDERR ...",
    "lua": "io.stderr:write(...)",
    "haskell": "hPutStrLn stderr",
    "ocaml": "prerr_endline",
    "nim": "stderr.writeLine",
}
BINARY = {
    "python": "open stdout as bytes: sys.stdout.buffer",
    "javascript": "write a Buffer, not a string",
    "typescript": "write a Buffer, not a string",
    "perl": "binmode(STDOUT); binmode(STDIN)",
    "ruby": "$stdout.binmode; $stdin.binmode",
    "php": "write with fwrite(STDOUT, ...), without any filter",
    "csharp": "Console.OpenStandardOutput(), not Console.Out",
    "java": "System.out as a stream of bytes, not a Writer",
    "haskell": "hSetBinaryMode stdout True",
    "ocaml": "set_binary_mode_out stdout true",
    "lua": 'io.stdout:setvbuf("full"), and no text-mode stream between',
}


def of_framing(data: bytes, language: str) -> str:
    """Return the cause that the bytes themselves show, "" for none."""
    start = data[:4]
    if not data or _is_whole(data):
        return _of_json(data)
    binary = BINARY.get(language, "write bytes, not text")
    if _is_whole(data.replace(b"\r\n", b"\n")):
        return f"stdout is in text mode: line feeds (byte 10) become CR LF; {binary}"
    if cause := causes.of_text_stream(data):
        return f"stdout is a stream of text: {cause}; {binary}"
    if _is_map(data):
        return (
            "MessagePack without a length before it: each frame begins with its length, 4 "
            "bytes, big-endian"
        )
    if data[:1] in (b"{", b"["):
        return "JSON is another protocol: each frame is 4 bytes of length and one MessagePack map"
    little = int.from_bytes(start, "little")
    if len(data) > 4 and 0 < little <= FRAME_MOST_TO_ARBITER and _is_map(data[4 : 4 + little]):
        return (
            "the length is little-endian; write it big-endian (network order), highest byte first"
        )
    if text := _is_print_output(data):
        to = f": {STDERR[language]}" if language in STDERR else ""
        return f"text was printed on stdout ({text!r}); say it on stderr{to}"
    return ""


def _of_json(data: bytes) -> str:
    if len(data) > 4 and data[4:5] in (b"{", b"["):
        return "the frame holds JSON; its payload is one MessagePack map"
    return ""


def _is_print_output(data: bytes) -> str:
    """Return the text in place of the beginning of a frame, "" if it is not text."""
    line = (
        data[whole_frames(data) :][:LINE]
        .split(b"\n")[0]
        .decode("utf-8", "replace")
        .rstrip("\r\ufffd")
    )
    return (
        line
        if len(line) >= 3 and all(letter.isprintable() or letter == "\t" for letter in line)
        else ""
    )


def _is_whole(data: bytes) -> bool:
    return 0 < whole_frames(data) == len(data)


def _is_map(data: bytes) -> bool:
    """Tell whether at least one map stands at the beginning."""
    if not data or not (0x80 <= data[0] <= 0x8F or data[0] in (0xDE, 0xDF)):
        return False
    import msgpack  # not above: a page has none

    unpacker = msgpack.Unpacker(strict_map_key=False, max_buffer_size=1 << 20)
    unpacker.feed(data)
    try:
        return isinstance(unpacker.unpack(), dict)
    except (
        Exception
    ):  # the library names its errors loosely: bytes that it cannot read are not a map
        return False
