"""Whether a script alone comes from a planted fault to a proven improvement, over `advisor mcp`.

    python benchmarks/fixes/planted_faults.py [NAME …] [--out results.json]

The 30 programs of `planted_faults.toml` were written, faults included, by readers who did not know the
rules. For each a server is started; `explain` with a run of the workload says what its kernels wait for and
which edits it offers, in order. The first that `verify` proves (equal outputs, and faster beyond the
model's error) is written; where there is none, the one that gains most within that error, and `explain` is
asked again, four rounds at most. The program counts when `verify` proves the file by the one that was
committed. NAME is a part of a program's path.
"""

from __future__ import annotations

import argparse
import ast
import asyncio
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters, stdio_client

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[2]
_PROGRAMS = ROOT / "tests" / "data" / "fault_forms" / "open"
_WORKLOAD = "\n\ndef workload():\n    random = np.random.default_rng(1)\n    {body}\n"
_NAME = "program.py"
_ROUNDS = 4

Edit = dict[str, Any]


@dataclass
class Outcome:
    """What became of one program: the fix that was proven, or why there is none."""

    program: str
    proven: str = ""
    speedup: float | None = None
    interval: list[float] | None = None
    reasons: list[str] = field(default_factory=list)
    seconds: float = 0.0
    calls: int = 0


class Loop:
    """The loop explain, edit, verify on one program, in a folder of its own."""

    def __init__(self, client: Client, file: Path, outcome: Outcome) -> None:
        self.client, self.file, self.outcome = client, file, outcome
        # What is faster within the model's error alone, by its speed-up.
        self.likely: list[tuple[float, str, list[Edit]]] = []
        self.written: list[str] = []

    async def run(self) -> None:
        """Write edits until the file is proven to be faster than it was.

        Else it is left as it was, and what stood against each edit is kept.
        """
        original = self.file.read_text()
        for _ in range(_ROUNDS):
            self.likely = []
            if await self._round():
                return
            if not self.likely:
                break
            _, name, edits = max(self.likely)
            self._write(name, edits)
            if await self._is_proven_as_written():
                return
        self.file.write_text(original)
        if not self.outcome.reasons:
            self.outcome.reasons.append("nothing found that concerns a kernel")

    async def _round(self) -> bool:
        """Whether an edit that `explain` offers is proven, and then the file with it."""
        for kernel in _kernels(self.file.read_text()):
            explained = await self._call("explain", name=f"{_NAME}::{kernel}", run_code=True)
            for action in explained.get("actions", ()):
                if action["fix"] is None:
                    if not self.written:
                        self.outcome.reasons.append(f"{action['rule']}: no fix")
                elif await self._offers(action["fix"]):
                    return True
        return False

    async def _offers(self, fix: dict[str, Any]) -> bool:
        """Whether the edits of one fix are proven, and written then."""
        if {one["path"] for one in fix["edits"]} != {_NAME}:
            self.outcome.reasons.append(f"{fix['id']}: edits another file")
            return False
        keys = ("path", "start", "end", "text")
        edits: list[Edit] = [{key: one[key] for key in keys} for one in fix["edits"]]
        return await self._proves(fix["id"], edits)

    async def _proves(self, name: str, edits: list[Edit]) -> bool:
        tried = await self._call("verify", paths=[_NAME], edits=edits)
        if not tried.get("proven"):
            proofs = tried.get("proofs", ())
            self.outcome.reasons += [f"{name}: {_said(one)}" for one in proofs]
            if proofs and all(_may_help(one) for one in proofs):
                self.likely.append((proofs[0]["speedup"], name, edits))
            return False
        self._write(name, edits)
        return await self._is_proven_as_written()

    def _write(self, name: str, edits: list[Edit]) -> None:
        text = self.file.read_text()
        for one in sorted(edits, key=lambda one: -int(one["start"])):
            text = text[: one["start"]] + one["text"] + text[one["end"] :]
        self.file.write_text(text)
        self.written.append(name)

    async def _is_proven_as_written(self) -> bool:
        """Whether the file is proven beside the one that was committed."""
        found = await self._call("verify", paths=[_NAME], base="HEAD")
        written = " + ".join(self.written)
        if not found.get("proven"):
            self.outcome.reasons += [f"{written}: {_said(one)}" for one in found.get("proofs", ())]
            return False
        (proof,) = found["proofs"]
        self.outcome.proven = written
        self.outcome.speedup, self.outcome.interval = proof["speedup"], proof["speedup_interval"]
        return True

    async def _call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        self.outcome.calls += 1
        result = await self.client.call_tool(tool, arguments)
        if result.is_error:
            self.outcome.reasons.append(f"{tool}: {result.content[0].text[:300]}")
            return {}
        return result.structured_content or {}


