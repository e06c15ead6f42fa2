"""Lists the PTX instructions of the kernels in folders by frequency.

    python benchmarks/simulator/ptx_instructions.py FOLDER… [--top N] [--variants]

Kernels are found and compiled as `advisor check` does it, nothing of the folders is run. Prints how many
kernels compile, how many of their PTX texts are read and translated for the SIMT machine, why the others are
not, and a Markdown table of instructions.
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

from advisor.evidence.compiled import Target
from advisor.evidence.compiled.ptx_texts import ptx_texts
from advisor.evidence.simulated.simt.ptx.inlining import inlined
from advisor.evidence.simulated.simt.ptx.ptx_program import Module
from advisor.evidence.simulated.simt.ptx.ptx_reader import PtxError, read_ptx
from advisor.evidence.simulated.simt.unsupported import Unsupported
from advisor.evidence.simulated.simt.vector.translation.function import translate
from advisor.evidence.source.analysis import analyse


def main() -> None:
    """Print the tables for the folders given."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--top", type=int, default=200)
    parser.add_argument("--variants", action="store_true", help="tell modifiers and types apart")
    given = parser.parse_args()
    kernels, instructions = Counter[str](), Counter[str]()
    refused = Counter[str]()
    found = compiled = read = loaded = 0
    for folder in given.folders:
        units = analyse(sorted(folder.rglob("*.py")), folder.resolve(), with_units=True).units
        found += len(units)
        for text in ptx_texts(units, Target.parse("8.0")):
            if not text.text:
                continue
            compiled += 1
            try:
                module = read_ptx(text.text)
            except PtxError as error:
                print(f"not read: {text.unit.kernel}: {error}")
                continue
            read += 1
            reason = _refusal(module)
            loaded += reason is None
            if reason is not None:
                refused[reason] += 1
            names = _names(module, given.variants)
            instructions.update(names)
            kernels.update(set(names))
    total = sum(instructions.values())
    print(
        f"{found} kernels, {compiled} compile, {read} of these are read, "
        f"{loaded} translated, {total} instructions\n"
    )
    for reason, count in refused.most_common():
        print(f"not translated, {count} times: {reason}")
    print("| instruction | occurrences | kernels |\n|---|---|---|")
    for name, count in instructions.most_common(given.top):
        print(f"| `{name}` | {count} | {kernels[name]} |")


def _refusal(module: Module) -> str | None:
    """Why the kernel of a module is not executed, without its place; None where it is."""
    for function in module.functions.values():
        if function.entry:
            try:
                translate(module, inlined(module, function))
            except Unsupported as refusal:
                return str(refusal).split(" at ")[0] + ":" + str(refusal).split("):")[-1]
    return None


def _names(module: Module, variants: bool) -> list[str]:
    every = [item for function in module.functions.values() for item in function.instructions]
    if variants:
        return [item.name for item in every]
    return [item.opcode for item in every]


if __name__ == "__main__":
    main()
