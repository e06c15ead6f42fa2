"""What a name can refer to once scopes, imports and assignments have been followed."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TypeAlias

from advisor.program.resolution.literal_text import LibraryName, literal_text
from advisor.program.syntax.module import FunctionNode, ModuleSyntax


@dataclass(frozen=True, slots=True)
class FunctionName:
    """A function of the workspace."""

    module: ModuleSyntax
    node: FunctionNode


@dataclass(frozen=True, slots=True)
class ModuleName:
    """A module of the workspace."""

    module: ModuleSyntax


@dataclass(frozen=True, slots=True)
class ClassName:
    """A class of the workspace, of which only simple attributes are followed."""

    module: ModuleSyntax
    node: ast.ClassDef


@dataclass(frozen=True, slots=True)
class ConstantName:
    """A value that the source fixes, or is taken to."""

    value: object


@dataclass(frozen=True, slots=True)
class UnknownName:
    """A name without a known value; `reason` completes the sentence "… cannot be resolved: it is".

    `undefined` tells a name that nothing defines.
    """

    reason: str
    undefined: bool = False


@dataclass(frozen=True, slots=True)
class BuiltinName:
    """A name of Python's own builtins."""

    name: str


Meaning: TypeAlias = (
    LibraryName | FunctionName | ModuleName | ClassName | ConstantName | UnknownName | BuiltinName
)


def same_meaning(left: Meaning, right: Meaning) -> bool:
    """Whether both are one thing, or values that a kernel reads as the same literal."""
    if isinstance(left, ConstantName) and isinstance(right, ConstantName):
        text = literal_text(left.value)
        return text is not None and text == literal_text(right.value)
    return left == right
