"""Blocks that the command line may set: the program's defaults are the likely ones, and only these."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.program.effects.device_functions import Resolver
from advisor.program.launches.launches import find_launches
from advisor.program.names.workspace import Workspace

HEAD = """
import argparse, sys
from numba import cuda
@cuda.jit
def k(a):
    a[0] = 1
parser = argparse.ArgumentParser()
parser.add_argument("--tile-size", "-t", type=int, default=16)
parser.add_argument("-n", default=64)
parser.add_argument("--wide", dest="breadth", default=128)
parser.add_argument("--open")
parser.add_argument("--twice", default=1)
parser.add_argument("--twice", default=2)
"""


def likely_block(folder: Path, host: str) -> tuple[int | None, ...] | None:
    (folder / "program.py").write_text(HEAD + host + "\nk[4, threads](a)\n")
    workspace = Workspace(folder)
    module = workspace.module(folder.resolve() / "program.py")
    assert module is not None
    (launch,) = find_launches(module, Resolver(workspace))
    assert launch.block is None or None in launch.block
    return launch.likely_block


@pytest.mark.parametrize(
    ("host", "block"),
    [
        ("threads = 256 if len(sys.argv) < 2 else int(sys.argv[1])", (256,)),
        ("threads = int(sys.argv[1]) if len(sys.argv) > 1 else 128", (128,)),
        ("threads = int(sys.argv[1]) if sys.argv[1:] else 96", (96,)),
        ("threads = 64\nif len(sys.argv) > 1:\n    threads = int(sys.argv[1])", (64,)),
        ("try:\n    threads = int(sys.argv[1])\nexcept IndexError:\n    threads = 32", (32,)),
        ("options = parser.parse_args()\nthreads = options.tile_size, options.n // 2", (16, 32)),
        ("options, rest = parser.parse_known_args()\nthreads = 8, options.breadth", (8, 128)),
    ],
)
def test_without_arguments_a_program_has_its_defaults(
    tmp_path: Path, host: str, block: tuple[int, ...]
) -> None:
    assert likely_block(tmp_path, host) == block


@pytest.mark.parametrize(
    "host",
    [
        "threads = int(sys.argv[1])",
        "threads = 256 if len(sys.path) < 2 else int(input())",
        "options = parser.parse_args()\nthreads = options.open",
        "options = parser.parse_args()\nthreads = options.twice",
        "options = input()\nparsed = parser.parse_args()\nthreads = options.n",
        "threads = 64\nif input():\n    threads = int(input())\nprint(sys.argv)",
    ],
)
def test_what_no_default_gives_stays_unknown(tmp_path: Path, host: str) -> None:
    assert likely_block(tmp_path, host) is None
