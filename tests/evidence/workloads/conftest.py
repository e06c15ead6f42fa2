"""Makes the package `kernels` importable from a checkout: it is not part of the installed distribution."""

import sys
from pathlib import Path

ROOT = str(Path(__file__).resolve().parents[3])
if ROOT not in sys.path:
    sys.path.insert(0, ROOT)
