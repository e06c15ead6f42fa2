"""Random rules as rule files."""

from __future__ import annotations

from random_rules import Node, RandomRule
from writing import VOCABULARY

from advisor.rules import Rulebook, rulebook_from_texts

_INFIX = ("+", "-", "*", "/", "otherwise", "<", "<=", ">", ">=", "=", "!=", "and", "or")


def quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def text_of(node: Node) -> str:
    """A node as it is written, in brackets wherever another could be beside it."""
    operator, *parts = node
    if operator == "literal":
        return str(parts[1])
    if operator == "text":
        return quoted(parts[0])
    if operator == "truth":
        return "true" if parts[0] else "false"
    if operator in ("param", "let"):
        return str(parts[0])
    if operator == "metric":
        return ".".join((parts[0], *parts[1], parts[2]))
    if operator == "macro":
        return f"{parts[0]}({parts[1]})"
    if operator in ("some", "every", "no", "number"):
        entity, variable, owner, condition = parts
        begin, has = ("number of", "with") if operator == "number" else (operator, "has")
        return f"({begin} {entity} {variable} of {owner} {has} ({text_of(condition)}))"
    if operator in ("in", "like"):
        return f"({text_of(parts[0])} {operator} {_texts(operator, parts[1:])})"
    written = [text_of(part) for part in parts]
    if operator in _INFIX:
        return f"({f' {operator} '.join(written)})"
    if operator == "between":
        return f"({written[0]} between {written[1]} and {written[2]})"
    if operator in ("known", "missing"):
        return f"({written[0]} is {operator})"
    if operator in ("not", "neg"):
        return f"({'not ' if operator == 'not' else '-'}{written[0]})"
    return f"{operator}({', '.join(written)})"


def _texts(operator: str, texts: list[str]) -> str:
    return quoted(texts[0]) if operator == "like" else f"({', '.join(map(quoted, texts))})"


def rule_text(rule: RandomRule, name: str = "random-rule") -> str:
    """The text of a rule without its definitions; its `say` names everything, so that all is used."""
    (variable, entity), *owners = rule.variables
    of = "".join(f" of {kind} {owner}" for owner, kind in owners)
    fields = " ".join(f"{{{one.name}}}" for one in (*rule.params, *rule.lets))
    lines = [
        f'/// Made by chance.\nrule {name} "Random" {{',
        f"  for each {entity} {variable}{of}",
        *(f"  param {one.name} = {text_of(one.node)}" for one in rule.params),
        *(f"  let {one.name} = {text_of(one.node)}" for one in rule.lets),
        f"  when {text_of(rule.when)}",
        *(f'  unless {text_of(node)} because "of chance"' for node in rule.unless),
        "  severity warning confidence high effort low",
        f'  say "{{{variable}}}: {fields}." why "Chance." try "Again." source "Chance"',
        '  example fires "one" {}\n  example silent "other" {}\n}',
    ]
    return "\n".join(lines) + "\n"


def definitions_text(rule: RandomRule) -> str:
    return "".join(f"define {one.name}(x) = {text_of(one.node)}\n" for one in rule.definitions)


def files(rule: RandomRule, name: str = "random-rule") -> list[tuple[str, str]]:
    """The vocabulary, the definitions and the rule, a file each."""
    return [
        ("metrics/words.rules", VOCABULARY),
        ("pack/definitions.rules", definitions_text(rule)),
        (f"pack/{name}.rules", rule_text(rule, name)),
    ]


def book_of(rule: RandomRule) -> Rulebook:
    return rulebook_from_texts(files(rule))
