"""The fuzzer's own modules, for its tests to import."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
