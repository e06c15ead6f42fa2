"""The failures that are reported to somebody: the owner of a source file, of a rule, of a command."""

from __future__ import annotations


class AdvisorError(Exception):
    """A failure with a message for the user; everything else that escapes is a bug of this program."""


class UsageError(AdvisorError):
    """Wrong use of the command line or of the configuration; ends the program with status 2."""


class SourceProblem(AdvisorError):
    """A file of the user's that cannot be analysed: `path`, 1-based `line` and `column`, and one sentence."""

    def __init__(self, path: str, line: int, message: str, column: int = 1) -> None:
        super().__init__(f"{path}:{line}:{column}: {message}" if column > 1 else f"{path}:{line}: {message}")
        self.path = path
        self.line = line
        self.column = column
        self.message = message

    def __reduce__(self) -> tuple[type[SourceProblem], tuple[str, int, str, int]]:
        return SourceProblem, (self.path, self.line, self.message, self.column)


class EvidenceUnavailable(AdvisorError):
    """A source of evidence that this machine cannot give; `remedy` says how to get it."""

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(message)
        self.remedy = remedy

    def as_notice(self) -> str:
        """What a check says that goes on without the evidence."""
        return " ".join(filter(None, [str(self), self.remedy, "The check goes on without it."]))
