"""What the names of a module stand for in the modules that import them."""

from __future__ import annotations

import ast

from advisor.program.names.library_names import star_member
from advisor.program.names.workspace import KNOWN_LIBRARIES, Workspace
from advisor.program.syntax.definition_flow import is_star
from advisor.program.syntax.module import Import, ModuleSyntax
from advisor.program.syntax.reaching_definitions import Definition
from advisor.program.syntax.tree_nodes import dotted_root


def exported(
    module: ModuleSyntax, name: str, importer: ModuleSyntax, workspace: Workspace
) -> frozenset[Definition] | None:
    """The definitions that may hold for a name of a module when all of it has run.

    None where functions bind it too, or where the importing module, or one that it imports, gives it another
    value: `sizes.C = 4`.
    """
    definitions = module.definitions(module.tree)
    stored = importer.once(_stored_in_modules, importer.tree)
    if definitions.bound_by_others(name) or name in stored:
        return None
    for other in workspace.imported_with(f".{name}", importer):
        if other is not module and _stores_in(other, module, name, workspace):
            return None
    return definitions.at_end(name)


def exports(module: ModuleSyntax, name: str, workspace: Workspace) -> bool:
    """Whether `from m import *` may bind a name of a module, or of those that it imports in the same way."""
    return _exports(module, name, workspace, set())


def _exports(module: ModuleSyntax, name: str, workspace: Workspace, asked: set[ast.Module]) -> bool:
    if module.tree in asked:
        return False
    asked.add(module.tree)
    definitions = module.definitions(module.tree)
    if name.startswith("_") and not definitions.of("__all__"):
        return False
    if definitions.bound_by_others(name):
        return True
    for one in definitions.at_end(name):
        if isinstance(one, ast.ImportFrom) and is_star(one):
            if _star_may_bind(one, name, module, workspace, asked):
                return True
        elif isinstance(one, ast.AST):
            return True
    return False


def _star_may_bind(
    statement: ast.ImportFrom, name: str, module: ModuleSyntax, workspace: Workspace, asked: set[ast.Module]
) -> bool:
    library = statement.module or ""
    source = workspace.find(Import(library, None, statement.level), module)
    if source is not None:
        return _exports(source, name, workspace, asked)
    known = library.partition(".")[0] in KNOWN_LIBRARIES and not statement.level
    return star_member(library, name) if known else True


def original_name(name: str, statement: ast.ImportFrom) -> str:
    """What a name that is imported is called in its module; the last of a statement counts."""
    found = [one.name for one in statement.names if (one.asname or one.name) == name]
    return found[-1] if found else name


def _stored_in_modules(module: ModuleSyntax, tree: ast.Module) -> frozenset[str]:
    """The names that a module gives other values in modules that it imports."""
    stores = [one for one in module.inside(tree, ast.Attribute) if not isinstance(one.ctx, ast.Load)]
    roots = [(one.attr, dotted_root(one)) for one in stores]
    return frozenset(name for name, root in roots if root is not None and root.id in module.imports)


def _stores_in(module: ModuleSyntax, target: ModuleSyntax, name: str, workspace: Workspace) -> bool:
    """Whether a module gives a name of another one another value."""
    if name not in module.once(_stored_in_modules, module.tree):
        return False
    for one in module.inside(module.tree, ast.Attribute):
        if one.attr == name and not isinstance(one.ctx, ast.Load):
            dotted = module.dotted(one.value) or ""
            level = len(dotted) - len(dotted.lstrip("."))
            if dotted and workspace.find(Import(dotted.lstrip("."), None, level), module) is target:
                return True
    return False
