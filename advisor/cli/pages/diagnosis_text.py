"""The diagnosis of a kernel as text for people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from advisor.check.speedup_bounds.tree import diagnosis_tree
from advisor.evidence.metrics.prediction_error import time_interval
from advisor.reports.diagnosis.actions_in_words import action_in_words
from advisor.reports.diagnosis.made_up_launches import synthesis_in_words
from advisor.reports.outputs.drawing.paragraphs import paragraph
from advisor.reports.outputs.wording.numbers import time_in_words

if TYPE_CHECKING:
    from advisor.check.speedup_bounds.actions import Action
    from advisor.check.speedup_bounds.bound import Boundness
    from advisor.model.findings import RemedyOrder
    from advisor.reports.diagnosis.answers import Answer
    from advisor.reports.diagnosis.kernel_diagnosis import KernelDiagnosis

_BAR = 24
_MARKS = {
    "cause": "yes, found here",
    "fine": "nothing found",
    "partly": "nothing found so far",
    "unknown": "not known",
}
_LINES = 6
# The least and the most of a ratio are both told where they differ by more.
_TOLD_APART = 1.05


def diagnosis_as_text(found: KernelDiagnosis, width: int) -> str:
    """The diagnosis in sections: what it waits for, the questions with their answers, what to do."""
    blocks = [_head(found), _bound(found, width), *_answers(found, width), _actions(found, width)]
    if found.order is not None:
        blocks.append(remedies_in_order(found.order, width))
    if found.synthesis is not None:
        made = synthesis_in_words(found.synthesis)
        told = filter(None, [found.element_time, *made])
        blocks.append(["Synthesised launches", *(_indented(text, width) for text in told)])
    if found.assumptions:
        blocks.append(["Assumptions", *(_indented(text, width) for text in found.assumptions)])
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def _indented(text: str, width: int, indent: str = "  ") -> str:
    return "\n".join(paragraph(text, width, indent, indent))


def _head(found: KernelDiagnosis) -> list[str]:
    kernel = found.kernel
    lines = [f"{kernel.label}  {kernel.path}:{kernel.span.line}  {found.device.name}"]
    bound = found.bound
    if bound.time_ms is not None:
        share = "" if found.share_of_run is None else f", {found.share_of_run:.0%} of the time of all kernels"
        how = "Predicted" if bound.is_predicted else "Measured"
        lines.append(f"{how}: {time_in_words(bound.time_ms)} a launch{share}")
        if bound.is_predicted:
            interval = time_interval(bound.time_ms)
            ends = f"{time_in_words(interval.low)} to {time_in_words(interval.high)}"
            lines.append(f"Within the model's error: {ends}")
    return lines


def _bound(found: KernelDiagnosis, width: int) -> list[str]:
    bound, tree = found.bound, diagnosis_tree()
    predicted = " (predicted)" if bound.is_predicted and bound.found else ""
    lines = [f"What it waits for: {bound.found.title if bound.found else 'not known'}{predicted}"]
    lines.append(_indented(bound.found.text if bound.found else bound.reason, width))
    shown = [(tree.limit_in_words(part.resource), part) for part in bound.parts[:_LINES]]
    widest = max((len(name) for name, _ in shown), default=0)
    lines += [
        f"  {name:<{widest}} {time_in_words(part.time_ms):>10}  {_bar(part.share)}" for name, part in shown
    ]
    near = [tree.limit_in_words(part.resource) for part in bound.parts[1:] if part.share >= tree.close]
    if near:
        lines.append(
            _indented(f"Close behind: {', '.join(near)}. Removing one limit alone gains little.", width)
        )
    lines += [_indented(text, width) for text in _peaks(bound)]
    if found.overhead:
        runs = "is predicted to run" if bound.is_predicted else "runs"
        text = (
            f"Starting a launch from Python costs {time_in_words(tree.launch_ms)} or more, longer than it "
            f"{runs}: what the host does around it counts more than the kernel."
        )
        lines.append(_indented(text, width))
    return lines


def _peaks(bound: Boundness) -> Iterator[str]:
    tree = diagnosis_tree()
    if bound.intensity is not None and bound.balance is not None:
        side = "below" if bound.intensity < bound.balance else "above"
        yield (
            f"Arithmetic intensity {bound.intensity:.3g} FLOP/byte, {side} the device's balance of "
            f"{bound.balance:.3g}: on the {'memory' if side == 'below' else 'compute'} side of the roofline."
        )
    found = bound.found.id if bound.found else ""
    for name, own, use, good, poor in (
        ("Memory", "memory", bound.memory_use, tree.memory_good, tree.memory_poor),
        ("Computation", "compute", bound.compute_use, tree.compute_good, tree.compute_poor),
    ):
        decides = own != "memory" or bound.dram_decides or found == "latency"
        if use is not None and found in (own, "latency") and decides:
            word = "good" if use >= good else "needs work" if use < poor else "fair"
            yield f"{name} at {use:.0%} of the peak: {word} (good from {good:.0%}, poor below {poor:.0%})."


def _answers(found: KernelDiagnosis, width: int) -> Iterator[list[str]]:
    for number, answer in enumerate(found.answers, start=1):
        yield [f"{number}. {answer.question.question}  {_MARKS[answer.verdict]}", *_details(answer, width)]


def _details(answer: Answer, width: int) -> Iterator[str]:
    if answer.values:
        values = ", ".join(f"{one.name} {one.value} ({one.source})" for one in answer.values)
        yield _indented(values, width, "   ")
    groups: dict[tuple[str, str, str], list[int]] = {}
    for finding in answer.findings:
        lines = groups.setdefault((finding.rule, finding.path, finding.message), [])
        lines += (one.span.line for one in finding.at_each_place())
    for (rule, _, message), those in list(groups.items())[:_LINES]:
        yield _indented(f"{_places(those)}: {message} [{rule}]", width, "   ")
    if len(groups) > _LINES:
        yield f"   and {len(groups) - _LINES} more"
    if answer.needs:
        # Rules call a metric by its row and name; the name alone is what `advisor metrics` lists.
        names = dict.fromkeys(need.partition(".")[2] or need for need in answer.needs)
        yield _indented(f"not known: {', '.join(names)}", width, "   ")


def _places(lines: list[int]) -> str:
    different = sorted(set(lines))
    return f"line{'s' if len(different) > 1 else ''} {', '.join(map(str, different))}"


def _actions(found: KernelDiagnosis, width: int) -> list[str]:
    if not found.actions:
        return ["What to do: no rule has anything against this kernel."]
    lines = ["What to do, the most rewarding first"]
    for number, action in enumerate(found.actions[: diagnosis_tree().actions], start=1):
        lines += paragraph(_sentence(action), width, f"  {number}. ", "     ")
    left = len(found.actions) - diagnosis_tree().actions
    if left > 0:
        lines.append(f"  and {left} more (`advisor check` shows all)")
    return lines


def remedies_in_order(order: RemedyOrder, width: int) -> list[str]:
    """What one remedy after the other makes of the kernel, and what it waits for then."""
    lines = [f"One after the other, predicted for {order.device}"]
    for number, step in enumerate(order.steps, start=1):
        wide = step.most > step.least * _TOLD_APART
        between = f" ({step.least:.3g} to {step.most:.3g} by its counts)" if wide else ""
        text = (
            f"[{step.rule}] line {step.line}: {step.speedup:.3g} times as fast in all{between}, "
            f"then it waits for {diagnosis_tree().limit_in_words(step.left)} most"
        )
        lines += paragraph(text, width, f"  {number}. ", "     ")
    return lines


def _sentence(action: Action) -> str:
    return action_in_words(action, f"line {action.finding.span.line}")


def _bar(share: float) -> str:
    return "#" * max(1, round(share * _BAR)) + f" {share:.0%}"