def _may_help(proof: dict[str, Any]) -> bool:
    if proof["outputs"] not in ("equal", "within tolerance"):
        return False
    return proof["verdict"] == "cannot tell" and (proof["speedup"] or 0.0) > 1.0


def _said(proof: dict[str, Any]) -> str:
    ratio = "" if proof["speedup"] is None else f" ({proof['speedup']:.2f} x)"
    return f"{proof['verdict']}{ratio}: {proof['detail']}"


def _kernels(text: str) -> list[str]:
    """The kernels at the top of a program, those first whose lines carry a planted fault."""
    lines = text.splitlines()
    found = []
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef) and any(
            "cuda.jit" in ast.unparse(one) and "device=True" not in ast.unparse(one)
            for one in node.decorator_list
        ):
            own = lines[node.lineno - 1 : node.end_lineno]
            found.append((not any("# fault:" in line for line in own), node.name))
    return [name for _, name in sorted(found, key=lambda one: one[0])]


def _prepared(program: dict[str, Any], folder: Path) -> Path:
    text = (_PROGRAMS / program["file"]).read_text()
    for old, new in program.get("replace", ()):
        assert text.count(old) == 1, (program["file"], old)
        text = text.replace(old, new)
    file = folder / _NAME
    file.write_text(text + _WORKLOAD.format(body=program["workload"].replace("; ", "\n    ")))
    git = ["git", "-c", "user.name=benchmark", "-c", "user.email=benchmark@localhost"]
    for command in (["init", "-q"], ["add", _NAME], ["commit", "-q", "-m", "planted"]):
        subprocess.run([*git, *command], cwd=folder, check=True)
    return file


async def _outcome(program: dict[str, Any]) -> Outcome:
    outcome = Outcome(program["file"])
    folder = Path(tempfile.mkdtemp(prefix="planted-"))
    begun = time.monotonic()
    try:
        file = _prepared(program, folder)
        options = ["-m", "advisor", "mcp", "--root", str(folder), "--allow-run", "--seconds", "600"]
        server = StdioServerParameters(command=sys.executable, args=options)
        async with Client(stdio_client(server)) as client:
            await Loop(client, file, outcome).run()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    outcome.seconds = time.monotonic() - begun
    return outcome


def main() -> int:
    """0 after telling what became of each program."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    programs = tomllib.loads(Path(__file__).with_suffix(".toml").read_text())["program"]
    chosen = [one for one in programs if not given.names or any(name in one["file"] for name in given.names)]
    outcomes = []
    for program in chosen:
        outcomes.append(asyncio.run(_outcome(program)))
        _tell(outcomes[-1])
        if given.out:
            given.out.write_text(json.dumps([asdict(one) for one in outcomes], indent=1) + "\n")
    proven = [one for one in outcomes if one.proven]
    print(f"{len(proven)} of {len(outcomes)} programs end in a proven improvement")
    if proven:
        mean = statistics.geometric_mean(one.speedup for one in proven if one.speedup)
        print(f"geometric mean of their speed-ups {mean:.2f} x, {sum(one.calls for one in outcomes)} calls")
    return 0


def _tell(one: Outcome) -> None:
    told = f"{one.proven} {one.speedup:.2f} x" if one.proven and one.speedup else "; ".join(one.reasons)
    print(f"{one.program}: {told} ({one.seconds:.0f} s)", flush=True)


if __name__ == "__main__":
    sys.exit(main())
