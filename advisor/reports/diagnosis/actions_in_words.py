"""Actions in sentences: where, what, and what they gain."""

from __future__ import annotations

from collections.abc import Container, Sequence

from advisor.check.speedup_bounds.actions import Action, actions_of
from advisor.check.speedup_bounds.tree import diagnosis_tree
from advisor.model.findings import Report
from advisor.reports.outputs.wording.quantities import number

# What is told with two decimals is no gain below it.
_WORTH = 1.005


def first_actions(report: Report) -> Sequence[Action]:
    """The actions that a long report begins with: the most rewarding ones.

    There are none for a short report, nor where no gain is known at all.
    """
    tree = diagnosis_tree()
    if len(report.findings) < tree.first_from:
        return ()
    actions = actions_of(report)
    return actions[: tree.first] if any(one.reward > _WORTH for one in actions) else ()


def action_in_words(action: Action, place: str) -> str:
    """What to do at a place, by which rule, and what it gains."""
    more = len(action.other_lines)
    where = place + (f" and {more} more" if more else "")
    return f"{what_to_do(action)} ({where}) [{action.finding.rule}]: {gain_in_words(action)}."


def place_in_words(action: Action, nowhere: Container[str] = ()) -> str:
    """The kernel and the place of an action; in `nowhere`, paths that are none, the kernel or the run."""
    finding = action.finding
    kernel = finding.kernel_concerned()
    place = "" if finding.path in nowhere else f"{finding.path}:{finding.span.line}"
    return ", ".join(one for one in (kernel, place) if one) or "the whole run"


def what_to_do(action: Action) -> str:
    """The fix, or the first advice, without a full stop."""
    finding = action.finding
    what = action.fix.title if action.fix else (finding.advice[0] if finding.advice else finding.message)
    return what.rstrip(".")


def gain_in_words(action: Action) -> str:
    """What an action gains, with its confidence and effort."""
    said = speed_up_in_words(action)
    if action.speedup is None or action.speedup < _WORTH:
        return said
    effort = f", {action.finding.effort} effort" if action.finding.effort else ""
    return f"{said}, {action.finding.confidence} confidence{effort}"


def speed_up_in_words(action: Action) -> str:
    """What an action gains: of the kernel, and of all kernels where that is less."""
    if action.speedup is None:
        return "no estimate of the gain"
    if action.speedup < _WORTH:
        return _useless(action) if action.tried else "what it relieves is not what the kernel waits for"
    said = _times_as_fast(action)
    if action.gain_of_run is not None and action.gain_of_run < action.speedup * 0.99:
        said += f", all kernels together {action.gain_of_run:.2f}"
    return said


def estimate_in_words(action: Action) -> str:
    """What an action gains where that is estimated and worth a word, else nothing."""
    if not action.is_estimated or action.speedup is None or action.speedup < _WORTH:
        return ""
    return speed_up_in_words(action)


def factor_in_short(action: Action) -> str:
    """How many times as fast an estimated action makes its kernel, in two words: `about 25 ×`."""
    if not estimate_in_words(action):
        return ""
    gain = action.finding.gain
    about = gain is not None and gain.is_predicted and not action.tried
    basis = "about" if about else _basis(action)
    return (
        f"{basis} {action.speedup:.2g} ×" if about else f"{basis} {number(round(action.speedup or 1.0, 2))} ×"
    )


def _times_as_fast(action: Action) -> str:
    gain = action.finding.gain
    if gain is not None and gain.is_predicted and not action.tried:
        return gain.in_words()
    return f"{_basis(action)} {number(round(action.speedup or 1.0, 2))} times as fast"


def _useless(action: Action) -> str:
    """That fixes were tried, and whether it was measured that they help nothing."""
    proofs = [fix.proof for fix in action.finding.fixes if fix.proof is not None]
    if any(proof.evidence.startswith("measured") for proof in proofs):
        return "tried, and it helped nothing"
    return "tried, and predicted to help nothing"


def _basis(action: Action) -> str:
    """Where the speed-up of an action comes from."""
    proof = action.fix.proof if action.fix is not None else None
    if not action.tried or proof is None:
        return "predicted at most" if action.finding.gain else "not estimated, at most"
    return "measured" if proof.verdict == "measured faster" else "predicted"
