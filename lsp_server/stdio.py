"""The streams of the protocol, out of reach of whatever else writes to standard output."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO


@contextmanager
def protocol_streams() -> Iterator[tuple[BinaryIO, BinaryIO]]:
    """Standard input and output for the protocol alone: until the end, prints go to standard error.

    The descriptor is moved, not only `sys.stdout`, so that libraries outside Python are kept away too.
    """
    sys.stdout.flush()
    own = os.dup(1)
    os.dup2(2, 1)
    printed, sys.stdout = sys.stdout, sys.stderr
    stream = os.fdopen(own, "wb", closefd=False)
    try:
        yield sys.stdin.buffer, stream
    finally:
        sys.stdout = printed
        os.dup2(own, 1)
        os.close(own)
