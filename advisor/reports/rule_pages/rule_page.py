"""The page of a rule: what it looks for, why, what to try, and on what grounds."""

from __future__ import annotations

from advisor.model.suppression_rules import SuppressionRule
from advisor.reports.rule_pages.catalogue import AnyRule
from advisor.reports.rule_pages.configuration import change_sections, suppression_change_section
from advisor.reports.rule_pages.evidence import evidence_levels, least_evidence, sources_of
from advisor.reports.rule_pages.fix_page import fixes_of
from advisor.reports.rule_pages.page_model import Cell, Page, Piece, Rows, Section, Words, is_web
from advisor.reports.rule_pages.quantities import range_text
from advisor.rules.language.expressions import Expression, Operation, metrics_in
from advisor.rules.language.written_form import written
from advisor.rules.model import Citation, Example, Rule, Rulebook
from advisor.rules.units import COUNT, TRUTH, Unit, format_value


def build_page(rule: AnyRule, rulebook: Rulebook) -> Page:
    """The page of `rule`, with the metrics of `rulebook` explained."""
    own = _suppression_sections(rule) if isinstance(rule, SuppressionRule) else _sections(rule, rulebook)
    return Page(
        f"{rule.id}: {rule.title}", _keywords(rule, rulebook), tuple(section for section in own if section)
    )


def evidence_text(rule: AnyRule, rulebook: Rulebook) -> str:
    """The least level of evidence that the rule can fire with: "source" … "measured", or "unknown"."""
    return "source" if isinstance(rule, SuppressionRule) else least_evidence(rule, rulebook) or "unknown"


def metrics_of(rule: Rule) -> list[str]:
    """The metrics of the rule's conditions and of its gain as entity.name, in order of appearance."""
    gain = metrics_in(rule.gain, dict(rule.variables)) if rule.gain is not None else []
    return list(dict.fromkeys([*rule.metrics_used, *gain]))


def _fixes(rule: Rule) -> tuple[str, ...]:
    told = [f"{fix.title} ({fix.safety})" for fix in rule.fixes]
    return (*told, *(f"{fix.id}: {fix.title} ({fix.safety})" for fix in fixes_of(rule.id)))


def _keywords(rule: AnyRule, rulebook: Rulebook) -> tuple[tuple[str, str], ...]:
    assumed = rule.severity_when_assumed if isinstance(rule, Rule) else None
    return (
        ("category", rule.category),
        ("severity", f"{rule.severity} ({assumed} when assumed)" if assumed else rule.severity),
        ("confidence", rule.confidence),
        ("effort", rule.effort or "unknown"),
        ("evidence", evidence_text(rule, rulebook)),
    )


def _suppression_sections(rule: SuppressionRule) -> list[Section]:
    return [
        Section("What", (rule.doc,)),
        Section("Message", (rule.say,)),
        Section("Why", (rule.why,)),
        Section("Try", items=tuple(text.replace("{rule}", "rule-id") for text in rule.advice)),
        suppression_change_section(rule),
    ]


def _sections(rule: Rule, rulebook: Rulebook) -> list[Section]:
    exceptions = [(Words(written(item.condition), code=True), item.reason) for item in rule.unless]
    doubts = [(Words(written(item.condition), code=True), item.reason) for item in rule.doubts]
    sentences = [(one.text, Words(written(one.condition), code=True)) for one in rule.sentences]
    further: Rows = (("further", "where"), *sentences)
    former = tuple(old for old, new in rulebook.renamed.items() if new == rule.id)
    former += tuple(f"{old}, the parameter {new}" for old, new in rule.former_params.items())
    return [
        Section("Deprecated", (rule.deprecated,) if rule.deprecated else ()),
        Section("What", tuple(filter(None, rule.doc.split("\n\n")))),
        Section("Message", (rule.say,) if rule.say else (), table=further, listed=True),
        Section("Why", (rule.why,) if rule.why else ()),
        Section("Try", items=rule.advice),
        Section("Gain", _gain(rule)),
        Section("Fixes", items=_fixes(rule)),
        Section("Condition", code=_condition(rule), language="rules"),
        Section("Exceptions", table=(("condition", "reason"), *exceptions), listed=True),
        Section("In doubt where", table=(("condition", "reason"), *doubts), listed=True),
        Section("Parameters", table=_parameters(rule)),
        Section("Metrics", table=_metrics(rule, rulebook)),
        Section(
            "Evidence needed",
            _evidence_words(rule, rulebook),
            table=_evidence_table(rule, rulebook),
            listed=True,
        ),
        Section("Examples", table=_examples(rule, rulebook), listed=True),
        *change_sections(rule),
        Section("Sources", items=tuple(_citation(item) for item in rule.sources)),
        Section("Covers", items=rule.patterns),
        Section("See also", items=_related(rule, rulebook)),
        Section("Former names", items=former),
    ]


