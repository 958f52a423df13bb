"""``khiva-arena doctor``: which isolation levels work on this machine, why others do
not, and remedies.
"""

import click

from khiva_arena.interface.cli.help import Verb
from khiva_arena.interface.cli.options import json_option


@click.command("doctor", cls=Verb)
@json_option
def command(as_json: bool) -> int:
    """Show which isolation levels work on this machine, why others do not, and what
    would help.

    A program is started at each level, and tries from inside what a hostile bot would
    try. Exit code 1 if nothing better than trusted works, or if a level lets something
    through that it should keep out.
    """
    # when it is called, so that -h is quick
    from khiva_arena.interface.commands.doctor import doctor

    return doctor(as_json)
