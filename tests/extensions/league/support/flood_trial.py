"""A league's server, a reader on another machine, and each flood in turn: `unshare
--net python flood_trial.py FOLDER`.
"""

import json
import sys
from pathlib import Path

from flooding import FLOODS, NETWORK, TIMES, Machine, Used, ip, neighbour, used
from league_serving import league_server
from public_league import league_folder, write_public
from waiting import until


def trial(folder: Path) -> None:
    """Try each flood, and print what the reader and the server have of it, a line
    each.
    """
    ip("link", "set", "lo", "up")
    league = league_folder(folder / "spring")
    write_public(league)
    with league_server(league, "--listen", "[::]:0", "--behind-proxy") as server:
        port, pid = str(server.port), server.process.pid

        def ask(reader: Machine) -> tuple[dict[str, object], float]:
            begins = used(pid).cpu
            reader.tell()
            return json.loads(reader.hear()), round(used(pid).cpu - begins, 2)

        def quiet(reader: Machine) -> Used:
            """Print the processor time of ten answers, while nobody else asks, and what
            the server has then.
            """
            print(
                json.dumps({"quiet": round(sum(ask(reader)[1] for _ in range(10)), 2)}), flush=True
            )
            now = used(pid)
            print(json.dumps({"used": now._asdict()}), flush=True)
            return now

        with neighbour(1, "honest", f"{NETWORK.format(1)}::2", port) as reader:
            before = quiet(reader)
            for number, kind in enumerate(FLOODS, 2):
                with neighbour(number, kind, f"{NETWORK.format(number)}::2", port) as machine:
                    machine.hear()
                    for _ in range(TIMES):
                        answer, cpu = ask(reader)
                        print(
                            json.dumps(
                                {
                                    "flood": kind,
                                    "cpu": cpu,
                                    "memory": round(used(pid).memory),
                                    **answer,
                                }
                            ),
                            flush=True,
                        )
            assert until(lambda: used(pid).files <= before.files + 1)
            quiet(reader)


if __name__ == "__main__":
    trial(Path(sys.argv[1]))