def _gain(rule: Rule) -> tuple[str, ...]:
    """What the remedy changes, why nothing says what it gains, and the rule's own estimate."""
    said = []
    for one in rule.without:
        said.append(f"Predicted with `{written(one.value)}` in the place of `{written(one.count)}`.")
    if rule.without_nothing:
        said.append(f"Not predicted: {rule.without_nothing}.")
    if rule.gain is not None:
        bound = "At most" if rule.gain_at_most else "About"
        said.append(f"{bound} `{written(rule.gain)}` of the time could be saved.")
    return tuple(said)


def _condition(rule: Rule) -> str:
    (name, entity), *owners = rule.variables
    owner = "".join(f" of {entity} {name}" for name, entity in owners)
    return "\n".join(
        [
            f"for each {entity} {name}{owner}",
            *(f"let {name} = {written(value)}" for name, value in rule.lets),
            *_lines(rule.when),
        ]
    )


def _lines(condition: Expression) -> list[str]:
    """The condition as in a rule file, a line for each part of its outermost `and` or `or`."""
    if not isinstance(condition, Operation) or condition.operator not in ("and", "or"):
        return [f"when {written(condition)}"]
    first, *others = (written(operand) for operand in condition.operands)
    return [f"when {first}", *(f"{condition.operator:>4} {other}" for other in others)]


def _parameters(rule: Rule) -> Rows:
    return (
        ("name", "default", "allowed", "reason"),
        *(
            (
                param.name,
                format_value(param.value, param.unit),
                range_text(param.low, param.high, param.unit),
                param.reason,
            )
            for param in rule.params
        ),
    )


def _metrics(rule: Rule, rulebook: Rulebook) -> Rows:
    rows = []
    for name in metrics_of(rule):
        entity, _, metric_name = name.rpartition(".")
        metric = rulebook.metric(entity, metric_name)
        if metric is not None:
            shown = Words(name, f"metric:{name}", code=True)
            rows.append(
                (shown, str(metric.unit), range_text(metric.low, metric.high, metric.unit), metric.doc)
            )
    return (("metric", "unit", "range", "meaning"), *rows)


def _evidence_words(rule: Rule, rulebook: Rulebook) -> tuple[str, ...]:
    level = least_evidence(rule, rulebook)
    if level is None:
        return ("No source of evidence of this version is known to give what the condition needs.",)
    return (f"It can fire from the level `{level}` on: {evidence_levels()[level]}.",)


def _evidence_table(rule: Rule, rulebook: Rulebook) -> Rows:
    """The metrics by the levels that can tell them."""
    groups: dict[str, list[Piece]] = {}
    for name in metrics_of(rule):
        levels = " or ".join(sources_of(name, rulebook)) or "unknown"
        groups.setdefault(levels, []).append(Words(name, f"metric:{name}", code=True))
    return (("given by", "metrics"), *((levels, tuple(names)) for levels, names in groups.items()))


def _examples(rule: Rule, rulebook: Rulebook) -> Rows:
    rows = tuple((item.verdict, item.name, _values(item, rule, rulebook)) for item in rule.examples)
    return (("verdict", "example", "values"), *rows)


def _values(example: Example, rule: Rule, rulebook: Rulebook) -> Cell:
    values: list[Piece] = []
    for parts, value in example.values:
        shown = "missing" if value is None else format_value(value, _unit(parts, value, rule, rulebook))
        values.append(Words(f"{'.'.join(parts)} = {shown}", code=True))
    return tuple(values) or (f"the file {example.file}" if example.file else "")


def _unit(parts: tuple[str, ...], value: float | str | bool, rule: Rule, rulebook: Rulebook) -> Unit:
    owner = dict(rule.variables).get(parts[-2], parts[-2]) if len(parts) > 1 else rule.entity
    metric = rulebook.metric(owner, parts[-1])
    if metric is not None:
        return metric.unit
    return TRUTH if isinstance(value, bool) else COUNT


def _citation(source: Citation) -> Piece:
    words = ", ".join(part for part in (source.text, f"“{source.at}”" if source.at else "") if part)
    if is_web(source.url):
        return Words(words, source.url)
    return f"{words}, {source.url}" if source.url else words


def _related(rule: Rule, rulebook: Rulebook) -> tuple[Piece, ...]:
    """The rules that it names, then those that name it."""
    names = [*rule.see, *(other.id for other in rulebook.rules if rule.id in other.see)]
    return tuple(Words(name, f"rule:{name}") for name in dict.fromkeys(names))
