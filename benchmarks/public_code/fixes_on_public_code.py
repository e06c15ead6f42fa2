"""What the fixes do to the results of public kernels, which are launched with random data.

    python benchmarks/public_code/fixes_on_public_code.py CORPUS [REPOSITORY …] [--seconds 120]
        [--out verdicts.json]

CORPUS holds a checkout of each repository, called `owner__name`. Of each file outside of tests that has Numba
kernels at its top a program is made that imports the file as it is, with hollow modules for what the machine
lacks, and launches each kernel with random numbers of a fixed seed, of the types that the source states or
that are assumed: all axes and sizes are 40 (8 where an array has four axes), or where that ends with a
fault, sizes are 8 and arrays large enough to be indexed by products of sizes. `advisor run` records the
program in a copy of the checkout; `advisor verify` applies each fix to another copy, runs the program before
and after, and compares every array that kernels wrote. Fixes of host code are left out: no program calls it.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from advisor.evidence.source.analysis import analyse
from advisor.evidence.source.test_paths import is_test_path
from advisor.model.compilation_unit import CompilationUnit
from advisor.model.settings.file_discovery import find_files

ROOT = Path(__file__).resolve().parents[2]
_REPOSITORIES = (
    "algotom__algotom", "DUNE__larnd-sim", "fbpic__fbpic", "hepaccelerate__hepaccelerate",
    "lpsc-euclid__decontamination", "makepath__xarray-spatial", "numba__nvidia-cuda-tutorial",
    "NVIDIA__nvmath-python", "open-mmlab__mmdetection3d", "pygae__clifford", "rapidsai__cuxfilter",
    "royerlab__aydin", "salesforce__warp-drive", "sgkit-dev__sgkit", "speechbrain__speechbrain",
    "TDAmeritrade__stumpy", "thepetabyteproject__your", "titu1994__warprnnt_numba",
)  # fmt: skip
# The sizes of scalars, and of arrays with one, two, three axes and more; the second is tried where the first
# ends with a fault.
_SIZES = ((40, (40, 40, 40, 8)), (8, (8192, 64, 24, 12)))
_SMALL = (8, (8, 8, 8, 8))
_ARRAY = re.compile(r"(?P<element>\w+)\[(?P<axes>[:,1 ]+)\]")
_TUPLE = re.compile(r"UniTuple\((?P<member>\w+), (?P<count>\d+)\)")
# Numba's short names of types, as signatures that are texts have them.
_SHORT = re.compile(r"\b([biufc])(\d+)\b")
_LONG = {"b": "boolean", "i": "int", "u": "uint", "f": "float", "c": "complex"}
_BLOCKS = {1: (64,), 2: (8, 8), 3: (4, 4, 4)}
_HEAD = """\
import importlib, importlib.abc, importlib.machinery, os, sys
from unittest.mock import MagicMock

import numpy as np
from numba import cuda


class Hollow(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path, target=None):
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        return MagicMock(name=spec.name, __path__=[], __spec__=spec, __all__=[])

    def exec_module(self, module):
        pass


sys.path[:0] = [{folder!r}]
sys.meta_path.append(Hollow())
random = np.random.default_rng(7)


def array(element, axes, size):
    kind = np.dtype(element)
    numbers = random.random((size,) * axes)
    if kind.kind in "iu":
        numbers = numbers * 4
    return cuda.to_device(numbers.astype(kind))


module = importlib.import_module({module!r})
"""
_LAUNCH = """
for launch in ({launches}):
    try:
        launch()
        cuda.synchronize()
        break
    except Exception as error:
        print({name!r}, type(error).__name__, str(error)[:200], file=sys.stderr)
