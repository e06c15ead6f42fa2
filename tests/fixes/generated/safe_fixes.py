"""Every safe fix applied to a program, as `advisor check --fix` does, and what the program then does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from simulated_runs import SimulatedRuns

from advisor.check.pipeline import check
from advisor.fixes import known_fixes
from advisor.fixes.application import applied, chosen
from advisor.model.findings import Finding, Fix
from advisor.model.settings.check_options import CheckOptions
from advisor.model.settings.config import Config

SAFE = tuple(fix for fix in known_fixes() if fix.safety == "safe")
_RULES = tuple(sorted({rule for fix in SAFE for rule in fix.rules}))
_ROUNDS = 8
_OUTCOME = Path(__file__).with_name("program_outcome.py").read_text("utf-8")


@dataclass
class Losses:
    """Programs that did something else after their safe fixes, and how often each fix was applied."""

    folder: Path
    runs: SimulatedRuns
    programs: Counter[str] = field(default_factory=Counter)
    edits: Counter[str] = field(default_factory=Counter)

    def of(self, texts: Sequence[str]) -> list[str]:
        """What is lost: for each program that does something else what differs, and it before and after."""
        found = []
        for text, (after, names) in zip(texts, self._fixed(texts), strict=True):
            # A program that cannot be read gets no fixes, and would show nothing.
            compile(text, "program.py", "exec")
            self.edits.update(names)
            self.programs.update(set(names))
            lost = self._difference(text, after) if names else None
            if lost is not None:
                found.append(f"{lost}\n{sorted(set(names))}\n{text}\n--- after\n{after}")
        return found

    def _difference(self, before: str, after: str) -> str | None:
        try:
            printed, arrays = self.runs.call(_OUTCOME, "outcome", before)
        except RuntimeError as error:
            return f"the program itself: {error}"
        try:
            printed_after, arrays_after = self.runs.call(_OUTCOME, "outcome", after)
        except RuntimeError as error:
            return str(error)
        if printed != printed_after:
            return f"printed:\n{printed}\nthen:\n{printed_after}"
        pairs = zip(arrays, arrays_after, strict=True)
        return None if all(np.array_equal(*pair, equal_nan=True) for pair in pairs) else "other arrays"

    def _fixed(self, texts: Sequence[str]) -> list[tuple[str, list[str]]]:
        """The texts with their safe fixes, and the names of those that were applied."""
        files = [self.folder / f"program_{number}.py" for number in range(len(texts))]
        found = {file.name: (text, list[str]()) for file, text in zip(files, texts, strict=True)}
        waiting = files
        for _ in range(_ROUNDS):
            for file in waiting:
                file.write_text(found[file.name][0])
            pairs = self._offered(waiting)
            for file in waiting:
                fixes = [fix for finding, fix in pairs if finding.path == file.name]
                text, names = found[file.name]
                found[file.name] = applied(text, fixes), [*names, *(fix.id for fix in fixes)]
            changed = {finding.path for finding, _ in pairs}
            waiting = [file for file in waiting if file.name in changed]
            if not waiting:
                return list(found.values())
        raise AssertionError(f"the fixes never end:\n{found[waiting[0].name][0]}")

    def _offered(self, files: Sequence[Path]) -> list[tuple[Finding, Fix]]:
        settings = Config(root=self.folder)
        options = CheckOptions(
            "a100-80gb", self.folder, "source", settings=settings, select=_RULES, workspace_files=()
        )
        return chosen(check(files, options).findings, ("safe",))
