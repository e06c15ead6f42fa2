"""What the names of a module stand for in the modules that import them."""

from __future__ import annotations

import ast

from advisor.program.syntax.module import ModuleSyntax
from advisor.program.syntax.reaching_definitions import Definition


def exported(module: ModuleSyntax, name: str, importer: ModuleSyntax) -> frozenset[Definition] | None:
    """The definitions that may hold for a name of a module when all of it has run.

    None where functions bind it too, or the importing module gives it another value: `sizes.C = 4`.
    """
    definitions = module.definitions(module.tree)
    stored = importer.once(_stored_in_modules, importer.tree)
    return None if definitions.bound_by_others(name) or name in stored else definitions.at_end(name)


def exports(module: ModuleSyntax, name: str) -> bool:
    """Whether `from m import *` may bind a name of a module."""
    definitions = module.definitions(module.tree)
    if name.startswith("_") and not definitions.of("__all__"):
        return False
    bound = any(isinstance(one, ast.AST) for one in definitions.at_end(name))
    return bound or definitions.bound_by_others(name)


def original_name(name: str, statement: ast.ImportFrom) -> str:
    """What a name that is imported is called in its module; the last of a statement counts."""
    found = [one.name for one in statement.names if (one.asname or one.name) == name]
    return found[-1] if found else name


def _stored_in_modules(module: ModuleSyntax, tree: ast.Module) -> frozenset[str]:
    """The names that a module gives other values in modules that it imports."""
    stores = (one for one in module.inside(tree, ast.Attribute) if not isinstance(one.ctx, ast.Load))
    return frozenset(
        one.attr for one in stores if isinstance(one.value, ast.Name) and one.value.id in module.imports
    )
