"""The one form of rule files: text in, text out."""

from __future__ import annotations

from advisor.rules.formatting.layout import laid_out
from advisor.rules.formatting.tokens import read_rule_file
from advisor.rules.language.problems import with_newlines


class FormattingFault(RuntimeError):
    """Formatting would have changed more than space: a fault of the formatter."""


def format_text(path: str, text: str) -> str:
    """The text of a rule file in the form of the shipped rules, with all its words and comments.

    Line ends become newlines and a byte order mark is left out. `path` is named in errors. Raises RuleErrors
    with every syntax error, and FormattingFault when the outcome would not say the same.
    """
    text = with_newlines(text.removeprefix("\ufeff"))
    file = read_rule_file(path, text)
    formatted = laid_out(file)
    if formatted != text and read_rule_file(path, formatted).content() != file.content():
        raise FormattingFault(f"{path}: formatting would change what the file says.")
    return formatted
