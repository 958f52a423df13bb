"""The Python kit for a bot that reports what it spends: the capability ``spent`` of wire protocol 1.

    from khiva_spent import play

    spent = {"model": 0, "lot": 0, "tokens_in": 0}  # running totals, which choose adds to

    play("my-bot", choose, spent, currency="EUR")

Its bot.toml says ``reports = true``. An arena that does not ask for totals is sent none.
"""

# It lies beside khiva_kit.py, not in it: interpreters of bots in ticks have that file inside, and no bot reports in ticks.
from khiva_kit import Choose, Message, _guarded_pipes, _index, note, read_frame, write_frame

CAPABILITY = "spent"
NAMES_MOST, NAME_MOST, COUNT_MOST = 8, 32, 2**53 - 1


def play(name: str, choose: Choose, spent: dict, currency: str = "", version: str = "") -> None:
    """Play one match as ``khiva_kit.play`` does, and send ``spent`` with each act. Wrong totals are noted, not sent."""
    source, sink = _guarded_pipes()
    match: Message = {}
    while (message := read_frame(source)) is not None:
        kind = message.get("type")
        if kind == "hello":
            match = message
            if 1 not in match.get("protos", ()):
                note(f"the arbiter speaks protocols {match.get('protos')}, this kit speaks 1")
                return
            hello: Message = {"type": "hello", "proto": 1, "name": name} | ({"version": version} if version else {})
            if _is_offered(match):
                hello |= {"caps": [CAPABILITY]} | ({"currency": currency} if currency else {})
            write_frame(sink, hello)
        elif kind == "decide":
            act: Message = {"type": "act", "req": message["req"]}  # before the bot can change it
            act["choice"] = _index(choose(message, match))
            write_frame(sink, act | ({"spent": spent} if _is_offered(match) and _is_right(spent) else {}))
        elif kind == "fault":
            note(f"fault: {message.get('code')}: {message.get('detail')} (strikes: {message.get('strikes')})")


def _is_offered(match: Message) -> bool:
    return CAPABILITY in match.get("caps", ())


def _is_right(spent: dict) -> bool:
    """Tell whether the arena would take the totals. If not, the match goes on without them: no choice is lost by a wrong sum."""
    right = len(spent) <= NAMES_MOST and all(
        isinstance(name, str)
        and 0 < len(name) <= NAME_MOST
        and name.isprintable()
        and name.strip()
        and type(total) is int
        and 0 <= total <= COUNT_MOST
        for name, total in spent.items()
    )
    if not right:
        note(f"spent is {spent!r:.200}, want at most {NAMES_MOST} names with whole numbers from 0 on")
    return right
