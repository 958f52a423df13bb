"""``python -m khiva_arena.bots.modules.meter IN.wasm OUT.wasm`` rewrites a module, for
authors of another meter.
"""

import sys
from pathlib import Path

from . import ModuleRefused, rewritten


def main() -> int:
    """Rewrite the module that the command line names; return 0, or 2 after a line that
    says why not.
    """
    if len(sys.argv) != 3:
        print("usage: python -m khiva_arena.bots.modules.meter IN.wasm OUT.wasm", file=sys.stderr)
        return 2
    try:
        Path(sys.argv[2]).write_bytes(rewritten(Path(sys.argv[1]).read_bytes()).wasm)
    except (ModuleRefused, OSError) as error:
        print(f"{sys.argv[1]}: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
