"""The row of the extension ``seats``: people and remote bots at the table."""

from typing import TYPE_CHECKING

from khiva_arena.common.hooks import ExtensionCommand, ExtensionRow, FilledHook
from khiva_arena.common.setting_row import Kind, Setting

if TYPE_CHECKING:
    import click

_HEADING = "Remote bots"
# fmt: off
_SETTINGS = (
    Setting("listen", Kind.TEXT, "127.0.0.1:7421", _HEADING, of_a_league=False, in_a_trial=False,
            of_a_match=True,
            help="Where relays of bots named remote:NAME arrive, as HOST:PORT. Beyond this "
                 "machine only with TLS.",
            opens="The arena listens at this address."),
    Setting("tls_cert", Kind.FILE, None, _HEADING, of_a_league=False, in_a_trial=True,
            of_a_match=True,
            help="The certificate of the address where relays arrive, in PEM.",
            example="arena.pem"),
    Setting("tls_key", Kind.FILE, None, _HEADING, of_a_league=False, in_a_trial=True, private=True,
            of_a_match=True,
            help="Its key.",
            example="arena.key"),
    Setting("tokens", Kind.FOLDER, None, _HEADING, of_a_league=False, in_a_trial=True, private=True,
            of_a_match=True,
            help="A folder with the token of each relay, in a file of its name; a missing file "
                 "is made [default: khiva-arena/tokens in ~/.config].",
            example="tokens"),
    Setting("reconnect", Kind.TIME, "30s", _HEADING, of_a_league=False, in_a_trial=True, least=1,
            of_a_match=True,
            help="How long a relay may be away before its match is lost. The bot's clock runs "
                 "meanwhile."),
    Setting("link_allowance", Kind.TIME, "0s", _HEADING, of_a_league=False, in_a_trial=True,
            least=0, of_a_match=True,
            help="Give each remote bot the round trip to its relay back, for each decision, up "
                 "to this time."),
    Setting("kept", Kind.NAMES, (), _HEADING, of_a_league=False, in_a_trial=True, of_a_match=True,
            of="names of remote bots",
            help="Remote bots that may play many matches in one process, and so remember; they "
                 "are marked.",
            example=("ann",)),
)
# fmt: on


def _load() -> tuple[FilledHook, ...]:
    from khiva_arena.extensions.seats.extension import EXTENSION

    return EXTENSION


def _play() -> "click.Command":
    from khiva_arena.extensions.seats.play_options import command

    return command


def _relay() -> "click.Command":
    from khiva_arena.extensions.seats.relay_options import command

    return command


ROW = ExtensionRow(
    "seats",
    _load,
    commands=(
        ExtensionCommand(
            "play",
            "Play",
            "compare",
            "Play a match yourself, in your browser, against bots.",
            _play,
        ),
        ExtensionCommand(
            "relay", "Bots", "bots", "Seat a bot of this machine at a table of another one.", _relay
        ),
    ),
    settings=_SETTINGS,
    guesses={
        "human": "`khiva-arena play` seats you against bots",
        "play --host": "`--port N` is the port of the page, which only this machine sees",
        "play --listen": "`--port N` is the port of the page",
        "play --players": "`--bot person` is you, and each other `--bot NAME` is an opponent",
        "play --seats": (
            "each `--bot` takes a seat: `khiva-arena play --bot person --bot "
            "shipped:python/greedy` has two"
        ),
        "join": (
            "`khiva-arena relay HOST:PORT NAME -- COMMAND` seats a bot of this machine elsewhere"
        ),
    },
    needs=("serve",),
)
