"""Two versions that the user wrote, run and compared."""

from __future__ import annotations

import ast
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy.typing as npt

from advisor.evidence.simulated.launches.workloads import WorkloadFunction
from advisor.model.devices import find_device
from advisor.model.errors import UsageError
from advisor.model.settings.check_options import CheckOptions
from advisor.model.text.source_text import read_source
from advisor.model.text.syntax_trees import syntax_tree
from advisor.runs.verification.trial import Trial, had_trial
from advisor.runs.verification.verdicts import Judgement, judged

_DEFAULT = "workload"


@dataclass(frozen=True)
class Version:
    """A function without arguments in a file, which launches the kernels of one version."""

    file: Path
    function: str
    line: int

    @property
    def shown(self) -> str:
        """The version as the user names it."""
        return f"{self.file.as_posix()}::{self.function}"


def named_version(text: str) -> Version:
    """The version that `FILE` or `FILE::FUNCTION` names; raises UsageError where there is none."""
    path, _, function = text.partition("::")
    file, function = Path(path), function or _DEFAULT
    source = read_source(file, path).text if file.is_file() else None
    if source is None:
        raise UsageError(f"{path}: no such file.")
    try:
        tree = syntax_tree(source)
    except (SyntaxError, ValueError) as error:
        raise UsageError(f"{path}: is no Python that can be read: {error}") from None
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    found = functions.get(function)
    if found is None:
        known = ", ".join(sorted(functions)) or "none"
        raise UsageError(f"{path}: has no function `{function}` at its top. Functions: {known}.")
    required = len(found.args.args) + len(found.args.posonlyargs) - len(found.args.defaults)
    if required > 0 or None in found.args.kw_defaults:
        raise UsageError(f"{path}: `{function}` needs arguments; name a function that can be called without.")
    return Version(file, function, found.lineno)


def compare_versions(before: Version, after: Version, options: CheckOptions) -> Judgement:
    """The judgement of the second version by the first: outputs, and the time of all kernels together.

    Where the functions return something, that is compared; else what the last launch wrote to each array, by
    the parameters' names.
    """
    evidence = f"simulated on {find_device(options.device).name}"
    return judged(_last(_trial(before, options)), _last(_trial(after, options)), None, evidence)


def _trial(version: Version, options: CheckOptions) -> Trial:
    root = options.settings.root
    path = os.path.relpath(version.file.absolute(), root).replace(os.sep, "/")
    if path.startswith("../"):
        raise UsageError(f"{version.file}: lies outside of the project {root}.")
    text = (root / path).read_bytes().decode("utf-8", errors="replace")
    return had_trial([WorkloadFunction(path, version.function, version.line)], {path: text}, options)


def _last(found: Trial) -> Trial:
    """The trial with its outputs called by parameter, each as its last launch left it."""
    outputs: dict[str, npt.NDArray[Any]] = dict(_returned(found.outputs))
    for name, value in found.outputs.items():
        if name not in outputs:
            outputs[name.rpartition(":")[2]] = value
    defects = frozenset((kind, "a kernel") for kind, _ in found.defects)
    return replace(found, outputs=outputs, defects=defects)


def _returned(outputs: Mapping[str, npt.NDArray[Any]]) -> Mapping[str, npt.NDArray[Any]]:
    return {name: value for name, value in outputs.items() if name.startswith("result")}
