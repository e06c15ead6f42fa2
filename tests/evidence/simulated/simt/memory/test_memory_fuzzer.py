"""Random kernels with good and bad addresses end cleanly: no crash, nothing beside an array, right counts.

MEMORY_FUZZER_SECONDS lets it run longer, MEMORY_FUZZER_SEED begins elsewhere.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parent / "memory_fuzzer.py"
SECONDS = float(os.environ.get("MEMORY_FUZZER_SECONDS", "12"))
SEED = os.environ.get("MEMORY_FUZZER_SEED", "0")


@pytest.mark.parametrize("code", [[], ["--optimised"]])
def test_no_random_kernel_crashes_or_differs_from_the_oracle(code):
    command = [sys.executable, str(PROGRAM), "--seconds", str(SECONDS), "--seed", SEED, *code]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS + 300)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    # A crash leaves the seed of its kernel as the last line.
    assert done.returncode == 0, (lines[-1:], done.stderr[-2000:])
    assert lines[-1]["kernels"] >= 5
    assert lines[-1]["launches"] == 9 * lines[-1]["kernels"]