"""


def program(units: Iterable[CompilationUnit], file: Path, top: Path) -> str:
    """The program that launches the kernels at the top of a file; empty where none can be."""
    base = file.parent
    while (base / "__init__.py").is_file() and base != top:
        base = base.parent
    name = ".".join(file.relative_to(base).with_suffix("").parts)
    launches = [text for unit in units if (text := launch(unit))]
    inside = base.relative_to(top).as_posix()
    folder = f"os.path.join(os.path.dirname(os.path.abspath(__file__)), {inside!r})"
    head = _HEAD.replace("{folder!r}", folder).replace("{module!r}", repr(name))
    return head + "".join(launches) if launches else ""


def launch(unit: CompilationUnit) -> str:
    """The launch of a kernel, empty for one that cannot be called from outside or whose types are unknown."""
    name = unit.kernel.partition("::")[2].rpartition("@")[0]
    if "." in name or not unit.candidates:
        return ""
    types = tuple(map(spelled_out, unit.candidates[0].types))
    many = any(text.count(":,") >= 3 for text in types)
    calls = [called(unit, name, types, *sizes) for sizes in (_SMALL if many else _SIZES[0], _SIZES[1])]
    return _LAUNCH.format(name=name, launches=", ".join(calls)) if all(calls) else ""


def called(
    unit: CompilationUnit, name: str, types: tuple[str, ...], size: int, axes_of: tuple[int, ...]
) -> str:
    """The launch with scalars and arrays of these sizes, as a function without arguments."""
    arguments = [argument(text, size, axes_of) for text in types]
    if None in arguments:
        return ""
    body = next(one.source for one in unit.functions if not one.device)
    axes = 3 if "grid(3)" in body or ".z" in body else 2 if "grid(2)" in body or "Idx.y" in body else 1
    block = _BLOCKS[axes]
    grid = tuple(-(-axes_of[axes - 1] // one) for one in block)
    given = ", ".join(one for one in arguments if one is not None)
    return f"lambda: module.{name}[{grid}, {block}]({given})"


def spelled_out(text: str) -> str:
    """A type by its full name: `float64[:,:]` for `f8[:,:]`, whose number counts bytes."""
    if text.startswith("b1"):
        return _SHORT.sub("boolean", text)
    return _SHORT.sub(lambda found: f"{_LONG[found[1]]}{8 * int(found[2])}", text)


def argument(text: str, size: int, axes_of: tuple[int, ...]) -> str | None:
    """The expression for an argument of a type, None for a type that is left out."""
    if text == "xoroshiro128p_type[::1]":
        return f"cuda.random.create_xoroshiro128p_states({max(axes_of) ** 2}, seed=1)"
    if (array := _ARRAY.fullmatch(text)) is not None:
        element = {"boolean": "bool"}.get(array["element"], array["element"])
        axes = array["axes"].count(",") + 1
        return f"array({element!r}, {axes}, {axes_of[min(axes, 4) - 1]})"
    if (several := _TUPLE.fullmatch(text)) is not None:
        member = argument(several["member"], size, axes_of)
        return f"({', '.join([member] * int(several['count']))},)" if member else None
    if text == "boolean":
        return "True"
    if re.fullmatch(r"u?int\d+|intp|uintp", text):
        return f"np.{text}({size})"
    return f"np.{text}(0.5)" if re.fullmatch(r"(float|complex)\d+", text) else None


def advisor(folder: Path, seconds: float, *argv: str) -> str:
    """What a command prints; empty where it takes too long."""
    command = [sys.executable, "-m", "advisor", *argv]
    environment = {"PYTHONPATH": str(ROOT), **os.environ}
    try:
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, check=False, timeout=seconds, env=environment
        )
    except subprocess.TimeoutExpired:
        print(f"    {argv[0]}: longer than {seconds:g} s", file=sys.stderr)
        return ""
    if done.returncode > 1 or argv[0] == "run":
        said = [line for line in done.stderr.splitlines() if "arning" not in line and "warn(" not in line]
        print("\n".join(f"    {line[:160]}" for line in said[-8:]), file=sys.stderr)
    return done.stdout


def of_kernels(fixes: Iterable[dict[str, Any]], text: str) -> list[dict[str, Any]]:
    """The fixes that stand in the kernel they are of, not in host code around its launch."""
    found = []
    for fix in fixes:
        functions = [one for one in ast.walk(ast.parse(text)) if isinstance(one, ast.FunctionDef)]
        own = [one for one in functions if one.name == (fix["kernel"] or "").rpartition(".")[2]]
        first = [min([one.lineno, *(each.lineno for each in one.decorator_list)]) for one in own]
        if any(at <= fix["line"] <= (one.end_lineno or 0) for at, one in zip(first, own, strict=True)):
            found.append(fix)
    return found


def verdicts(repository: Path, seconds: float) -> list[dict[str, Any]]:
    """The verdicts on all fixes of the kernels of a repository."""
    found: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory(prefix="public-code-") as folder:
        project = Path(folder) / repository.name
        shutil.copytree(
            repository, project, ignore=shutil.ignore_patterns(".git", "__pycache__"), symlinks=True
        )
        # What the repository configures is about its own tools.
        (project / "advisor.toml").write_text("workload-seconds = 60\n")
        files, _ = find_files([project], (), project)
        by_file: dict[str, list[CompilationUnit]] = {}
        for unit in analyse(files, project, with_units=True).units:
            by_file.setdefault(unit.path, []).append(unit)
        for number, (path, units) in enumerate(sorted(by_file.items())):
            text = program(units, project / path, project) if not is_test_path(path) else ""
            if not text or path.endswith(".ipynb"):
                continue
            print(f"  {path}: {text.count('module.')} kernels", file=sys.stderr)
            (project / f"launches_{number}.py").write_text(text)
            advisor(
                project,
                seconds,
                "run",
                "--simulate",
                "--quiet",
                "--time-limit",
                "20",
                f"launches_{number}.py",
            )
            said = advisor(project, 4 * seconds, "verify", "--simulate", "--format", "json", path)
            fixes = json.loads(said)["fixes"] if said else []
            found += [
                fix | {"repository": repository.name}
                for fix in of_kernels(fixes, (project / path).read_text("utf-8"))
                if fix["path"] == path
            ]
    return found


def table(found: list[dict[str, Any]]) -> str:
    """The verdicts by fix: candidates, launched, equal, within rounding, different, faster, slower."""
    columns = ("fix", "candidates", "launched", "equal bit by bit", "within rounding", "different", "faster")
    rows = [f"| {' | '.join((*columns, 'slower'))} |", "|---" * 8 + "|"]
    names = Counter(one["fix"] for one in found)
    for name, _ in [*names.most_common(), ("**all**", 0)]:
        own = [one for one in found if name in (one["fix"], "**all**")]
        outputs = Counter(one["outputs"] for one in own)
        verdict = Counter(one["verdict"] for one in own)
        numbers = [
            len(own), sum(one["outputs"] is not None for one in own), outputs["equal"],
            outputs["within tolerance"], verdict["results differ"], verdict["predicted faster"],
            verdict["predicted slower"],
        ]  # fmt: skip
        rows.append(f"| {name} | {' | '.join(map(str, numbers))} |")
    return "\n".join(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("repositories", nargs="*", default=_REPOSITORIES)
    parser.add_argument("--seconds", type=float, default=120.0, help="for one program")
    parser.add_argument("--out", type=Path, help="where to keep all verdicts as JSON")
    args = parser.parse_args()
    found: list[dict[str, Any]] = []
    for name in args.repositories:
        print(name, file=sys.stderr)
        found += verdicts(args.corpus / name, args.seconds)
        if args.out:
            args.out.write_text(json.dumps(found, indent=1))
    print(table(found))


if __name__ == "__main__":
    main()
