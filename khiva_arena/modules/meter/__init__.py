"""The meter of WebAssembly modules: ``rewritten`` makes a module pay for its instructions, as protocol/METER.md says."""

from khiva_arena.errors import ModuleRefused as ModuleRefused
from khiva_arena.modules.meter.rewrite import Metered as Metered
from khiva_arena.modules.meter.rewrite import rewritten as rewritten
