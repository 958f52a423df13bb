"""The meter of WebAssembly modules: ``rewritten`` makes a module pay for its
instructions, as protocol/METER.md says.
"""

from .reader import ModuleRefused as ModuleRefused
from .rewrite import Metered as Metered
from .rewrite import rewritten as rewritten
