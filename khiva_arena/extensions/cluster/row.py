"""The row of the extension ``cluster``: matches on the workers of a Dask cluster."""

from khiva_arena.common.hooks import ExtensionRow, Extra, FilledHook
from khiva_arena.common.setting_row import Kind, Setting

_HEADING = "A cluster"
# fmt: off
_SETTINGS = (
    Setting("dask", Kind.TEXT, None, _HEADING, of_a_league=True, in_a_trial=False, shape="ADDRESS",
            of="the address of the cluster", elsewhere=True,
            help="Play on the workers of a Dask cluster: the scheduler's address, as "
                 "tls://HOST:8786, or local:N for N workers on this machine. The workers, not "
                 "--jobs, set the number of matches at a time.",
            example="tls://head:8786",
            opens="Any program at this address gets bots and deals; local:N starts workers that "
                  "listen on this machine."),
    Setting("dask_tls", Kind.FOLDER, None, _HEADING, of_a_league=True, in_a_trial=True,
            private=True, elsewhere=True, needs="dask",
            help="ca.pem, cert.pem and key.pem, by which this command, the scheduler and the "
                 "workers know each other [default: what Dask's own settings name].",
            example="tls",
            opens="Anyone with a certificate that these sign is trusted as the cluster."),
    Setting("dask_open_to_all", Kind.SWITCH, False, _HEADING, of_a_league=True, in_a_trial=True,
            elsewhere=True, needs="dask",
            help="Take a tcp:// scheduler. Anyone who reaches it or a worker runs programs there "
                 "as you, and reads the deals.",
            opens="A cluster is trusted without a certificate."),
    Setting("dask_wait", Kind.TIME, "60s", _HEADING, of_a_league=True, in_a_trial=True,
            elsewhere=True, needs="dask",
            help="How long to wait for a scheduler that is away, or for a worker that can play."),
    Setting("dask_rerun_bots", Kind.TEXT, None, _HEADING, of_a_league=True, in_a_trial=True,
            elsewhere=True, needs="dask", shape="SHARE",
            help="With --clock ticks: rerun the bots of this share of the matches on this "
                 "machine, drawn as results come in, and refuse a worker whose match differs.",
            example="5%"),
    Setting("dask_take_unconfirmed", Kind.SWITCH, False, _HEADING, of_a_league=True,
            in_a_trial=True, elsewhere=True, needs="dask",
            help="Go on even if more than one in twenty of the matches that --dask-rerun-bots "
                 "draws cannot be confirmed on this machine."),
)
# fmt: on


def _load() -> tuple[FilledHook, ...]:
    from khiva_arena.extensions.cluster.extension import EXTENSION

    return EXTENSION


ROW = ExtensionRow(
    "cluster",
    _load,
    settings=_SETTINGS,
    extra=Extra(
        "dask", ("distributed", "cryptography"), "--dask: needs distributed and cryptography"
    ),
)
