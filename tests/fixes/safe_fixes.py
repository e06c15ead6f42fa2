"""Every safe fix applied to a program, as `advisor check --fix` does, and what the program then does."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from simulated_runs import SimulatedRuns

from advisor.check_options import CheckOptions
from advisor.config import Config
from advisor.fixes import known_fixes
from advisor.fixes.application import applied, chosen
from advisor.pipeline import check

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

    def of(self, text: str) -> str | None:
        """What is lost, with the program before and after; None where all stays the same."""
        after, names = self._fixed(text)
        if not names:
            return None
        self.edits.update(names)
        self.programs.update(set(names))
        shown = f"{sorted(set(names))}\n{text}\n--- after\n{after}"
        printed, arrays = self.runs.call(_OUTCOME, "outcome", text)
        try:
            printed_after, arrays_after = self.runs.call(_OUTCOME, "outcome", after)
        except RuntimeError as error:
            return f"{error}\n{shown}"
        if printed != printed_after:
            return f"printed:\n{printed}\nthen:\n{printed_after}\n{shown}"
        pairs = zip(arrays, arrays_after, strict=True)
        alike = all(np.array_equal(one, other, equal_nan=True) for one, other in pairs)
        return None if alike else f"other arrays\n{shown}"

    def _fixed(self, text: str) -> tuple[str, list[str]]:
        """The text with its safe fixes, and the names of those that were applied."""
        file, names = self.folder / "program.py", list[str]()
        for _ in range(_ROUNDS):
            file.write_text(text)
            settings = Config(root=self.folder)
            options = CheckOptions("a100-80gb", self.folder, "source", settings=settings, select=_RULES)
            pairs = chosen(check([file], options).findings, ("safe",))
            if not pairs:
                return text, names
            names += [fix.id for _, fix in pairs]
            text = applied(text, [fix for _, fix in pairs])
        raise AssertionError(f"the fixes never end:\n{text}")
